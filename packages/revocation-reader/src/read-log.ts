import type { Redis } from '@signet/redis/client'
import { type Ending, LOG_KEY, readEntry } from './endings.ts'

/** An entry of the log. The seconds left of its endings count from now. */
export interface LogEntry {
  /** Of the database that it was written for. */
  readonly generation: number
  readonly endings: readonly Ending[]
}

/** An entry holds 1,000 endings at most, so that a page stays below some 15 MB. */
const ENTRIES_PER_PAGE = 200

/**
 * Reads the whole log of endings, oldest first, a page at a time; endings that have nothing left to end are left out.
 * Rejects when Redis is away.
 */
export async function* readLog(redis: Redis): AsyncGenerator<readonly LogEntry[]> {
  const [seconds, microseconds] = await redis.time()
  const now = Number(seconds) + Number(microseconds) / 1e6
  for (let from = '-'; ; ) {
    const page = await redis.xrange(LOG_KEY, from, '+', 'COUNT', ENTRIES_PER_PAGE)
    yield page.flatMap(([id, fields]) => {
      const entry = readEntry(fields)
      return entry === undefined ? [] : [aged(entry, now - millisecondsOf(id) / 1_000)]
    })
    const last = page.at(-1)
    if (last === undefined || page.length < ENTRIES_PER_PAGE) return
    from = `(${last[0]}`
  }
}

/** The generation that the newest entry of the log names; undefined when the log has none. Rejects when Redis is away. */
export async function generationOfLog(redis: Redis): Promise<number | undefined> {
  const [newest] = await redis.xrevrange(LOG_KEY, '+', '-', 'COUNT', 1)
  return newest && readEntry(newest[1])?.generation
}

function millisecondsOf(id: string): number {
  return Number(id.split('-', 1)[0])
}

function aged({ generation, endings }: LogEntry, ageSeconds: number): LogEntry {
  return {
    generation,
    endings: endings
      .map((ending) => ({ ...ending, secondsLeft: ending.secondsLeft - ageSeconds }))
      .filter(({ secondsLeft }) => secondsLeft > 0),
  }
}
