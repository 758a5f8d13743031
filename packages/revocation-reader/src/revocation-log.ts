import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Redis } from '@signet/redis/client'
import type { AskInTime } from './circuits.ts'
import { fillKey, LOG_KEY, LOG_SHARD } from './mirror-keys.ts'
import type { ElapsedMs, RevocationMemory } from './revocation-memory.ts'
import type { IdentifiedServer, ServerIdentity } from './server-identity.ts'

/** Follows the log that `token` keeps in Redis of everything it publishes, so that memory can answer for it. */
export interface RevocationLog {
  /**
   * Whether everything that was published before the call is now in memory, by one round trip for all who ask before it
   * begins; one begins when that before it has ended. False when the log cannot vouch for that; it then begins anew by
   * itself.
   */
  isCaughtUp(): Promise<boolean>
  /** Waits until nothing is read any more. */
  stop(): Promise<void>
}

/** The id of an entry of the log, and its names and values in turn. */
type LogEntry = readonly [id: string, fields: readonly string[]]

interface Followed extends IdentifiedServer {
  /** The last entry that is in memory. */
  last: string
}

/** Of one round trip, so that Redis and the reader have time for others; the next goes on. */
const MOST_ENTRIES = 1_000
/** After an attempt to begin that came to nothing. */
const BEGIN_AGAIN_AFTER_MS = 1_000
/** After one that read more from PostgreSQL than memory holds, which takes both a while. */
const LOAD_AGAIN_AFTER_MS = 600_000

const NO = Promise.resolve(false)

export function followRevocationLog(deps: {
  readonly servers: ServerIdentity
  readonly ask: AskInTime
  readonly memory: RevocationMemory
  /** Brings everything that was revoked before the call into memory. */
  readonly load: () => Promise<void>
  readonly elapsed: ElapsedMs
  readonly onProblem: (error: unknown) => void
}): RevocationLog {
  const { servers, ask, memory, load, elapsed, onProblem } = deps
  let followed: Followed | undefined
  let beginning: Promise<void> | undefined
  let beginAfter = 0
  /** Not begun yet: whoever asks now may join. */
  let next: Promise<boolean> | undefined
  let running: Promise<boolean> | undefined

  /**
   * What a server was told before `last` is in PostgreSQL, since it is published after its commit; what it is told later
   * comes after `last`.
   */
  async function begin({ connection, identity }: IdentifiedServer): Promise<void> {
    const answers = await ask(connection, () =>
      Promise.all([connection.get(fillKey(LOG_SHARD)), connection.xrevrange(LOG_KEY, '+', '-', 'COUNT', 1)]),
    )
    const [fill, newest] = answers ?? []
    const last = newest?.[0]?.[0]
    if (fill !== identity || last === undefined) return
    await load()
    if (memory.isComplete()) followed = { connection, identity, last }
    else beginAfter = elapsed() + LOAD_AGAIN_AFTER_MS
  }

  function tryToBegin(server: IdentifiedServer): void {
    followed = undefined
    if (beginning !== undefined || elapsed() < beginAfter) return
    beginAfter = elapsed() + BEGIN_AGAIN_AFTER_MS
    beginning = begin(server)
      .catch(onProblem)
      .finally(() => {
        beginning = undefined
      })
  }

  function isOwner({ connection, identity }: IdentifiedServer): boolean {
    const owner = servers.ownerOf(LOG_SHARD)
    return owner?.connection === connection && owner.identity === identity
  }

  async function catchUp(known: Followed): Promise<boolean> {
    const { last, connection } = known
    const entries = await ask(connection, () => entriesFrom(connection, last))
    if (entries === undefined) return false
    // An answer may come from whoever took over the address while the question was on its way.
    if (followed !== known || !isOwner(known)) return false
    // The entry that was read last stands there unless the log was lost or replaced, or ran on without this process.
    if (entries[0]?.[0] !== last || !keepAll(entries.slice(1))) {
      followed = undefined
      return false
    }
    known.last = entries.at(-1)?.[0] ?? last
    if (memory.isComplete()) return entries.length < MOST_ENTRIES
    // The mirror has to be asked anyway: not both for each check.
    followed = undefined
    beginAfter = elapsed() + LOAD_AGAIN_AFTER_MS
    return false
  }

  /** False for an entry that nobody wrote who knows how. */
  function keepAll(entries: readonly LogEntry[]): boolean {
    return entries.every(([, [entry, value]]) => {
      const isRight = entry !== undefined && Number.isSafeInteger(Number(value ?? Number.NaN))
      if (isRight) memory.keep(entry, Number(value))
      return isRight
    })
  }

  /** Begins when this turn of the event loop is over, or the turn in which the one that is on its way ends. */
  async function roundTrip(known: Followed): Promise<boolean> {
    // Whoever waited for that one is told of what went wrong with it.
    await running?.catch(() => undefined)
    await nextTurn()
    next = undefined
    running = catchUp(known)
    try {
      return await running
    } finally {
      running = undefined
    }
  }

  return {
    isCaughtUp() {
      const owner = servers.ownerOf(LOG_SHARD)
      if (owner === undefined) return NO
      const known = followed
      if (known?.connection !== owner.connection || known.identity !== owner.identity) {
        tryToBegin(owner)
        return NO
      }
      next ??= roundTrip(known)
      return next
    },
    async stop() {
      await beginning
    },
  }
}

function entriesFrom(connection: Redis, first: string): Promise<readonly LogEntry[]> {
  return connection.xrange(LOG_KEY, first, '+', 'COUNT', MOST_ENTRIES)
}
