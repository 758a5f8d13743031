import type { Database, Queryable } from '@signet/postgres/pool'
import type { KeyChanges, KeySnapshot, KeyStore, StoredKey } from '../rotation/key-storage.ts'

const LEADER_LOCK = 7_331_101

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
  readonly public_jwk: StoredKey['publicJwk'] | null
  readonly sealed_secret: string | null
}

export class PostgresKeyStore implements KeyStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async revision(): Promise<number> {
    const { rows } = await this.#database.query<{ revision: number }>({
      name: 'ring_revision.read', // primary key
      text: 'SELECT revision FROM keys.ring_revision',
    })
    return rows[0]?.revision ?? 0
  }

  read(): Promise<KeySnapshot> {
    return readSnapshot(this.#database)
  }

  lead(
    decide: (keys: readonly StoredKey[]) => Promise<KeyChanges>,
    { wait }: { readonly wait: boolean },
  ): Promise<'led' | 'led elsewhere'> {
    return this.#database.transaction(async (tx) => {
      if (!(await takeLead(tx, wait))) return 'led elsewhere'
      const { keys } = await readSnapshot(tx)
      await write(tx, await decide(keys))
      return 'led'
    })
  }
}

async function takeLead(tx: Queryable, wait: boolean): Promise<boolean> {
  if (wait) {
    await tx.query({
      name: 'ring_key.wait_lead',
      text: 'SELECT pg_advisory_xact_lock($1)',
      values: [LEADER_LOCK],
    })
    return true
  }
  const { rows } = await tx.query<{ leads: boolean }>({
    name: 'ring_key.try_lead',
    text: 'SELECT pg_try_advisory_xact_lock($1) AS leads',
    values: [LEADER_LOCK],
  })
  return rows[0]?.leads === true
}

/** One statement, so that the revision belongs to the keys that it comes with. */
async function readSnapshot(from: Queryable): Promise<KeySnapshot> {
  const { rows } = await from.query<{ revision: number } & (KeyRow | { readonly kid: null })>({
    name: 'ring_key.read_all', // some forty rows, the whole table
    text: `SELECT revision, kid, ring, algorithm, state, announced_at, active_at, retire_at, remove_at, forget_at,
                  public_jwk, sealed_secret
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
    publicJwk: row.public_jwk ?? undefined,
    sealedSecret: row.sealed_secret ?? undefined,
  }
}

async function write(tx: Queryable, { forget, change, create }: KeyChanges): Promise<void> {
  if (create.length + change.length + forget.length === 0) return
  await tx.query({
    name: 'ring_key.forget', // primary key
    text: 'DELETE FROM keys.ring_key WHERE kid = ANY($1)',
    values: [forget],
  })
  for (const key of change) {
    await tx.query({
      name: 'ring_key.change', // primary key
      text: `UPDATE keys.ring_key
                SET state = $2, active_at = $3, retire_at = $4, remove_at = $5, forget_at = $6,
                    sealed_secret = CASE WHEN $2 IN ('removed', 'verify-only') THEN NULL ELSE sealed_secret END
              WHERE kid = $1`,
      values: [key.kid, key.state, key.activeAt, key.retireAt, key.removeAt, key.forgetAt],
    })
  }
  for (const key of create) {
    await tx.query({
      name: 'ring_key.create',
      text: `INSERT INTO keys.ring_key (kid, ring, algorithm, state, announced_at, active_at, retire_at, remove_at,
                                        forget_at, public_jwk, sealed_secret)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      values: [
        ...[key.kid, key.ring, key.algorithm, key.state, key.announcedAt, key.activeAt, key.retireAt],
        ...[key.removeAt, key.forgetAt, key.publicJwk ?? null, key.sealedSecret ?? null],
      ],
    })
  }
  await tx.query({
    name: 'ring_revision.raise',
    text: 'UPDATE keys.ring_revision SET revision = revision + 1',
  })
}
