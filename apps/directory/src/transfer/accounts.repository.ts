import type { Queryable } from '@signet/platform/postgres/pool'
import {
  type ColumnType,
  type ConflictRow,
  GIVEN,
  orStored,
  toConflicts,
  unnested,
  writeColumns,
} from '../database/import-table.repository.ts'
import type { BatchContext, TypedWriter } from './record-writer.ts'
import { type AccountKey, type AccountRow, type GivenAccount, PERSON_COLUMNS } from './user-rows.ts'
import { withoutUndefined } from './without-undefined.ts'

// The rows that people and service users have in common.

/** The conflicts of accounts of one kind, by index. */
export async function findAccountConflicts(
  tx: Queryable,
  rows: readonly AccountKey[],
  { organizationIds }: BatchContext,
): ReturnType<TypedWriter<unknown>['findConflicts']> {
  // LIMIT makes each of them a look-up by a key: joined, all users of the organization would be read for every batch.
  const organizations = placedOrganizations(organizationIds)
  const found = await tx.query<ConflictRow>({
    name: 'transfer.account.find_conflicts', // primary keys of principal and account, account_user_name, account_global_user_name
    text: `SELECT r.place,
                  CASE WHEN p.owner_kind = 'application' OR p.owner_id <> r.user_id
                       THEN 'the id belongs to another user, service user or application'
                       WHEN a.kind <> $4 THEN 'the id belongs to a user of another kind'
                       WHEN a.organization_id <> r.organization_id THEN 'the user belongs to another organization'
                       WHEN (same.user_id IS NOT NULL OR global.user_id IS NOT NULL)
                        AND (r.is_name_given OR p.principal_id IS NULL)
                       THEN 'the user name belongs to another user'
                  END AS reason
             FROM unnest($1::text[], $2::text[], $3::text[], $5::integer[], $7::boolean[])
                    WITH ORDINALITY AS r (user_id, user_name_key, organization_id, organization_place, is_name_given, place)
            CROSS JOIN (SELECT ${globalNames('$6')} AS names) global_in
             LEFT JOIN LATERAL (SELECT * FROM directory.principal WHERE principal_id = r.user_id LIMIT 1) p ON true
             LEFT JOIN LATERAL (SELECT * FROM directory.account
                                 WHERE user_id = r.user_id AND p.principal_id IS NOT NULL LIMIT 1) a ON true
             LEFT JOIN LATERAL (SELECT user_id FROM directory.account
                                 WHERE organization_id = r.organization_id AND user_name_key = r.user_name_key AND user_id <> r.user_id
                                 LIMIT 1) same ON true
             LEFT JOIN LATERAL (SELECT user_id FROM directory.account
                                 WHERE user_name_key = r.user_name_key AND user_name_is_global AND user_id <> r.user_id
                                 LIMIT 1) global ON global_in.names[r.organization_place]
            WHERE p.principal_id IS NOT NULL OR same.user_id IS NOT NULL OR global.user_id IS NOT NULL`,
    values: [
      rows.map(({ user_id }) => user_id),
      rows.map(({ user_name_key }) => user_name_key),
      organizationIds,
      rows[0]?.kind ?? null,
      organizations.places,
      organizations.ids,
      rows.map(({ isNameGiven }) => isNameGiven),
    ],
  })
  return toConflicts(found.rows)
}

/** Each organization once, and the place there of each record's, from 1 on. */
function placedOrganizations(organizationIds: readonly string[]) {
  const ids = [...new Set(organizationIds)]
  const placeOf = new Map(ids.map((id, at) => [id, at + 1]))
  return { ids, places: organizationIds.map((id) => placeOf.get(id) ?? 0) }
}

/** Whether user names are global, by the places of these organizations: once for each, not for each record. */
const globalNames = (ids: string) =>
  `ARRAY(SELECT directory.user_names_are_global(o.id)
           FROM unnest(${ids}::text[]) WITH ORDINALITY AS o (id, place) ORDER BY o.place)`

/** Adds accounts that are new. */
export async function addAccounts(
  tx: Queryable,
  rows: readonly AccountRow[],
  { acceptedAt, organizationIds }: BatchContext,
): Promise<void> {
  const { ids, places } = placedOrganizations(organizationIds)
  const placed = rows.map((row, index) => ({
    ...row,
    organization_id: organizationIds[index],
    organization_place: places[index],
  }))
  await writeColumns(tx, ADD_ACCOUNTS, placed, acceptedAt, ids)
}

const ACCOUNT_TEXTS = [
  'user_name',
  'user_name_key',
  'state',
  ...PERSON_COLUMNS,
  'email',
  'email_key',
  'phone_number',
] as const
const TEXTS = Object.fromEntries(ACCOUNT_TEXTS.map((column) => [column, 'text'])) as Readonly<
  Record<(typeof ACCOUNT_TEXTS)[number], ColumnType>
>
const ACCOUNT_COLUMNS = {
  user_id: 'text',
  kind: 'text',
  ...TEXTS,
  email_verified: 'boolean',
  phone_number_verified: 'boolean',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const satisfies Readonly<Record<keyof AccountRow, ColumnType>>
const NEW_ACCOUNT_COLUMNS = {
  ...ACCOUNT_COLUMNS,
  organization_id: 'text',
  organization_place: 'integer',
} as const satisfies Readonly<Record<string, ColumnType>>
/** A parameter behind columns. */
const behind = (columns: object, place: number) => `$${Object.keys(columns).length + place}`
const [NEW_ACCEPTED_AT, NEW_ORGANIZATIONS] = [behind(NEW_ACCOUNT_COLUMNS, 1), behind(NEW_ACCOUNT_COLUMNS, 2)]

const ADD_ACCOUNTS = {
  name: 'transfer.account.add',
  columns: NEW_ACCOUNT_COLUMNS,
  text: `INSERT INTO directory.account (user_id, kind, organization_id, ${ACCOUNT_TEXTS.join(', ')}, email_verified,
                                        phone_number_verified, created_at, updated_at, user_name_is_global)
         SELECT user_id, kind, organization_id, ${ACCOUNT_TEXTS.join(', ')}, email_verified, phone_number_verified,
                coalesce(created_at, ${NEW_ACCEPTED_AT}), coalesce(updated_at, ${NEW_ACCEPTED_AT}),
                (${globalNames(NEW_ORGANIZATIONS)})[organization_place]
           FROM ${unnested(NEW_ACCOUNT_COLUMNS)}`,
}

const CHANGED_ACCOUNT_COLUMNS = { ...ACCOUNT_COLUMNS, [GIVEN]: 'text' } as const
const CHANGED_AT = behind(CHANGED_ACCOUNT_COLUMNS, 1)
const givenColumns = `string_to_array(r.${GIVEN}, ' ')`

/** The proof of an address or a number does not hold for another one. */
const proven = (flag: string, column: string) =>
  `CASE WHEN '${flag}' = ANY (${givenColumns}) THEN r.${flag}
        WHEN '${column}' = ANY (${givenColumns}) AND r.${column} IS DISTINCT FROM t.${column} THEN false
        ELSE t.${flag} END`
const PROVEN: Readonly<Record<string, string>> = {
  email_verified: proven('email_verified', 'email_key'),
  phone_number_verified: proven('phone_number_verified', 'phone_number'),
}

const changeStatement = (name: string, columns: readonly string[]) => {
  const values = columns.map((column) => PROVEN[column] ?? orStored(column, givenColumns))
  return {
    name, // primary key
    columns: CHANGED_ACCOUNT_COLUMNS,
    text: `UPDATE directory.account t
              SET ${columns.map((column, at) => `${column} = ${values[at]}`).join(', ')},
                  updated_at = coalesce(r.updated_at, ${CHANGED_AT})
             FROM ${unnested(CHANGED_ACCOUNT_COLUMNS)}
            WHERE t.user_id = r.user_id
              AND (${columns.map((column) => `t.${column}`).join(', ')}) IS DISTINCT FROM (${values.join(', ')})`,
  }
}
const CHANGE_PEOPLE = changeStatement('transfer.account.change', [
  ...ACCOUNT_TEXTS,
  'email_verified',
  'phone_number_verified',
])
const CHANGE_SERVICE_USERS = changeStatement('transfer.service_account.change', [
  'user_name',
  'user_name_key',
  'state',
  'display_name',
])

/** Changes the given columns of accounts of one kind. */
export async function changeAccounts(
  tx: Queryable,
  rows: readonly GivenAccount[],
  acceptedAt: Date,
): Promise<void> {
  const statement = rows[0]?.kind === 'human' ? CHANGE_PEOPLE : CHANGE_SERVICE_USERS
  const given = rows.map((row) => ({ ...row, [GIVEN]: Object.keys(withoutUndefined(row)).join(' ') }))
  await writeColumns(tx, statement, given, acceptedAt)
}
