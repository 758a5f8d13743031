import type { Logger } from '@signet/platform/logger/logger'
import { StartFailure } from '@signet/platform/process/service'
import type { Redis } from '@signet/platform/redis/connection'
import type { Clock } from '@signet/platform/runtime/clock'
import type { Ending } from '@signet/revocation-reader/endings'
import { type LogEntry, readLog } from '@signet/revocation-reader/read-log'
import { notRestored } from '@signet/revocation-reader/require-restored'
import type { Generation, LostEndingStore } from './recovery.repository.ts'

/**
 * The most endings that a fail-over is believed to have lost: those of ten seconds at 100 a second, and a standby is
 * rarely behind by one. A database that lacks more was restored from a backup, which lacks older endings too that the log
 * does not have.
 */
export const MOST_LOST_ENDINGS = 1_000

interface Dependencies {
  readonly redis: Redis
  /** Proves which entries of the log `token` wrote. */
  readonly key: Buffer
  readonly store: LostEndingStore
  readonly generation: Generation
  readonly logger: Pick<Logger, 'warn'>
  readonly now: Clock
  readonly count: (recovered: number) => void
}

/**
 * Writes endings that the log in Redis has and PostgreSQL lacks into PostgreSQL: after a fail-over to a standby that
 * lacked the last commits. Reads the generation of the database again and then the whole log, once. An entry that `token`
 * did not write is skipped. Rejects with StartFailure when the database was restored from a backup without
 * `signet-migrate restored`, and then nothing is written.
 */
export function createRecoverEndings(deps: Dependencies): () => Promise<void> {
  const { redis, key: logKey, store, generation, logger, now, count } = deps
  return async () => {
    await generation.refresh()
    const lost = new Map<string, Ending>()
    let unproven = 0
    for await (const page of readLog(redis, logKey)) {
      unproven += page.unproven
      for (const ending of await store.lacking(endingsOf(page.entries, generation.current()))) {
        const key = `${ending.kind} ${ending.id}`
        if ((lost.get(key)?.value ?? 0) < ending.value) lost.set(key, ending)
      }
      if (countOf(lost.values()) > MOST_LOST_ENDINGS) {
        throw notRestored(`the log has more than ${MOST_LOST_ENDINGS} endings that PostgreSQL lacks`)
      }
    }
    if (unproven > 0) logger.warn('log_entries_with_invalid_mac', { count: unproven })
    if (lost.size === 0) return
    const recovered = await store.recover([...lost.values()], now())
    count(recovered)
    logger.warn('endings_recovered', { count: recovered })
  }
}

/**
 * Counts the endings without those of access tokens: one client can revoke thousands of its own in the second that a
 * standby is behind.
 */
function countOf(endings: Iterable<Ending>): number {
  let count = 0
  for (const { kind } of endings) if (kind !== 't') count += 1
  return count
}

/** Endings of a lower generation have nothing left to end. Throws StartFailure for a higher one. */
function endingsOf(entries: readonly LogEntry[], generation: number): readonly Ending[] {
  return entries.flatMap((entry) => {
    if (entry.generation > generation) {
      throw notRestored(`the log of endings has generation ${entry.generation}, the database ${generation}`)
    }
    return entry.generation < generation ? [] : entry.endings
  })
}

/** The recovery of a running process whose database was restored. */
export interface Recovery {
  /** The database has another history: `round` recovers. */
  request(): void
  /**
   * Recovers when it was requested and neither succeeded nor was refused since. Rejects when a server is away, and the next
   * round tries again.
   */
  round(): Promise<void>
  /** Whether the database was restored from a backup without `signet-migrate restored`. */
  isRefused(): boolean
}

/** Recovers on request, round by round, until it succeeds. */
export function recoveryOnRequest(recover: () => Promise<void>): Recovery {
  let wanted = false
  let refused = false
  return {
    request() {
      wanted = true
    },
    async round() {
      if (!wanted) return
      // Before it begins: another request meanwhile is for a later history.
      wanted = false
      try {
        await recover()
        refused = false
      } catch (error) {
        // A refusal lasts until the operator has acted and the process is restarted.
        if (error instanceof StartFailure) refused = true
        else wanted = true
        throw error
      }
    },
    isRefused: () => refused,
  }
}
