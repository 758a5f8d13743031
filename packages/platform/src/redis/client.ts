import { readFileSync } from 'node:fs'
import {
  Cluster,
  type SentinelConnectionOptions,
  SentinelConnector,
  Redis as SingleConnection,
} from 'ioredis'
import { type RedisAddress, readRedisUrl } from '../config/redis-url.ts'
import { StartFailure } from '../process/service.ts'
import { type Redis, watchPrimaries } from './connection.ts'

export interface RedisOptions {
  /** URL as `readRedisUrl` reads it. User and password are read again for each connection. */
  readonly url: { reveal(): string }
  /** Shown by `CLIENT LIST`. */
  readonly name: string
  /** Called with connection errors; the client reconnects by itself. */
  readonly onError?: (error: Error) => void
  /** Commands fail after this long instead of waiting for a reconnect; milliseconds. */
  readonly commandTimeoutMs?: number
}

const START_DEADLINE_MS = 10_000
const FAIL_AT_ONCE = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  // A command sent to one server must never be answered by its successor.
  autoResendUnfulfilledCommands: false,
  socketTimeout: 5_000,
}

/**
 * Opens a connection that reconnects for ever with a bounded delay. While there is no connection
 * commands fail at once: a caller decides between its fallback and a 503, nothing queues up in memory. A command
 * whose connection is lost fails; it is never sent again to whichever server comes next.
 */
export function createRedis({ url, name, onError, commandTimeoutMs = 2_000 }: RedisOptions): Redis {
  const commands = { ...FAIL_AT_ONCE, commandTimeout: commandTimeoutMs }
  const redis: Redis = connectionTo(url, { name, commands })
  redis.on('error', (error) => onError?.(error))
  return redis
}

/** Connects now. Throws StartFailure naming the server's answer when it cannot be reached. */
export async function connectRedis(redis: Redis): Promise<void> {
  let deadline: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    deadline = setTimeout(
      () => reject(new Error(`no connection within ${START_DEADLINE_MS / 1000} s`)),
      START_DEADLINE_MS,
    )
  })
  try {
    await Promise.race([redis.connect(), late])
  } catch (error) {
    redis.disconnect()
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartFailure(`Redis cannot be reached: ${reason}; check SIGNET_REDIS_URL`)
  } finally {
    clearTimeout(deadline)
  }
}

/**
 * An evicting Redis would drop revocations silently. Throws StartFailure unless every primary reports the policy
 * `noeviction`, also when one does not report it: with `SIGNET_REVOCATION_LOG=off` nothing depends on it any more.
 * Rejects with another error when one is away.
 */
export async function requireNoEviction(redis: Redis): Promise<void> {
  const primaries = watchPrimaries(redis, () => {}).all()
  if (primaries.length === 0) throw new Error('the Redis cluster does not tell its primaries yet')
  for (const policy of await Promise.all(primaries.map(policyOf))) {
    if (policy === 'noeviction') continue
    throw new StartFailure(
      policy === undefined
        ? 'Redis does not tell its maxmemory-policy; allow INFO to the user of SIGNET_REDIS_URL, or set SIGNET_REVOCATION_LOG=off for every service'
        : `Redis evicts keys (maxmemory-policy ${policy}); set maxmemory-policy noeviction on the server of SIGNET_REDIS_URL`,
    )
  }
}

/** Undefined when the server does not tell. Rejects when it is away. */
async function policyOf(primary: Redis): Promise<string | undefined> {
  // A server that forbids INFO answers with an error, one that hides the line answers without it.
  const memory = await primary.info('memory').catch(unlessForbidden)
  return /^maxmemory_policy:(\S+)/m.exec(memory ?? '')?.[1] ?? policyByConfig(primary)
}

async function policyByConfig(primary: Redis): Promise<string | undefined> {
  const answer: unknown = await primary.config('GET', 'maxmemory-policy').catch(unlessForbidden)
  return Array.isArray(answer) && typeof answer[1] === 'string' ? answer[1] : undefined
}

/** A command that the user may not use or the server does not have. Throws other errors, such as that of a lost connection. */
function unlessForbidden(error: Error): undefined {
  if (!/^(NOPERM|ERR) /.test(error.message)) throw error
}

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

/** Reads the address of Redis from the URL. Throws StartFailure when the URL is invalid. */
function requireAddress(url: { reveal(): string }): RedisAddress {
  const address = readRedisUrl(url.reveal())
  if (address === undefined) throw new StartFailure('the URL of Redis cannot be read; check SIGNET_REDIS_URL')
  return address
}

/**
 * A connection of the layout that the address names; open already unless its rules say `lazyConnect`. When it is lost,
 * the next one uses the user and the password that the URL has then. Throws StartFailure as `requireAddress` does.
 */
export function connectionTo(
  url: { reveal(): string },
  options: ConnectionOptions,
): SingleConnection | Cluster {
  const address = requireAddress(url)
  const redis = CONNECTIONS[address.layout](address, options)
  const used = redis instanceof Cluster ? redis.options.redisOptions : redis.options
  const readAgain = () => Object.assign(used ?? {}, credentialsOf(readRedisUrl(url.reveal()) ?? address))
  // The nodes of a cluster are connections of their own.
  redis.on('close', readAgain).on('-node', readAgain).on('node error', readAgain)
  return redis
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
      Connector: FailoverSafeSentinelConnector,
      ...(address.tls && { enableTLSForSentinelMode: true, sentinelTLS: tlsOptions(address) }),
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

function oneServer(address: RedisAddress, options: ConnectionOptions) {
  return {
    ...options.commands,
    connectionName: options.name,
    // CLIENT SETINFO would need a permission that Redis before 7.2 does not know.
    disableClientInfo: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // A primary that was demoted under the connection refuses writes; connecting again finds its successor.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    db: address.database,
    ...credentialsOf(address),
    ...(address.tls && { tls: tlsOptions(address) }),
  }
}

/**
 * The files of TLS. Each connection reads them again, so that a renewed certificate is used without a restart; one that cannot be
 * read then counts as it was. Throws StartFailure when one cannot be read at first.
 */
function tlsOptions({ caFile, certFile, keyFile }: RedisAddress): TlsFiles {
  const options: TlsFiles = {}
  for (const [name, file] of Object.entries({ ca: caFile, cert: certFile, key: keyFile })) {
    if (file === undefined) continue
    let latest = readTlsFile(name, file)
    const get = () => {
      try {
        latest = readFileSync(file)
      } catch {
        // Files of a Secret are away for a moment while they are replaced.
      }
      return latest
    }
    Object.defineProperty(options, name, { enumerable: true, get })
  }
  return options
}

interface TlsFiles {
  readonly ca?: Buffer
  readonly cert?: Buffer
  readonly key?: Buffer
}

function readTlsFile(name: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartFailure(`cannot read ${file} (${code}), which ${name} names in the URL of Redis`)
  }
}

function credentialsOf({ username, password, sentinelUsername, sentinelPassword }: RedisAddress) {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(sentinelUsername !== undefined && { sentinelUsername }),
    ...(sentinelPassword !== undefined && { sentinelPassword }),
  }
}

/** Milliseconds until the next attempt, for ever, bounded. */
function retryDelay(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 6), 2_000)
}

type Connect = SentinelConnector['connect']

/**
 * Listens for failovers while it is connected and not while it connects. Otherwise the listener of a lost connection
 * aborts the next attempt with the message that the connection was lost, and ioredis takes an aborted attempt for the
 * end: it never tries again.
 */
export class FailoverSafeSentinelConnector extends SentinelConnector {
  // As ioredis calls it, with the options of the client.
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions)
  }

  override connect(...args: Parameters<Connect>): ReturnType<Connect> {
    // Of a connection that is lost already this ends nothing but the listener.
    this.disconnect()
    return super.connect(...args)
  }
}
