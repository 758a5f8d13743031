import type { RecordOf } from '@signet/file-formats/export/lists'
import type { Queryable } from '@signet/platform/postgres/pool'
import { writeRows } from '../database/import-table.repository.ts'

type HumanUser = RecordOf<'humanUsers'>

const passkeysIn = (users: readonly HumanUser[]) =>
  users.flatMap(({ userId, user }) =>
    (user.passkeys?.credentials ?? []).map((passkey) => ({ userId, passkey })),
  )

const base64 = (text: string): string => Buffer.from(text, 'base64url').toString('base64')

/**
 * Adds the passkeys of new users that were made for this relying party. A handle, passkey or credential that another user has
 * stays with that user.
 */
export async function addPasskeys(
  tx: Queryable,
  rpId: string | undefined,
  users: readonly HumanUser[],
): Promise<void> {
  const passkeys = passkeysIn(users).filter(({ passkey }) => passkey.rpId === rpId)
  if (passkeys.length === 0) return
  const owners = new Set(passkeys.map(({ userId }) => userId))
  await writeRows(
    tx,
    ADD_HANDLES,
    users.flatMap(({ userId, user }) =>
      user.passkeys && owners.has(userId) ? [{ user_id: userId, handle: base64(user.passkeys.handle) }] : [],
    ),
  )
  await writeRows(
    tx,
    ADD_PASSKEYS,
    passkeys.map(({ userId, passkey }) => ({
      user_id: userId,
      passkey_id: passkey.passkeyId,
      rp_id: passkey.rpId,
      credential_id: base64(passkey.credentialId),
      public_key: base64(passkey.publicKey),
      counter: passkey.counter,
      transports: passkey.transports,
      aaguid: passkey.aaguid,
      name: passkey.name,
      backup_eligible: passkey.backupEligible ?? false,
      backed_up: passkey.backedUp ?? false,
      created_at: passkey.creationDate,
      last_used_at: passkey.lastUseDate,
      cloned_at: passkey.clonedDate,
    })),
  )
}

/** The passkeys of users that were not added, counted by the reason. */
export async function passkeyNotes(
  tx: Queryable,
  rpId: string | undefined,
  users: readonly HumanUser[],
): Promise<readonly string[]> {
  const passkeys = passkeysIn(users)
  if (passkeys.length === 0) return []
  const own = passkeys.filter(({ passkey }) => passkey.rpId === rpId)
  const foreign = passkeys.length - own.length
  const { rows } = await tx.query<{ count: number }>({
    name: 'transfer.passkey.missing', // passkey_rp_id_credential_id_key
    text: `SELECT count(*)::int AS count FROM json_to_recordset($1::json) AS r (user_id text, credential_id text)
            WHERE NOT EXISTS (SELECT FROM directory.passkey p
                               WHERE p.rp_id = $2 AND p.credential_id = decode(r.credential_id, 'base64')
                                 AND p.user_id = r.user_id)`,
    values: [
      JSON.stringify(
        own.map(({ userId, passkey }) => ({ user_id: userId, credential_id: base64(passkey.credentialId) })),
      ),
      rpId ?? null,
    ],
  })
  const missing = rows[0]?.count ?? 0
  const party = rpId === undefined ? 'this instance has no passkeys' : `this instance has the RP ID ${rpId}`
  return [
    ...(foreign > 0 ? [`${foreign} passkeys are left out: they have another RP ID, and ${party}`] : []),
    ...(missing > 0
      ? [`${missing} passkeys are left out: their user existed before, or another user has them`]
      : []),
  ]
}

const ADD_HANDLES = {
  name: 'transfer.passkey_user.add', // primary key
  text: `INSERT INTO directory.passkey_user (user_id, handle)
         SELECT user_id, decode(handle, 'base64') FROM json_to_recordset($1::json) AS r (user_id text, handle text)
             ON CONFLICT DO NOTHING`,
}

const ADD_PASSKEYS = {
  name: 'transfer.passkey.add', // primary keys
  text: `INSERT INTO directory.passkey (passkey_id, user_id, rp_id, credential_id, public_key, counter, transports, aaguid, name,
                                        backup_eligible, backed_up, created_at, last_used_at, cloned_at)
         SELECT passkey_id, user_id, rp_id, decode(credential_id, 'base64'), decode(public_key, 'base64'), counter,
                ARRAY(SELECT json_array_elements_text(transports)), aaguid, name, backup_eligible, backed_up, created_at,
                last_used_at, cloned_at
           FROM json_to_recordset($1::json) AS r (
                passkey_id text, user_id text, rp_id text, credential_id text, public_key text, counter bigint,
                transports json, aaguid uuid, name text, backup_eligible boolean, backed_up boolean,
                created_at timestamptz, last_used_at timestamptz, cloned_at timestamptz)
          WHERE EXISTS (SELECT FROM directory.passkey_user u WHERE u.user_id = r.user_id)
             ON CONFLICT DO NOTHING`,
}
