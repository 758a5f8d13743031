import { createSecretKey } from 'node:crypto'
import type { Logger } from '@signet/platform/logger/logger'
import type { Queryable } from '@signet/platform/postgres/pool'
import type { Redis } from '@signet/platform/redis/connection'
import type { Clock } from '@signet/platform/runtime/clock'
import { createGroupedCall } from '@signet/platform/runtime/in-groups'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import { ENDINGS_PER_ENTRY, type Ending, entryFields, LOG_KEY } from '@signet/revocation-reader/endings'
import type { RevocationObserver } from '@signet/revocation-reader/revocation-reader'
import type { RandomBytes } from '@signet/tokens/identifiers'

/** Writes the log of endings in Redis, which readers follow. */
export interface EndingsLog {
  /** Appends endings, up to 1,000 in one entry. Rejects unless Redis acknowledged every entry. */
  append(endings: readonly Ending[]): Promise<void>
  /** Opens a missing log, appends an anchor to an idle one and trims it. Any replica may call it at any time. */
  maintain(): Promise<void>
}

/** After so long without an entry an anchor is appended. */
const IDLE_MS = 60_000
/** Entries this much older than the newest are trimmed: an access token lives for 24 h at most. */
const KEPT_MS = 25 * 3_600_000
/** Limit of entries, 60 MB. Readers know the newest entries; older ones serve only the recovery after a fail-over. */
const MOST_ENTRIES = 1_000_000

// KEYS[1] log; ARGV[1] idle time, ARGV[2] kept time, both in ms, ARGV[3] most entries, ARGV[4] random 32 bits, then the fields
// of an anchor.
// After a flush the ids of a new log must differ from those that readers know, so its first id has a random part.
const MAINTAIN = `
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local id
if not newest then id = string.format('%.0f-%s', ms, ARGV[4])
elseif ms - tonumber(string.match(newest[1], '^%d+')) > tonumber(ARGV[1]) then id = '*' end
local last = id and redis.call('XADD', KEYS[1], id, unpack(ARGV, 5)) or newest[1]
local oldest = tonumber(string.match(last, '^%d+')) - tonumber(ARGV[2])
redis.call('XTRIM', KEYS[1], 'MINID', '~', string.format('%.0f', math.max(oldest, 0)))
redis.call('XTRIM', KEYS[1], 'MAXLEN', '~', ARGV[3])
return id and 1 or 0`

interface EndingsLogOptions {
  readonly redis: Redis
  /** Generation of the database. */
  readonly generation: () => number
  /** Key as `readLogKey` returns it. */
  readonly key: Buffer
  readonly now: Clock
  readonly random: RandomBytes
  /** Milliseconds after which an idle log gets an anchor. */
  readonly idleMs?: number
  /** Milliseconds before the newest entry from which entries are trimmed. */
  readonly keptMs?: number
  /** Beyond so many the oldest are trimmed. */
  readonly mostEntries?: number
}

export function createEndingsLog(options: EndingsLogOptions): EndingsLog {
  const {
    redis,
    generation,
    now,
    random,
    idleMs = IDLE_MS,
    keptMs = KEPT_MS,
    mostEntries = MOST_ENTRIES,
  } = options
  const key = createSecretKey(options.key)

  async function appendEntry(endings: readonly Ending[]): Promise<void> {
    const fields = entryFields(endings, generation(), key, now())
    // Without a log the reply is nil: an entry may not open one, since its id could be one of the log before.
    const append = () => redis.xadd(LOG_KEY, 'NOMKSTREAM', '*', ...fields)
    if ((await append()) !== null) return
    await maintain()
    if ((await append()) === null) throw new Error(`Redis does not keep ${LOG_KEY}`)
  }

  async function maintain(): Promise<void> {
    const anchor = entryFields([], generation(), key, now())
    const id = random(4).readUInt32BE()
    await redis.eval(MAINTAIN, 1, LOG_KEY, idleMs, keptMs, mostEntries, id, ...anchor)
  }

  return {
    async append(endings) {
      const entries: Promise<void>[] = []
      for (let start = 0; start < endings.length; start += ENDINGS_PER_ENTRY) {
        entries.push(appendEntry(endings.slice(start, start + ENDINGS_PER_ENTRY)))
      }
      await Promise.all(entries)
    },
    maintain,
  }
}

/** Reads the key that proves which entries this service wrote. Rejects when the database is away. */
export async function readLogKey(database: Queryable): Promise<Buffer> {
  const { rows } = await database.query<{ key: Buffer }>({
    name: 'log_key.read', // one row
    text: 'SELECT key FROM grants.log_key',
  })
  if (rows[0] === undefined) throw new Error('grants.log_key has no row')
  return rows[0].key
}

/** The log of an installation whose readers query PostgreSQL only: it appends nothing and deletes a log from before. */
export function createDisabledLog(redis: Redis): EndingsLog {
  return {
    append: async () => undefined,
    async maintain() {
      await redis.del(LOG_KEY)
    },
  }
}

const MOST_CALLS = 100

/** Appends committed endings to the log before the caller that asked for them gets a response. */
export type PublishEndings = (endings: readonly Ending[]) => Promise<void>

/**
 * Rejects with TemporarilyUnavailableError when the log cannot be written: the endings stand in PostgreSQL, where every
 * reader finds them within its next poll, but they may not be in force everywhere yet. Repeating the call is harmless.
 * Calls at the same time share an entry of the log.
 */
export function createPublishEndings(log: Pick<EndingsLog, 'append'>): PublishEndings {
  const append = createGroupedCall<readonly Ending[], void>(MOST_CALLS, async (calls) => {
    await log.append(calls.flat())
    return []
  })
  return async (endings) => {
    try {
      await append(endings)
    } catch (cause) {
      throw new TemporarilyUnavailableError(
        'The revocation is recorded but not yet in force everywhere; repeat the call',
        { reason: 'revocation_log_write_failed', cause },
      )
    }
  }
}

/** Appends endings to the log whose call committed them and then died before its XADD. */
interface LogRepair {
  /** The callbacks for the revocation reader of this process. */
  readonly observer: Required<Pick<RevocationObserver, 'polled' | 'logged'>>
  /** Appends what was polled a second ago or earlier and is in no entry read since. Rejects when Redis is away. */
  round(): Promise<void>
}

/** The call that committed an ending appends it within this time. */
const GRACE_MS = 1_000
/**
 * Most endings that are kept of each kind, polled and logged. More polled ones at once are not repaired: readers poll them too.
 * More logged ones cost at most a second entry each. So a round appends 10 entries at most.
 */
const MOST_KEPT = 10_000

interface Polled {
  readonly ending: Ending
  readonly since: number
}

export function createLogRepair(deps: {
  readonly log: Pick<EndingsLog, 'append'>
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number
  readonly logger: Pick<Logger, 'warn'>
}): LogRepair {
  const { log, elapsed, logger } = deps
  const polled = new Map<string, Polled>()
  /** The highest value of each ending that an entry held, oldest first. */
  const logged = new Map<string, number>()
  const isLogged = (key: string, { value }: Ending) => (logged.get(key) ?? 0) >= value

  return {
    observer: {
      polled(endings) {
        for (const ending of endings) {
          const key = keyOf(ending)
          if (isLogged(key, ending) || (polled.get(key)?.ending.value ?? 0) >= ending.value) continue
          if (polled.size < MOST_KEPT) polled.set(key, { ending, since: elapsed() })
        }
      },
      logged(endings) {
        for (const ending of endings) {
          const key = keyOf(ending)
          const value = Math.max(ending.value, logged.get(key) ?? 0)
          logged.delete(key)
          logged.set(key, value)
          if ((polled.get(key)?.ending.value ?? Number.POSITIVE_INFINITY) <= value) polled.delete(key)
        }
        for (const key of logged.keys()) {
          if (logged.size <= MOST_KEPT) break
          logged.delete(key)
        }
      },
    },
    async round() {
      const due = [...polled].filter(([, { since }]) => elapsed() - since >= GRACE_MS)
      if (due.length === 0) return
      await log.append(due.map(([, { ending }]) => ending))
      for (const [key, entry] of due) if (polled.get(key) === entry) polled.delete(key)
      logger.warn('revocation_log_repaired', { count: due.length })
    },
  }
}

function keyOf({ kind, id }: Ending): string {
  return `${kind}${id}`
}
