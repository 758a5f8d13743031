import { type Redis, slotOf, watchPrimaries } from '@signet/platform/redis/client'
import { LOG_KEY } from './endings.ts'

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
