import type { Redis } from '@signet/redis/client'
import { type Primaries, slotOf, watchPrimaries } from '@signet/redis/primaries'
import { fillKey, SHARDS } from './mirror-keys.ts'

/** A server and what tells its memory apart from that of every other, and from its own after it served as a replica. */
export interface IdentifiedServer {
  /** Leads to this server and no other for as long as `identity` is known. */
  readonly connection: Redis
  /** `run_id` and replication id: `<run_id>:<master_replid>`. */
  readonly identity: string
}

/**
 * Knows which server process each connection leads to, so that a flushed, replaced or promoted server is never
 * mistaken for the one that was filled.
 */
export interface ServerIdentity {
  /** The primary that owns a shard; undefined while it is not known which server that is. */
  ownerOf(shard: number): IdentifiedServer | undefined
  /** Learns again what is known: a server may have been demoted, or promoted, under an open connection. */
  check(): Promise<void>
  /** To be told that a server no longer owns what it was asked for. */
  layoutChanged(): void
}

interface Connection {
  identity: string | undefined
  /** Counts connections made and lost, so that an answer over an old one is not believed about a new one. */
  generation: number
  /** Whether the present trouble was reported. */
  reported: boolean
}

const SLOTS = Array.from({ length: SHARDS }, (_, shard) => slotOf(fillKey(shard)))

/**
 * Asks `INFO server` and `INFO replication` whenever a connection becomes ready; between a loss and the answer
 * nothing is known.
 */
export function watchServerIdentity(redis: Redis, onProblem: (error: unknown) => void): ServerIdentity {
  const known = new WeakMap<Redis, Connection>()
  const primaries: Primaries = watchPrimaries(redis, (connection) => {
    if (known.has(connection)) return
    const state: Connection = { identity: undefined, generation: 0, reported: false }
    known.set(connection, state)
    connection.on('ready', () => {
      forget(state)
      void learn(connection, state)
    })
    connection.on('close', () => forget(state))
    if (connection.status === 'ready') void learn(connection, state)
  })

  async function learn(connection: Redis, state: Connection): Promise<void> {
    const asked = state.generation
    try {
      const answers = await Promise.all([connection.info('server'), connection.info('replication')])
      if (asked !== state.generation) return
      state.identity = identityIn(answers)
      state.reported = false
    } catch (error) {
      // A connection that was lost meanwhile reports that itself.
      if (asked !== state.generation) return
      state.identity = undefined
      if (!state.reported) onProblem(error)
      state.reported = true
    }
  }

  return {
    ownerOf(shard) {
      const connection = primaries.ownerOf(SLOTS[shard] ?? 0)
      if (connection === undefined) {
        primaries.refresh()
        return undefined
      }
      const identity = known.get(connection)?.identity
      return identity === undefined ? undefined : { connection, identity }
    },
    async check() {
      await Promise.all(
        primaries.all().map((connection) => {
          const state = known.get(connection)
          // Nodes of a cluster connect with their first command.
          const answers = connection.status === 'ready' || connection.status === 'wait'
          return state !== undefined && answers ? learn(connection, state) : undefined
        }),
      )
    },
    layoutChanged: () => primaries.refresh(),
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
  throw new Error('Redis does not tell its run_id and master_replid; set SIGNET_REVOCATION_MIRROR=off')
}

function lineOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1]
}
