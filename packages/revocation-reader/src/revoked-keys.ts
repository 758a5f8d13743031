import type { Queryable } from '@signet/postgres/pool'
import { repeat } from '@signet/service-runtime/repeat'
import { reportingOnce } from '@signet/service-runtime/reporting-once'

/** The keys that were revoked, for who holds keys and may have lost the stream that says so. */
export interface RevokedKeys {
  /** Whether a poll has seen the revocation of this key, which it has a second after its commit. */
  has(kid: string): boolean
  /** Reads them now instead of at the next poll; rejects with the database's error. */
  poll(): Promise<void>
  stop(): Promise<void>
}

export interface RevokedKeysOptions {
  readonly database: Queryable
  /** Told once when the database stops answering. */
  readonly onProblem: (error: unknown) => void
}

const POLL_MS = 1_000

/** Reads the revocations of keys once a second; what was seen is never forgotten, since a revoked key does not return. */
export function followRevokedKeys({ database, onProblem }: RevokedKeysOptions): RevokedKeys {
  const kids = new Set<string>()

  async function poll(): Promise<void> {
    const { rows } = await database.query<{ id: string }>({
      name: 'revocation.keys', // revocation_by_id in each of the few daily partitions
      text: "SELECT id FROM grants_read.revocation_v1 WHERE kind = 'k'",
    })
    for (const { id } of rows) kids.add(id)
  }

  const reported = reportingOnce(poll, onProblem, () => undefined)
  const first = reported()
  const rounds = repeat(POLL_MS, reported, onProblem)
  return {
    has: (kid) => kids.has(kid),
    poll,
    async stop() {
      await Promise.all([first, rounds.stop()])
    },
  }
}
