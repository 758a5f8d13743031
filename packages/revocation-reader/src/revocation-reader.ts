import type { Queryable } from '@signet/postgres/pool'
import type { Redis } from '@signet/redis/client'
import type { RevocationFacts } from '@signet/token-format/revocation-facts'
import { endsMark, fillKey, type Mark, marksOf, revocationKey, shardOf } from './mirror-keys.ts'
import { createRevocationStore } from './revocation-store.ts'
import { watchServerIdentity } from './server-identity.ts'

export interface RevocationReaderOptions {
  readonly database: Queryable
  readonly redis: Redis
  /** Told when the mirror could not be asked; the answer then comes from Postgres. */
  readonly onProblem: (error: unknown) => void
}

/** Answers whether something has ended. It never writes. */
export interface RevocationReader {
  /**
   * True when a revocation of any of the facts was committed before the call. One Redis round trip while the
   * mirror is whole, otherwise one query. Rejects when neither can answer: the caller must then refuse.
   */
  isEnded(facts: RevocationFacts): Promise<boolean>
}

export function createRevocationReader({
  database,
  redis,
  onProblem,
}: RevocationReaderOptions): RevocationReader {
  const store = createRevocationStore(database)
  const server = watchServerIdentity(redis, onProblem)

  async function askMirror(shard: number, marks: readonly Mark[]): Promise<boolean | undefined> {
    const runId = server.runId()
    if (runId === undefined) return undefined
    try {
      const [fill, ...values] = await redis.mget(
        fillKey(shard),
        ...marks.map((mark) => revocationKey(shard, mark.kind, mark.id)),
      )
      if (fill !== runId) return undefined
      return marks.some((mark, index) => {
        const value = values[index]
        return value !== null && value !== undefined && endsMark(mark, Number(value))
      })
    } catch (error) {
      onProblem(error)
      return undefined
    }
  }

  return {
    async isEnded(facts) {
      const marks = marksOf(facts)
      return (await askMirror(shardOf(facts.subject), marks)) ?? store.anyEnded(marks)
    },
  }
}
