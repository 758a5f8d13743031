import { Cluster, Command, type RedisCommander, type Redis as SingleConnection } from 'ioredis'

/**
 * A connection to Redis in any layout. Commands have one key, or several under one hash tag, so that they mean the
 * same on one server and on a cluster.
 */
export interface Redis extends RedisCommander {
  readonly status: string
  connect(): Promise<void>
  disconnect(): void
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'ready' | 'close', listener: () => void): unknown
}

/** The primaries behind a connection, each with its own connection. */
export interface Primaries {
  /** The primaries that are known now; exactly one unless it is a cluster. */
  all(): readonly Redis[]
  /** The primary that owns a slot; undefined while the cluster's layout names no known owner. */
  ownerOf(slot: number): Redis | undefined
  /** Reads the layout of a cluster again soon. Called when a server reported that it has changed. */
  refresh(): void
}

/** The cluster slot of a key, decided by its hash tag when it has one. */
export function slotOf(key: string): number {
  return Number(new Command('get', [key]).getSlot())
}

/** Calls `onServer` once for every server connection, also of replicas of a cluster, since one may be promoted. */
export function watchPrimaries(redis: Redis, onServer: (connection: Redis) => void): Primaries {
  if (redis instanceof Cluster) return watchCluster(redis, onServer)
  onServer(redis)
  return { all: () => [redis], ownerOf: () => redis, refresh: () => {} }
}

function watchCluster(cluster: Cluster, onServer: (connection: Redis) => void): Primaries {
  const connections = new Map<string, SingleConnection>()
  const add = (connection: SingleConnection) => {
    connections.set(addressOf(connection), connection)
    onServer(connection)
  }
  cluster.on('+node', add)
  cluster.on('-node', (connection: SingleConnection) => {
    if (connections.get(addressOf(connection)) === connection) connections.delete(addressOf(connection))
  })
  for (const connection of cluster.nodes('all')) add(connection)
  return {
    all: () => cluster.nodes('master'),
    ownerOf(slot) {
      const [owner] = cluster.slots[slot] ?? []
      return owner === undefined ? undefined : connections.get(owner)
    },
    refresh: () => cluster.refreshSlotsCache(),
  }
}

/** The address in the form of `cluster.slots`. */
function addressOf({ options }: SingleConnection): string {
  return `${options.host}:${options.port}`
}
