import type { Queryable } from '@signet/platform/postgres/pool'
import type { ObjectKind } from '../bootstrap/desired-object.ts'
import type { ObjectWriter } from '../bootstrap/object-writer.ts'
import { accountShapes } from './bootstrap-account-shapes.ts'
import { applicationShapes } from './bootstrap-application-shapes.ts'
import type { CredentialWriting } from './bootstrap-credentials.ts'
import { instanceWriters } from './bootstrap-instance-writers.ts'
import { organizationShapes, policyWriter } from './bootstrap-organization-shapes.ts'
import { projectShapes } from './bootstrap-project-shapes.ts'
import { tableWriter } from './bootstrap-table-writer.ts'

/** The writer of every kind of object, all in one transaction. */
export function bootstrapWriters(
  tx: Queryable,
  writing: CredentialWriting,
): Readonly<Record<ObjectKind, ObjectWriter>> {
  const { organization, domain } = organizationShapes(tx)
  const { user, metadata, service_user, personal_access_token, machine_key } = accountShapes(tx, writing)
  const { project, project_role, user_grant } = projectShapes(tx, writing)
  const { application, application_key } = applicationShapes(tx, writing)
  const shapes = {
    organization,
    domain,
    user,
    metadata,
    service_user,
    personal_access_token,
    machine_key,
    project,
    project_role,
    user_grant,
    application,
    application_key,
  }
  const writers = Object.fromEntries(
    Object.entries(shapes).map(([kind, shape]) => [kind, tableWriter(tx, shape)]),
  ) as Record<keyof typeof shapes, ObjectWriter>
  return { ...writers, policy: policyWriter(tx), ...instanceWriters(tx) }
}
