import { ADDRESS_COLUMNS, type PersonChanges, PROFILE_COLUMNS } from '../accounts/account.ts'
import { normaliseName } from '../credentials/login-name.ts'
import type { Columns } from './row-statement.ts'

/** Objects as JSON, made of the columns of `a`; null where nothing is filled. */
export const PROFILE_JSON = `jsonb_strip_nulls(jsonb_build_object(${members(PROFILE_COLUMNS)}))`
export const ADDRESS_JSON = `nullif(jsonb_strip_nulls(jsonb_build_object(${members(ADDRESS_COLUMNS)})), '{}')`
export const EMAIL_JSON =
  "CASE WHEN a.email IS NOT NULL THEN jsonb_build_object('address', a.email, 'verified', a.email_verified) END"
export const PHONE_JSON =
  "CASE WHEN a.phone_number IS NOT NULL THEN jsonb_build_object('number', a.phone_number, 'verified', a.phone_number_verified) END"

function members(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([member, column]) => `'${member}', a.${column}`)
    .join(', ')
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
