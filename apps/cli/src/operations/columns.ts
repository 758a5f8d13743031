import { Option } from '@commander-js/extra-typings'
import { PROJECT_FIELDS } from '@signet/protocol/fields/project'
import type { Operation } from '../api/operation.ts'
import { UsageError } from '../exit-codes.ts'

const PROJECT_FLAGS = Object.entries(PROJECT_FIELDS).flatMap(([name, { kind }]) =>
  kind === 'flag' ? [name] : [],
)

/** The columns of a list without `--columns`: name and id, then the fields that are read most. */
const COLUMNS: Readonly<Record<string, string>> = {
  'organization.list': 'name id primaryDomain state createdAt',
  'user.list': 'userName id kind profile.displayName|name email.address state organizationId',
  'session.list': 'id browser system clientAddress applications.name lastUsedAt authenticatedAt amr',
  'token.list': 'id roles createdAt expiresAt',
  'key.list': 'id publicKeyJwk.alg createdAt expiresAt',
  'application_key.list': 'id publicKeyJwk.alg createdAt expiresAt',
  'trusted_issuer.list': 'id issuer subject createdAt',
  'application_trusted_issuer.list': 'id issuer subject createdAt',
  'identity_provider.list': 'name id preset issuer usable lastUsedOn state organizationId',
  'identity_link.list': 'providerId displayName subject issuer lastUsedAt id',
  'project.list': `name id organizationId ${PROJECT_FLAGS.join(' ')} createdAt`,
  'user_grant.list': 'id userName userId roles createdAt',
  'user.list_grants': 'id projectName projectId roles createdAt',
  'project_grant.list': 'organizationName organizationId accepted',
  ...Object.fromEntries(
    ['instance', 'organization', 'project'].map((level) => [
      `${level}_member.list`,
      'userName displayName userId roles pendingRoles',
    ]),
  ),
  'user.roles': 'roles pendingRoles source organizationName projectName projectId userGrantId',
  'application.access': 'userName displayName userId roles state organizationId',
  'application.list': 'name clientId type authMethod redirectUris state projectId',
  'client_document.list': 'host clientId applicationId state createdAt lastUsedOn projectId',
  'granted_project.list': 'name projectId organizationId accepted',
  'offered_role.list': 'organizationName organizationId projectName projectId roles',
  'audit.list': 'at action result details.reason actor target organizationId service',
}

/** `--columns`, checked against the fields of the items. */
export const columnsOption = (fields: readonly string[]) =>
  new Option('--columns <names>', 'the columns of the table, separated by commas').argParser(
    (names): readonly string[] =>
      names.split(',').map((name) => {
        const known = fields.some((field) => field === name || field.startsWith(`${name}.`))
        // Objects without a schema, such as the details of an audit event, have members of their own.
        if (known || fields.some((field) => name.startsWith(`${field}.`))) return name
        throw new UsageError(`--columns: "${name}" is not a column; there are ${fields.join(', ')}`)
      }),
  )

/** Returns the columns of a list unless the person names some; undefined: those that the items have. */
export function columnsOf({ id, itemFields }: Operation): readonly string[] | undefined {
  return COLUMNS[id]?.split(' ') ?? itemFields
}
