import type { AuditEvent } from '@signet/admin-api/audit/audit-trail'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import type {
  KeyChanges,
  KeyPulse,
  KeySnapshot,
  KeyStore,
  ResealedSecret,
  StoredKey,
} from '../rotation/key-storage.ts'
import { trail } from './audit-trail.ts'
import { readSnapshot } from './key-rows.ts'
import { writeKeyChanges } from './write-key-changes.ts'

const LEADER_LOCK = 7_331_101

export class PostgresKeyStore implements KeyStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async pulse(): Promise<KeyPulse> {
    const { rows } = await this.#database.query<KeyPulse>({
      name: 'ring_revision.read', // one row, and the whole of a table of some sixty rows
      text: `SELECT revision, ARRAY(SELECT kid FROM keys.ring_key
                                     WHERE revoked_at IS NOT NULL AND revocation_published_at IS NULL) AS unpublished
               FROM keys.ring_revision`,
    })
    return rows[0] ?? { revision: 0, unpublished: [] }
  }

  read(): Promise<KeySnapshot> {
    return readSnapshot(this.#database)
  }

  async revokedElsewhere(): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ kid: string }>({
      // the whole of a table of some sixty rows; the primary key of grants.revoked_key
      name: 'ring_key.revoked_elsewhere',
      text: `SELECT k.kid FROM keys.ring_key k
              WHERE k.revoked_at IS NULL
                AND EXISTS (SELECT FROM grants_read.revocation_v1 r WHERE r.kind = 'k' AND r.id = k.kid)`,
    })
    return rows.map(({ kid }) => kid)
  }

  lead(
    decide: (keys: readonly StoredKey[]) => Promise<KeyChanges>,
    { wait }: { readonly wait: boolean },
  ): Promise<'led' | 'led elsewhere'> {
    return this.#database.transaction(async (tx) => {
      if (!(await takeLead(tx, wait))) return 'led elsewhere'
      const { keys, revision } = await readSnapshot(tx)
      await writeKeyChanges(tx, await decide(keys), revision)
      return 'led'
    })
  }

  reseal(
    decide: (keys: readonly StoredKey[]) => Promise<readonly ResealedSecret[]>,
    event: (count: number) => AuditEvent,
  ): Promise<void> {
    return this.#database.transaction(async (tx) => {
      await takeLead(tx, true)
      const resealed = await decide((await readSnapshot(tx)).keys)
      for (const { kid, sealedSecret } of resealed) {
        await tx.query({
          name: 'ring_key.reseal', // primary key
          text: 'UPDATE keys.ring_key SET sealed_secret = $2 WHERE kid = $1',
          values: [kid, sealedSecret],
        })
      }
      await trail.record(tx, event(resealed.length))
    })
  }

  async markPublished(kids: readonly string[]): Promise<void> {
    await this.#database.query({
      name: 'ring_key.mark_published', // primary key
      text: 'UPDATE keys.ring_key SET revocation_published_at = now() WHERE kid = ANY($1)',
      values: [kids],
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
