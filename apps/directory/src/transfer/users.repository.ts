import { isDeepStrictEqual } from 'node:util'
import type { RecordOf } from '@signet/file-formats/export/lists'
import type { Queryable } from '@signet/platform/postgres/pool'
import { IDENTIFIER } from '@signet/tokens/identifiers'
import { isReservedByTombstone } from '../accounts/account.repository.ts'
import { type Authenticator, openAuthenticators, sealAuthenticators } from '../credentials/totp.ts'
import { secretRows } from './application-rows.ts'
import { type CarriedSealing, writeCarried } from './carried.repository.ts'
import type { BatchContext, TypedWriter } from './record-writer.ts'
import {
  type ColumnType,
  type ConflictRow,
  setSecrets,
  toConflicts,
  unnested,
  writeColumns,
  writeRows,
} from './statements.repository.ts'
import {
  type AccountRow,
  authenticatorsOf,
  humanUserExtras,
  humanUserRow,
  machineUserExtras,
  machineUserRow,
  PERSON_COLUMNS,
  userNotes,
} from './user-rows.ts'

export function humanUserWriter(sealing: CarriedSealing): TypedWriter<RecordOf<'humanUsers'>> {
  const writeParts = async (
    tx: Queryable,
    users: readonly RecordOf<'humanUsers'>[],
    { organizationId }: BatchContext,
    isUpdate: boolean,
  ) => {
    const before = isUpdate
      ? await findAuthenticators(tx, sealing.masterKeys, users)
      : new Map<string, readonly Authenticator[] | undefined>()
    const seeds = users.flatMap(({ userId, user }) => {
      const authenticators = authenticatorsOf(user)
      // Sealed again equal ones would look like a change.
      if (authenticators.length === 0 || isEqual(before.get(userId), authenticators)) return []
      const sealed = sealAuthenticators(sealing.masterKeys, userId, authenticators, sealing.random)
      return [{ user_id: userId, sealed_seed: sealed.toString('base64') }]
    })
    await writeRows(tx, SET_TOTP_SEEDS, seeds)
    const extras = users.map((user) => {
      const { userId } = user
      return { list: 'humanUsers', key: userId, userId, content: humanUserExtras(user) }
    })
    await writeCarried(tx, sealing, organizationId, extras)
  }
  return {
    findConflicts: (tx, users, context) => findAccountConflicts(tx, users.map(humanUserRow), context),
    async insert(tx, users, context) {
      await writeColumns(
        tx,
        ADD_ACCOUNTS,
        users.map(humanUserRow),
        context.acceptedAt,
        context.organizationId,
      )
      await writeColumns(tx, ADD_PASSWORDS, passwordRows(users), context.acceptedAt)
      await writeParts(tx, users, context, false)
    },
    async update(tx, users, context) {
      await writeColumns(tx, CHANGE_ACCOUNTS, users.map(humanUserRow), context.acceptedAt)
      await writeColumns(tx, SET_PASSWORDS, passwordRows(users), context.acceptedAt)
      await writeParts(tx, users, context, true)
    },
    notes: async (users, tx, { organizationId }) => [
      ...userNotes(users, organizationId),
      ...(await sharedEmailNotes(users, tx)),
    ],
  }
}

function passwordRows(users: readonly RecordOf<'humanUsers'>[]) {
  return users.flatMap(({ userId, user, changeDate }) => {
    const hash = user.hashedPassword?.value
    const change_required = user.passwordChangeRequired ?? false
    return hash === undefined ? [] : [{ user_id: userId, hash, changed_at: changeDate, change_required }]
  })
}

export function machineUserWriter(sealing: CarriedSealing): TypedWriter<RecordOf<'machineUsers'>> {
  const writeParts = async (
    tx: Queryable,
    users: readonly RecordOf<'machineUsers'>[],
    { organizationId }: BatchContext,
  ) => {
    const rows = users.map(({ userId, user, clientId, accessTokenSigningAlg }) => ({
      user_id: userId,
      client_id: clientId,
      user_name: user.userName.trim(),
      access_token_type: user.accessTokenType === 'ACCESS_TOKEN_TYPE_JWT' ? 'jwt' : 'bearer',
      access_token_signing_alg: accessTokenSigningAlg ?? 'RS256',
    }))
    await writeRows(tx, SET_SERVICE_USERS, rows, organizationId, IDENTIFIER.source)
    const secrets = users.flatMap((user) => secretRows(user.userId, user))
    await writeRows(tx, SET_SECRETS, secrets)
    const extras = users.map((user) => {
      const { userId } = user
      return { list: 'machineUsers', key: userId, userId, content: machineUserExtras(user) }
    })
    await writeCarried(tx, sealing, organizationId, extras)
  }
  return {
    async findConflicts(tx, users, context) {
      const conflicts = new Map(await findAccountConflicts(tx, users.map(machineUserRow), context))
      const { rows } = await tx.query<ConflictRow>({
        name: 'transfer.service_user.fates', // primary key
        text: `SELECT r.place, 'the client id belongs to another user, service user or application' AS reason
                 FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (user_id, client_id, place)
                 JOIN directory.principal p ON p.principal_id = r.client_id
                WHERE p.owner_kind <> 'account' OR p.owner_id <> r.user_id`,
        values: [users.map(({ userId }) => userId), users.map(({ clientId }) => clientId ?? null)],
      })
      for (const [index, conflict] of toConflicts(rows)) conflicts.set(index, conflict)
      return conflicts
    },
    async insert(tx, users, context) {
      await writeColumns(
        tx,
        ADD_ACCOUNTS,
        users.map(machineUserRow),
        context.acceptedAt,
        context.organizationId,
      )
      await writeParts(tx, users, context)
    },
    async update(tx, users, context) {
      await writeColumns(tx, CHANGE_SERVICE_USERS, users.map(machineUserRow), context.acceptedAt)
      await writeParts(tx, users, context)
    },
  }
}

async function findAccountConflicts(
  tx: Queryable,
  rows: readonly AccountRow[],
  { organizationId }: BatchContext,
): ReturnType<TypedWriter<unknown>['findConflicts']> {
  // LIMIT makes each of them a look-up by a key: joined, all users of the organization would be read for every batch.
  const found = await tx.query<ConflictRow>({
    name: 'transfer.account.fates', // primary keys of principal and account, account_user_name, account_global_user_name
    text: `SELECT r.place,
                  CASE WHEN p.owner_kind = 'application' OR p.owner_id <> r.user_id
                       THEN 'the id belongs to another user, service user or application'
                       WHEN a.kind <> $4 THEN 'the id belongs to a user of another kind'
                       WHEN a.organization_id <> $3 THEN 'the user belongs to another organization'
                       WHEN same.user_id IS NOT NULL OR global.user_id IS NOT NULL
                       THEN 'the user name belongs to another user'
                  END AS reason
             FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (user_id, user_name_key, place)
            CROSS JOIN (SELECT directory.user_names_are_global($3) AS names) global_in
             LEFT JOIN LATERAL (SELECT * FROM directory.principal WHERE principal_id = r.user_id LIMIT 1) p ON true
             LEFT JOIN LATERAL (SELECT * FROM directory.account
                                 WHERE user_id = r.user_id AND p.principal_id IS NOT NULL LIMIT 1) a ON true
             LEFT JOIN LATERAL (SELECT user_id FROM directory.account
                                 WHERE organization_id = $3 AND user_name_key = r.user_name_key AND user_id <> r.user_id
                                 LIMIT 1) same ON true
             LEFT JOIN LATERAL (SELECT user_id FROM directory.account
                                 WHERE user_name_key = r.user_name_key AND user_name_is_global AND user_id <> r.user_id
                                 LIMIT 1) global ON global_in.names
            WHERE p.principal_id IS NOT NULL OR same.user_id IS NOT NULL OR global.user_id IS NOT NULL`,
    values: [
      rows.map(({ user_id }) => user_id),
      rows.map(({ user_name_key }) => user_name_key),
      organizationId,
      rows[0]?.kind ?? null,
    ],
  })
  return toConflicts(found.rows)
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
/** The parameters behind the columns. */
const [ACCEPTED_AT, ORGANIZATION] = [1, 2].map((place) => `$${Object.keys(ACCOUNT_COLUMNS).length + place}`)

const ADD_ACCOUNTS = {
  name: 'transfer.account.add',
  columns: ACCOUNT_COLUMNS,
  text: `INSERT INTO directory.account (user_id, kind, organization_id, ${ACCOUNT_TEXTS.join(', ')}, email_verified,
                                        phone_number_verified, created_at, updated_at, user_name_is_global)
         SELECT user_id, kind, ${ORGANIZATION}::text, ${ACCOUNT_TEXTS.join(', ')}, email_verified, phone_number_verified,
                coalesce(created_at, ${ACCEPTED_AT}), coalesce(updated_at, ${ACCEPTED_AT}),
                (SELECT directory.user_names_are_global(${ORGANIZATION}::text))
           FROM ${unnested(ACCOUNT_COLUMNS)}`,
}

const changeAccounts = (name: string, columns: readonly string[]) => ({
  name, // primary key
  columns: ACCOUNT_COLUMNS,
  text: `UPDATE directory.account a
            SET ${columns.map((column) => `${column} = r.${column}`).join(', ')},
                updated_at = coalesce(r.updated_at, ${ACCEPTED_AT})
           FROM ${unnested(ACCOUNT_COLUMNS)}
          WHERE a.user_id = r.user_id
            AND (${columns.map((column) => `a.${column}`).join(', ')})
                IS DISTINCT FROM (${columns.map((column) => `r.${column}`).join(', ')})`,
})
const CHANGE_ACCOUNTS = changeAccounts('transfer.account.change', [
  ...ACCOUNT_TEXTS,
  'email_verified',
  'phone_number_verified',
])
const CHANGE_SERVICE_USERS = changeAccounts('transfer.service_account.change', [
  'user_name',
  'user_name_key',
  'state',
  'display_name',
])

const PASSWORD_COLUMNS = {
  user_id: 'text',
  hash: 'text',
  changed_at: 'timestamptz',
  change_required: 'boolean',
} as const

/** A user who is new has no password yet, which saves looking for one. */
const ADD_PASSWORDS = {
  name: 'transfer.account_password.add',
  columns: PASSWORD_COLUMNS,
  text: `INSERT INTO directory.account_password AS p (user_id, hash, changed_at, change_required)
         SELECT user_id, hash, coalesce(changed_at, $5), change_required FROM ${unnested(PASSWORD_COLUMNS)}`,
}

const SET_PASSWORDS = {
  name: 'transfer.account_password.set', // primary key
  columns: PASSWORD_COLUMNS,
  text: `${ADD_PASSWORDS.text}
             ON CONFLICT (user_id) DO UPDATE
            SET hash = excluded.hash, change_required = excluded.change_required,
                changed_at = CASE WHEN p.hash <> excluded.hash THEN excluded.changed_at ELSE p.changed_at END
          WHERE p.hash <> excluded.hash OR p.change_required <> excluded.change_required`,
}

const SET_TOTP_SEEDS = {
  name: 'transfer.account_totp.set', // primary key
  text: `INSERT INTO directory.account_totp (user_id, sealed_seed)
         SELECT user_id, decode(sealed_seed, 'base64') FROM json_to_recordset($1::json) AS r (user_id text, sealed_seed text)
             ON CONFLICT (user_id) DO UPDATE SET sealed_seed = excluded.sealed_seed`,
}

async function findAuthenticators(
  tx: Queryable,
  masterKeys: readonly Buffer[],
  users: readonly RecordOf<'humanUsers'>[],
): Promise<ReadonlyMap<string, readonly Authenticator[] | undefined>> {
  const ids = users.flatMap(({ userId, user }) => (authenticatorsOf(user).length === 0 ? [] : [userId]))
  if (ids.length === 0) return new Map()
  const { rows } = await tx.query<{ userId: string; sealed: Buffer }>({
    name: 'transfer.account_totp.find', // primary key
    text: `SELECT user_id AS "userId", sealed_seed AS sealed FROM directory.account_totp WHERE user_id = ANY ($1::text[])`,
    values: [ids],
  })
  return new Map(rows.map(({ userId, sealed }) => [userId, openAuthenticators(masterKeys, userId, sealed)]))
}

const isEqual = (one: unknown, other: unknown): boolean =>
  one !== undefined && isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)))

/** docs/spec 4.2: the default client id is the user name; where that is taken, userName@primaryDomain. */
const SET_SERVICE_USERS = {
  name: 'transfer.service_user.set', // primary keys
  text: `INSERT INTO directory.service_user AS u (user_id, client_id, access_token_type, access_token_signing_alg)
         SELECT r.user_id,
                coalesce(r.client_id,
                  (SELECT candidate FROM (VALUES (1, r.user_name), (2, r.user_name || '@' || o.primary_domain)) c (rank, candidate)
                    WHERE candidate ~ $3 AND candidate NOT IN ('signet', 'zitadel')
                      AND NOT EXISTS (SELECT FROM directory.principal p
                                       WHERE p.principal_id = candidate AND p.owner_id <> r.user_id)
                      AND NOT directory.is_foreign_project(candidate, $2)
                      AND NOT ${isReservedByTombstone('candidate', '$2', 'true')}
                    ORDER BY rank LIMIT 1)),
                r.access_token_type, r.access_token_signing_alg
           FROM json_to_recordset($1::json)
             AS r (user_id text, client_id text, user_name text, access_token_type text, access_token_signing_alg text)
           JOIN directory.organization o ON o.organization_id = $2
             ON CONFLICT (user_id) DO UPDATE
            SET access_token_type = excluded.access_token_type,
                access_token_signing_alg = excluded.access_token_signing_alg`,
}

const SET_SECRETS = setSecrets('service_user_secret', 'user_id')

/** A verified e-mail signs in while one account has it. */
async function sharedEmailNotes(
  users: readonly RecordOf<'humanUsers'>[],
  tx: Queryable,
): Promise<readonly string[]> {
  const ids = users.flatMap(({ userId, user }) => (user.email?.isEmailVerified === true ? [userId] : []))
  if (ids.length === 0) return []
  const { rows } = await tx.query<{ count: number }>({
    name: 'transfer.account.shared_emails', // primary key, account_verified_email
    text: `SELECT count(*)::int AS count FROM directory.account a
            WHERE a.user_id = ANY ($1::text[]) AND a.email_verified
              AND EXISTS (SELECT FROM directory.account b
                           WHERE b.email_key = a.email_key AND b.email_verified AND b.user_id <> a.user_id)`,
    values: [ids],
  })
  const count = rows[0]?.count ?? 0
  if (count === 0) return []
  return [
    `${count} people have a verified e-mail address that another account has: it signs neither of them in`,
  ]
}
