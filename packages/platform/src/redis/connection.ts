import { Cluster, Redis as SingleConnection } from 'ioredis'
import { type RedisAddress, readRedisUrl } from '../config/redis-url.ts'
import { StartFailure } from '../process/start-failure.ts'
import { AttentiveSentinelConnector } from './sentinel-connector.ts'

/** The options that the layouts share for connecting. */
export interface ConnectionOptions {
  readonly name: string
  readonly commands: CommandRules
}

/** When the connection is opened, and what becomes of commands while the server does not answer. */
export interface CommandRules {
  readonly lazyConnect: boolean
  readonly enableOfflineQueue: boolean
  readonly maxRetriesPerRequest: number | null
  readonly autoResendUnfulfilledCommands: boolean
  readonly commandTimeout?: number
  /** A server that owes an answer for this long is taken for gone; milliseconds. */
  readonly socketTimeout: number
}

const CONNECT_TIMEOUT_MS = 5_000
const SENTINEL_TIMEOUT_MS = 2_000
const SLOTS_REFRESH_MS = 1_000

/** Where the URL says that Redis is. Throws StartFailure when it says nothing that can be understood. */
export function requireAddress(url: { reveal(): string }): RedisAddress {
  const address = readRedisUrl(url.reveal())
  if (address === undefined) throw new StartFailure('the URL of Redis cannot be read; check SIGNET_REDIS_URL')
  return address
}

/** A connection of the layout that the address names; open already unless its rules say `lazyConnect`. */
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
      // A deposed primary may still answer; the sentinels report at once that it is one.
      failoverDetector: true,
      Connector: AttentiveSentinelConnector,
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
    ...options.commands,
    connectionName: options.name,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // A primary that was demoted under the connection refuses writes; connecting again finds its successor.
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
