import { Option } from '@commander-js/extra-typings'
import type { Operation } from '../api/operation.ts'
import { UsageError } from '../exit-codes.ts'

/** The columns of a list without `--columns`: its name and id, then what people look for in it. */
const COLUMNS: Readonly<Record<string, string>> = {
  'organization.list': 'name id primaryDomain state createdAt',
  'user.list': 'userName id kind profile.displayName|name email.address state organizationId',
  'session.list': 'id authenticatedAt lastUsedAt expiresAt amr',
  'token.list': 'id roles createdAt expiresAt',
  'key.list': 'id publicKeyJwk.alg createdAt expiresAt',
  'application_key.list': 'id publicKeyJwk.alg createdAt expiresAt',
  'project.list': 'name id organizationId projectRoleAssertion projectRoleCheck hasProjectCheck createdAt',
  'user_grant.list': 'id userId roles createdAt',
  'user.list_grants': 'id projectId roles createdAt',
  'application.list': 'name clientId type authMethod redirectUris state projectId',
  'granted_project.list': 'name projectId organizationId accepted',
  'offered_role.list': 'organizationName organizationId projectName projectId roles',
  'audit.list': 'at action result actor target organizationId service',
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

export function columnsOf({ id, itemFields }: Operation): readonly string[] | undefined {
  return COLUMNS[id]?.split(' ') ?? itemFields
}
