import { normaliseName } from '../credentials/login-name.ts'
import type { Columns } from '../stores/row-statement.ts'
import {
  type Account,
  ADDRESS_COLUMNS,
  type Address,
  type Email,
  type PersonChanges,
  type Phone,
  PROFILE_COLUMNS,
  type Profile,
  type ServiceUser,
} from './account.ts'

/** Objects as JSON, made of the columns of `a`; null where nothing is filled. */
const PROFILE_JSON = `jsonb_strip_nulls(jsonb_build_object(${members(PROFILE_COLUMNS)}))`
const ADDRESS_JSON = `nullif(jsonb_strip_nulls(jsonb_build_object(${members(ADDRESS_COLUMNS)})), '{}')`
const EMAIL_JSON =
  "CASE WHEN a.email IS NOT NULL THEN jsonb_build_object('address', a.email, 'verified', a.email_verified) END"
const PHONE_JSON =
  "CASE WHEN a.phone_number IS NOT NULL THEN jsonb_build_object('number', a.phone_number, 'verified', a.phone_number_verified) END"

function members(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([member, column]) => `'${member}', a.${column}`)
    .join(', ')
}

export interface AccountRow
  extends Pick<Account, 'id' | 'organizationId' | 'userName' | 'state' | 'createdAt' | 'updatedAt'> {
  readonly kind: Account['kind']
  readonly name: string
  readonly profile: Profile
  readonly email: Email | null
  readonly phone: Phone | null
  readonly address: Address | null
  readonly passwordChangeRequired: boolean
  readonly clientId: string | null
  readonly accessTokenType: ServiceUser['accessTokenType'] | null
  readonly accessTokenSigningAlg: ServiceUser['accessTokenSigningAlg'] | null
}

export const ACCOUNT_SELECT = `
  SELECT a.user_id AS id, a.organization_id AS "organizationId", a.kind, a.user_name AS "userName", a.state,
         a.created_at AS "createdAt", a.updated_at AS "updatedAt", a.display_name AS name,
         ${PROFILE_JSON} AS profile, ${EMAIL_JSON} AS email, ${PHONE_JSON} AS phone, ${ADDRESS_JSON} AS address,
         coalesce(p.change_required, false) AS "passwordChangeRequired",
         s.client_id AS "clientId", s.access_token_type AS "accessTokenType",
         s.access_token_signing_alg AS "accessTokenSigningAlg"
    FROM directory.account a LEFT JOIN directory.service_user s USING (user_id)
    LEFT JOIN directory.account_password p USING (user_id)`

export function toAccount(row: AccountRow): Account {
  const { id, organizationId, userName, state, createdAt, updatedAt } = row
  const account = { id, organizationId, userName, state, createdAt, updatedAt }
  if (row.kind === 'human') {
    return {
      kind: 'human',
      ...account,
      profile: row.profile,
      email: row.email ?? undefined,
      phone: row.phone ?? undefined,
      address: row.address ?? undefined,
      passwordChangeRequired: row.passwordChangeRequired,
    }
  }
  return {
    kind: 'service_user',
    ...account,
    name: row.name,
    clientId: row.clientId ?? undefined,
    accessTokenType: row.accessTokenType ?? 'bearer',
    accessTokenSigningAlg: row.accessTokenSigningAlg ?? 'RS256',
  }
}

/** The columns that a change of a person sets. */
export function personColumns({ profile, email, phone, address }: PersonChanges): Columns {
  return {
    ...renamed(profile ?? {}, PROFILE_COLUMNS),
    ...(address === null ? emptied(ADDRESS_COLUMNS) : renamed(address ?? {}, ADDRESS_COLUMNS)),
    ...(email !== undefined && {
      email: email?.address ?? null,
      email_key: email === null ? null : normaliseName(email.address),
      email_verified: email?.verified ?? false,
    }),
    ...(phone !== undefined && {
      phone_number: phone?.number ?? null,
      phone_number_verified: phone?.verified ?? false,
    }),
  }
}

function renamed<Member extends string>(
  values: { readonly [M in Member]?: unknown },
  columns: Readonly<Record<Member, string>>,
): Columns {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([member, value]) => [columns[member as Member], value]))
}

function emptied(columns: Readonly<Record<string, string>>): Columns {
  return Object.fromEntries(Object.values(columns).map((column) => [column, null]))
}
