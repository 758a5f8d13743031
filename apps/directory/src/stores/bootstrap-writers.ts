import type { Queryable } from '@signet/platform/postgres/pool'
import type { ObjectKind } from '../bootstrap/desired-object.ts'
import type { ObjectWriter } from '../bootstrap/object-writer.ts'
import { accountShapes } from './bootstrap-account-shapes.ts'
import { applicationShapes } from './bootstrap-application-shapes.ts'
import type { CredentialWriting } from './bootstrap-credentials.ts'
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

function instanceWriters(tx: Queryable): { feature: ObjectWriter; setting: ObjectWriter } {
  return {
    feature: tableWriter(tx, {
      table: 'feature',
      identity: ({ id }) => ({ name: id }),
      columns: { enabled: (enabled) => ({ enabled }) },
    }),
    // The migration made the one row.
    setting: tableWriter(tx, {
      table: 'setting',
      identity: () => ({ singleton: true }),
      columns: {
        accessTokenLifetime: (access_token_lifetime_seconds) => ({ access_token_lifetime_seconds }),
        idTokenLifetime: (id_token_lifetime_seconds) => ({ id_token_lifetime_seconds }),
        refreshIdle: (refresh_idle_seconds) => ({ refresh_idle_seconds }),
        refreshAbsolute: (refresh_absolute_seconds) => ({ refresh_absolute_seconds }),
        refreshRetryWindow: (refresh_retry_window_seconds) => ({ refresh_retry_window_seconds }),
        sessionIdle: (session_idle_seconds) => ({ session_idle_seconds }),
        sessionAbsolute: (session_absolute_seconds) => ({ session_absolute_seconds }),
        personalAccessTokenLifetime: (personal_access_token_seconds) => ({ personal_access_token_seconds }),
        passwordMinLength: (password_min_length) => ({ password_min_length }),
        maxPasswordAttempts: (max_password_attempts) => ({ max_password_attempts }),
        maxOtpAttempts: (max_otp_attempts) => ({ max_otp_attempts }),
        enableImpersonation: (enable_impersonation) => ({ enable_impersonation }),
        allowImpersonatedApiCalls: (allow_impersonated_api_calls) => ({ allow_impersonated_api_calls }),
        iamSignInMaxAge: (iam_sign_in_max_age_seconds) => ({ iam_sign_in_max_age_seconds }),
        iamRequiresMfa: (iam_requires_mfa) => ({ iam_requires_mfa }),
        defaultOrganization: (default_organization_id) => ({ default_organization_id }),
      },
    }),
  }
}
