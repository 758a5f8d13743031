import type { Redis } from '@signet/platform/redis/connection'
import { type Ending, type Entry, LOG_KEY, readEntry, readProvenEntry } from './endings.ts'

/** An entry of the log. The seconds left of its endings count from now. */
export interface LogEntry {
  /** Generation of the database that the log was written for. */
  readonly generation: number
  readonly endings: readonly Ending[]
}

export interface LogPage {
  readonly entries: readonly LogEntry[]
  /** How many entries `token` did not write; they are left out. */
  readonly unproven: number
}

/** An entry holds 1,000 endings at most, so that a page stays below some 15 MB. */
const ENTRIES_PER_PAGE = 200

/**
 * Reads what `token` wrote in the whole log of endings, oldest first, a page at a time; endings that have nothing left to
 * end are left out. Rejects when Redis is away.
 */
export async function* readLog(redis: Redis, key: Buffer): AsyncGenerator<LogPage> {
  const [seconds, microseconds] = await redis.time()
  const now = Number(seconds) * 1_000 + Number(microseconds) / 1_000
  for (let from = '-'; ; ) {
    const page = await redis.xrange(LOG_KEY, from, '+', 'COUNT', ENTRIES_PER_PAGE)
    const entries = page.flatMap(([id, fields]) => {
      const entry = readProvenEntry(fields, key)
      // An old entry that was added again under a new id has no more time left than at first.
      return entry === undefined ? [] : [aged(entry, now - Math.min(millisecondsOf(id), entry.madeAt))]
    })
    yield { entries, unproven: page.length - entries.length }
    const last = page.at(-1)
    if (last === undefined || page.length < ENTRIES_PER_PAGE) return
    from = `(${last[0]}`
  }
}

/**
 * The generation that the newest entry of the log names, without a proof that `token` wrote it; undefined when the log has
 * none. Rejects when Redis is away.
 */
export async function generationOfLog(redis: Redis): Promise<number | undefined> {
  const [newest] = await redis.xrevrange(LOG_KEY, '+', '-', 'COUNT', 1)
  return newest && readEntry(newest[1])?.generation
}

function millisecondsOf(id: string): number {
  return Number(id.split('-', 1)[0])
}

function aged({ generation, endings }: Entry, age: number): LogEntry {
  return {
    generation,
    endings: endings
      .map((ending) => ({ ...ending, secondsLeft: ending.secondsLeft - age / 1_000 }))
      .filter(({ secondsLeft }) => secondsLeft > 0),
  }
}
