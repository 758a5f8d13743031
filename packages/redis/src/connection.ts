import type { RedisAddress } from '@signet/service-runtime/redis-url'
import { Cluster, Redis as SingleConnection } from 'ioredis'

/** What the kinds of layout have in common when it comes to connecting. */
export interface ConnectionOptions {
  readonly name: string
  readonly commandTimeoutMs: number
}

// A server that owes an answer for this long is taken for gone; the next attempt may reach another one.
const SILENT_SOCKET_MS = 5_000
const CONNECT_TIMEOUT_MS = 5_000
const SENTINEL_TIMEOUT_MS = 2_000
const SLOTS_REFRESH_MS = 1_000

/** A connection that has not been opened yet, of the layout that the address names. */
export function connectionTo(address: RedisAddress, options: ConnectionOptions): SingleConnection | Cluster {
  return CONNECTIONS[address.layout](address, options)
}

const CONNECTIONS = {
  single: (address: RedisAddress, options: ConnectionOptions) =>
    new SingleConnection({ ...oneServer(address, options), ...address.hosts[0], retryStrategy: retryDelay }),

  sentinel: (address: RedisAddress, options: ConnectionOptions) =>
    new SingleConnection({
      ...oneServer(address, options),
      retryStrategy: retryDelay,
      sentinels: [...address.hosts],
      name: address.primaryName ?? '',
      sentinelRetryStrategy: retryDelay,
      sentinelReconnectStrategy: retryDelay,
      sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
      // A deposed primary may go on answering; the sentinels tell at once that it is one.
      failoverDetector: true,
      ...(address.sentinelUsername !== undefined && { sentinelUsername: address.sentinelUsername }),
      ...(address.sentinelPassword !== undefined && { sentinelPassword: address.sentinelPassword }),
      ...(address.tls && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
    }),

  cluster: (address: RedisAddress, options: ConnectionOptions) => {
    const { lazyConnect, enableOfflineQueue, ...redisOptions } = oneServer(address, options)
    return new Cluster([...address.hosts], {
      redisOptions,
      lazyConnect,
      enableOfflineQueue,
      slotsRefreshInterval: SLOTS_REFRESH_MS,
      clusterRetryStrategy: retryDelay,
      // Certificates name hosts, so the nodes must be reached by their names.
      ...(address.tls && { dnsLookup: (host, found) => found(null, host) }),
    })
  },
}

function oneServer({ username, password, database, tls }: RedisAddress, options: ConnectionOptions) {
  return {
    connectionName: options.name,
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // What was sent to one server must never be answered by its successor.
    autoResendUnfulfilledCommands: false,
    commandTimeout: options.commandTimeoutMs,
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENT_SOCKET_MS,
    // A primary that was demoted under the connection refuses writes; its successor is found by connecting anew.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    db: database,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {} }),
  }
}

/** Milliseconds until the next attempt, for ever, bounded. */
function retryDelay(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 6), 2_000)
}
