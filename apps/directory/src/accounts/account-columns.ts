import { emailAddressKey } from '@signet/protocol/email-address'
import { columnsOf, membersOf, newObject, type ValuesOf } from '@signet/protocol/fields/field'
import { ADDRESS_FIELDS, PROFILE_FIELDS } from '@signet/protocol/fields/person'
import { SERVICE_USER_FIELDS } from '@signet/protocol/fields/service-user'
import { givenColumns } from '../database/field-columns.ts'
import type { Columns } from '../database/row-statement.ts'
import type { Account, Address, Email, PersonChanges, Phone, Profile } from './account.ts'

/** SQL for JSON objects of the columns of account `a`; null when all columns are null. */
const PROFILE_JSON = `jsonb_strip_nulls(jsonb_build_object(${members(columnsOf(PROFILE_FIELDS))}))`
const ADDRESS_JSON = `nullif(jsonb_strip_nulls(jsonb_build_object(${members(columnsOf(ADDRESS_FIELDS))})), '{}')`
const EMAIL_JSON =
  "CASE WHEN a.email IS NOT NULL THEN jsonb_build_object('address', a.email, 'verified', a.email_verified) END"
const PHONE_JSON =
  "CASE WHEN a.phone_number IS NOT NULL THEN jsonb_build_object('number', a.phone_number, 'verified', a.phone_number_verified) END"

function members(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([member, column]) => `'${member}', a.${column}`)
    .join(', ')
}

/** A person has none. */
type ServiceUserColumns = {
  readonly [Name in keyof typeof SERVICE_USER_FIELDS]: ValuesOf<typeof SERVICE_USER_FIELDS>[Name] | null
}

export interface AccountRow
  extends ServiceUserColumns,
    Pick<Account, 'id' | 'organizationId' | 'userName' | 'state' | 'createdAt' | 'updatedAt'> {
  readonly kind: Account['kind']
  readonly name: string
  readonly profile: Profile
  readonly email: Email | null
  readonly phone: Phone | null
  readonly address: Address | null
  readonly passwordChangeRequired: boolean
}

const SERVICE_USER_LIST = Object.entries(columnsOf(SERVICE_USER_FIELDS))
  .map(([member, column]) => `s.${column} AS "${member}"`)
  .join(', ')

export const ACCOUNT_SELECT = `
  SELECT a.user_id AS id, a.organization_id AS "organizationId", a.kind, a.user_name AS "userName", a.state,
         a.created_at AS "createdAt", a.updated_at AS "updatedAt", a.display_name AS name,
         ${PROFILE_JSON} AS profile, ${EMAIL_JSON} AS email, ${PHONE_JSON} AS phone, ${ADDRESS_JSON} AS address,
         coalesce(p.change_required, false) AS "passwordChangeRequired",
         ${SERVICE_USER_LIST}
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
    ...newObject(SERVICE_USER_FIELDS, membersOf(SERVICE_USER_FIELDS, row)),
    clientId: row.clientId ?? undefined,
  }
}

const NO_ADDRESS = Object.fromEntries(Object.keys(ADDRESS_FIELDS).map((line) => [line, null]))

/** The columns that a change of a person sets. */
export function personColumns({ profile, email, phone, address }: PersonChanges): Columns {
  return {
    ...givenColumns(PROFILE_FIELDS, profile ?? {}),
    ...givenColumns(ADDRESS_FIELDS, address ?? (address === null ? NO_ADDRESS : {})),
    ...(email !== undefined && {
      email: email?.address ?? null,
      email_key: email === null ? null : emailAddressKey(email.address),
      email_verified: email?.verified ?? false,
    }),
    ...(phone !== undefined && {
      phone_number: phone?.number ?? null,
      phone_number_verified: phone?.verified ?? false,
    }),
  }
}
