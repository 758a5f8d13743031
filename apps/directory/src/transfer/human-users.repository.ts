import { isDeepStrictEqual } from 'node:util'
import type { RecordOf } from '@signet/file-formats/export/lists'
import type { Queryable } from '@signet/platform/postgres/pool'
import { type CarriedSealing, writeCarried } from '../carried/carried.repository.ts'
import { type Authenticator, openAuthenticators, sealAuthenticators } from '../credentials/totp.ts'
import { unnested, writeColumns, writeRows } from '../database/import-table.repository.ts'
import { addAccounts, changeAccounts, findAccountConflicts } from './accounts.repository.ts'
import { addPasskeys, passkeyNotes } from './passkeys.repository.ts'
import type { BatchContext, TypedWriter } from './record-writer.ts'
import {
  authenticatorsOf,
  humanUserExtras,
  humanUserKey,
  humanUserRow,
  newHumanUserRow,
  userNotes,
} from './user-rows.ts'

export interface HumanUserSettings extends CarriedSealing {
  /** The relying party of passkeys; undefined when the instance has none. */
  readonly rpId: string | undefined
}

export function humanUserWriter({
  rpId,
  ...sealing
}: HumanUserSettings): TypedWriter<RecordOf<'humanUsers'>> {
  const writeParts = async (
    tx: Queryable,
    users: readonly RecordOf<'humanUsers'>[],
    { organizationIds }: BatchContext,
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
    const extras = users.map((user, index) => {
      const { userId } = user
      const organizationId = organizationIds[index] ?? ''
      return { organizationId, list: 'humanUsers', key: userId, userId, content: humanUserExtras(user) }
    })
    await writeCarried(tx, sealing, extras)
  }
  return {
    findConflicts(tx, users, context) {
      return findAccountConflicts(tx, users.map(humanUserKey), context)
    },
    async insert(tx, users, context) {
      await addAccounts(tx, users.map(newHumanUserRow), context)
      await writeColumns(tx, ADD_PASSWORDS, passwordRows(users), context.acceptedAt)
      await writeParts(tx, users, context, false)
      await addPasskeys(tx, rpId, users)
    },
    async update(tx, users, context) {
      await changeAccounts(tx, users.map(humanUserRow), context.acceptedAt)
      await writeColumns(tx, SET_PASSWORDS, passwordRows(users), context.acceptedAt)
      await writeRows(tx, SET_CHANGE_REQUIRED, users.flatMap(changeRequiredRows))
      await writeParts(tx, users, context, true)
    },
    notes: async (users, tx, { organizationIds }) => [
      ...userNotes(users, organizationIds),
      ...(await sharedEmailNotes(users, tx)),
      ...(await sharedNameNotes(users, tx, organizationIds)),
      ...(await passkeyNotes(tx, rpId, users)),
    ],
  }
}

function passwordRows(users: readonly RecordOf<'humanUsers'>[]) {
  return users.flatMap(({ userId, user, changeDate }) => {
    const hash = user.hashedPassword?.value
    const change_required = user.passwordChangeRequired
    return hash === undefined ? [] : [{ user_id: userId, hash, changed_at: changeDate, change_required }]
  })
}

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
         SELECT user_id, hash, coalesce(changed_at, $5), coalesce(change_required, false) FROM ${unnested(PASSWORD_COLUMNS)}`,
}

const SET_PASSWORDS = {
  name: 'transfer.account_password.set', // primary key
  columns: PASSWORD_COLUMNS,
  text: `INSERT INTO directory.account_password AS p (user_id, hash, changed_at, change_required)
         SELECT user_id, r.hash, coalesce(r.changed_at, $5), coalesce(r.change_required, t.change_required, false)
           FROM ${unnested(PASSWORD_COLUMNS)} LEFT JOIN directory.account_password t USING (user_id)
             ON CONFLICT (user_id) DO UPDATE
            SET hash = excluded.hash, change_required = excluded.change_required,
                changed_at = CASE WHEN p.hash <> excluded.hash THEN excluded.changed_at ELSE p.changed_at END
          WHERE p.hash <> excluded.hash OR p.change_required <> excluded.change_required`,
}

/** Returns the row of a person whose record brings no hash: whether the stored password has to be changed. */
const changeRequiredRows = ({ userId, user }: RecordOf<'humanUsers'>) =>
  user.hashedPassword !== undefined || user.passwordChangeRequired === undefined
    ? []
    : [{ user_id: userId, change_required: user.passwordChangeRequired }]

const SET_CHANGE_REQUIRED = {
  name: 'transfer.account_password.set_change_required', // primary key
  text: `UPDATE directory.account_password t SET change_required = r.change_required
           FROM json_to_recordset($1::json) AS r (user_id text, change_required boolean)
          WHERE t.user_id = r.user_id AND t.change_required <> r.change_required`,
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

/** A verified e-mail signs in where it finds one account. */
async function sharedEmailNotes(
  users: readonly RecordOf<'humanUsers'>[],
  tx: Queryable,
): Promise<readonly string[]> {
  const ids = users.flatMap(({ userId, user }) => (user.email?.isEmailVerified === true ? [userId] : []))
  if (ids.length === 0) return []
  const { rows } = await tx.query<{ count: number }>({
    name: 'transfer.account.shared_emails', // primary key, account_email
    // OFFSET and LIMIT keep the planner from a join of every person with every other: where no account had a verified address
    // before, its statistics say that the index is empty.
    text: `SELECT count(*)::int AS count FROM unnest($1::text[]) AS r (id)
            CROSS JOIN LATERAL (SELECT a.email_key, a.email_verified FROM directory.account a
                                 WHERE a.user_id = r.id OFFSET 0) a
            CROSS JOIN LATERAL (SELECT FROM directory.account b
                                 WHERE b.email_key = a.email_key AND b.email_verified AND b.user_id <> r.id LIMIT 1) other
            WHERE a.email_verified`,
    values: [ids],
  })
  const count = rows[0]?.count ?? 0
  if (count === 0) return []
  return [
    `${count} people have a verified e-mail address that another account has: where both could sign in, it signs in neither`,
  ]
}

/** A user name alone is looked for in the organization of the application first. */
async function sharedNameNotes(
  users: readonly RecordOf<'humanUsers'>[],
  tx: Queryable,
  organizationIds: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await tx.query<{ organizationId: string; domain: string; count: number }>({
    name: 'transfer.account.shared_names', // account_user_name, primary key of organization
    text: `SELECT r.organization_id AS "organizationId", o.primary_domain AS domain, count(*)::int AS count
             FROM unnest($1::text[], $2::text[]) AS r (name, organization_id)
             JOIN directory.organization o USING (organization_id)
            CROSS JOIN LATERAL (SELECT FROM directory.account b
                                 WHERE b.user_name_key = r.name AND b.organization_id <> r.organization_id
                                   AND b.kind = 'human' LIMIT 1) other
            GROUP BY r.organization_id, o.primary_domain`,
    values: [users.map((user) => humanUserKey(user).user_name_key), organizationIds],
  })
  return rows.map(
    ({ organizationId, domain, count }) =>
      `${count} people of organization ${organizationId} have a user name that people of other organizations have too: it signs them in at applications of their own organization; elsewhere they type userName@${domain}`,
  )
}
