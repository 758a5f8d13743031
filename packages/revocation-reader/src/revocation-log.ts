import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Redis, slotOf, watchPrimaries } from '@signet/platform/redis/connection'
import type { Ask } from './circuit-breaker.ts'
import { createSerialRun } from './circuit-breaker.ts'
import { type Ending, LOG_KEY, readEntry } from './endings.ts'

/** Follows the log of endings that `token` writes in Redis. */
export interface RevocationLog {
  /**
   * True when every ending that the server of the log acknowledged before the call was passed to `keep`, by one XRANGE
   * for all calls before it is sent. False when the log cannot show that; it then begins again by itself.
   */
  isCaughtUp(): Promise<boolean>
}

/** The id of an entry of the log, and its names and values in turn. */
type LogEntry = readonly [id: string, fields: readonly string[]]

interface Followed extends IdentifiedServer {
  /** The id of the last entry that was kept, or that stood at the end when following began. */
  last: string
}

const ENTRIES_PER_READ = 1_000
/** Between attempts to begin. */
const BEGIN_AGAIN_AFTER_MS = 1_000
/** How much of the log a process reads that begins to follow it: longer than a standby is behind. */
const RECENT_MS = 600_000
/** Endings that are kept before the event loop gets a turn. */
const ENDINGS_PER_TURN = 5_000

export interface RevocationLogOptions {
  readonly servers: ServerIdentity
  readonly ask: Ask
  readonly keep: (endings: readonly Ending[]) => void
  /** Keeps every ending that was committed before the call. */
  readonly poll: () => Promise<void>
  /** Generation of the database, known after the first poll. */
  readonly generation?: () => number
  /** Milliseconds. */
  readonly elapsed: () => number
}

export function followRevocationLog(options: RevocationLogOptions): RevocationLog {
  const { servers, ask, keep, poll, elapsed } = options
  let followed: Followed | undefined
  let isBeginning = false
  let beginAfter = 0
  let hasBegun = false

  /** An ending that was appended before `last` was committed before that, so a poll finds it; the others follow `last`. */
  async function begin({ connection, identity }: IdentifiedServer): Promise<void> {
    if (isBeginning || elapsed() < beginAfter) return
    isBeginning = true
    beginAfter = elapsed() + BEGIN_AGAIN_AFTER_MS
    try {
      const entries = await ask(connection, () => connection.xrevrange(LOG_KEY, '+', '-', 'COUNT', 1))
      const last = entries?.[0]?.[0]
      if (last === undefined || !isOwner({ connection, identity })) return
      await poll()
      if (!hasBegun) await keepRecent(options, connection, last)
      followed = { connection, identity, last }
      hasBegun = true
    } finally {
      isBeginning = false
    }
  }

  function isOwner({ connection, identity }: IdentifiedServer): boolean {
    const owner = servers.owner()
    return owner?.connection === connection && owner.identity === identity
  }

  /** Keeps what a reply holds, a late one too. True when it reaches the end of the log. */
  async function take(known: Followed, first: string, entries: readonly LogEntry[]): Promise<boolean> {
    // The address may have passed to another server since the command was sent.
    if (followed !== known || !isOwner(known)) return false
    if (entries[0]?.[0] !== first) return breakOff()
    let kept = 0
    for (const [, fields] of entries.slice(1)) {
      const entry = readEntry(fields)
      if (entry === undefined) return breakOff()
      keep(entry.endings)
      kept += entry.endings.length
      if (kept > ENDINGS_PER_TURN) {
        kept = 0
        await nextTurn()
      }
    }
    if (followed !== known || known.last !== first) return false
    known.last = entries.at(-1)?.[0] ?? first
    return entries.length < ENTRIES_PER_READ
  }

  function breakOff(): false {
    followed = undefined
    return false
  }

  const catchUp = createSerialRun(async () => {
    const known = followed
    if (known === undefined || !isOwner(known)) return false
    const { connection, last } = known
    const reachesEnd = await ask(connection, async () =>
      take(known, last, await connection.xrange(LOG_KEY, last, '+', 'COUNT', ENTRIES_PER_READ)),
    )
    return reachesEnd === true
  })

  return {
    async isCaughtUp() {
      const owner = servers.owner()
      if (owner === undefined) return false
      if (followed !== undefined && isOwner(followed)) return catchUp()
      followed = undefined
      // Failures are reported by `ask` and by the polls.
      void begin(owner).catch(() => undefined)
      return false
    },
  }
}

/** PostgreSQL may have lost the newest endings in a fail-over before this process began. */
async function keepRecent(
  { generation = () => 0, keep }: RevocationLogOptions,
  connection: Redis,
  last: string,
): Promise<void> {
  let from = `${Math.max(0, Number(last.split('-', 1)[0]) - RECENT_MS)}`
  for (;;) {
    const entries = await connection.xrange(LOG_KEY, from, last, 'COUNT', ENTRIES_PER_READ)
    for (const [, fields] of entries) {
      const entry = readEntry(fields)
      // Epochs from before a restore may be higher than those of today.
      if (entry !== undefined && entry.generation >= generation()) keep(entry.endings)
      if (entry !== undefined && entry.endings.length > 1) await nextTurn()
    }
    const end = entries.at(-1)
    if (end === undefined || entries.length < ENTRIES_PER_READ) return
    from = `(${end[0]}`
  }
}

/** A server and what distinguishes its data from that of every other, and from its own after it was a replica. */
export interface IdentifiedServer {
  /** Leads to this server and no other for as long as `identity` is known. */
  readonly connection: Redis
  /** `<run_id>:<master_replid>`. */
  readonly identity: string
}

/**
 * Identifies the server process that serves the log, so that a flushed, replaced or promoted server is not mistaken
 * for another.
 */
export interface ServerIdentity {
  /** The primary that owns the slot of the log; undefined while its identity is unknown. */
  owner(): IdentifiedServer | undefined
  /** Learns the identity again: a server may be demoted or promoted under an open connection. */
  check(): Promise<void>
  /** Drops the identity of a node that replied that it does not serve the slot, and reads the layout again. */
  redirected(connection: Redis): void
}

interface Connection {
  identity: string | undefined
  /** Counts connections made and lost: a reply over a lost one says nothing about its successor. */
  generation: number
  problemReported: boolean
}

/** Sends `INFO server` and `INFO replication` whenever a connection becomes ready; from its loss on it is unknown. */
export function watchServerIdentity(redis: Redis, onProblem: (error: unknown) => void): ServerIdentity {
  const slot = slotOf(LOG_KEY)
  const known = new WeakMap<Redis, Connection>()
  const primaries = watchPrimaries(redis, (connection) => {
    if (known.has(connection)) return
    const state: Connection = { identity: undefined, generation: 0, problemReported: false }
    known.set(connection, state)
    connection.on('ready', () => {
      forget(state)
      void learn(connection, state)
    })
    connection.on('close', () => forget(state))
    if (connection.status === 'ready') void learn(connection, state)
  })

  async function learn(connection: Redis, state: Connection): Promise<void> {
    const { generation } = state
    try {
      const replies = await Promise.all([connection.info('server'), connection.info('replication')])
      if (generation !== state.generation) return
      state.identity = identityIn(replies)
      state.problemReported = false
    } catch (error) {
      // The loss of a connection is reported by its owner.
      if (generation !== state.generation) return
      state.identity = undefined
      if (!state.problemReported) onProblem(error)
      state.problemReported = true
    }
  }

  return {
    owner() {
      const connection = primaries.ownerOf(slot)
      if (connection === undefined) primaries.refresh()
      const identity = connection && known.get(connection)?.identity
      return connection && identity !== undefined ? { connection, identity } : undefined
    },
    async check() {
      const connection = primaries.ownerOf(slot)
      const state = connection && known.get(connection)
      // Nodes of a cluster connect with their first command.
      const replies = connection?.status === 'ready' || connection?.status === 'wait'
      if (state !== undefined && replies) await learn(connection, state)
    },
    redirected(connection) {
      const state = known.get(connection)
      if (state !== undefined) forget(state)
      primaries.refresh()
    },
  }
}

function forget(state: Connection): void {
  state.generation += 1
  state.identity = undefined
}

/** Undefined for a replica: it may lag, and its data is replaced without its `run_id` changing. */
function identityIn([server, replication]: readonly [string, string]): string | undefined {
  if (lineOf(replication, 'role') === 'slave') return undefined
  const runId = lineOf(server, 'run_id')
  const replicationId = lineOf(replication, 'master_replid')
  if (runId !== undefined && replicationId !== undefined) return `${runId}:${replicationId}`
  throw new Error('Redis does not show its run_id and master_replid; set SIGNET_REVOCATION_LOG=off')
}

function lineOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1]
}
