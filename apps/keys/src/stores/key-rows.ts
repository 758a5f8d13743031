import type { Queryable } from '@signet/platform/postgres/pool'
import type { KeySnapshot, StoredKey } from '../rotation/key-storage.ts'

interface KeyRow {
  readonly kid: string
  readonly ring: StoredKey['ring']
  readonly algorithm: StoredKey['algorithm']
  readonly state: StoredKey['state']
  readonly announced_at: Date
  readonly active_at: Date
  readonly retire_at: Date
  readonly remove_at: Date
  readonly forget_at: Date
  readonly revoked_at: Date | null
  readonly public_jwk: StoredKey['publicJwk'] | null
  readonly sealed_secret: string | null
}

/** One statement, so that the revision belongs to the keys that it comes with. */
export async function readSnapshot(from: Queryable): Promise<KeySnapshot> {
  const { rows } = await from.query<{ revision: number } & (KeyRow | { readonly kid: null })>({
    name: 'ring_key.read_all', // some sixty rows, the whole table
    text: `SELECT revision, kid, ring, algorithm, state, announced_at, active_at, retire_at, remove_at, forget_at,
                  revoked_at, public_jwk, sealed_secret
             FROM keys.ring_revision LEFT JOIN keys.ring_key ON true`,
  })
  const keys = rows.flatMap((row) => (row.kid === null ? [] : [storedKey(row)]))
  return { revision: rows[0]?.revision ?? 0, keys }
}

function storedKey(row: KeyRow): StoredKey {
  return {
    kid: row.kid,
    ring: row.ring,
    algorithm: row.algorithm,
    state: row.state,
    announcedAt: row.announced_at,
    activeAt: row.active_at,
    retireAt: row.retire_at,
    removeAt: row.remove_at,
    forgetAt: row.forget_at,
    ...(row.revoked_at !== null && { revokedAt: row.revoked_at }),
    publicJwk: row.public_jwk ?? undefined,
    sealedSecret: row.sealed_secret ?? undefined,
  }
}
