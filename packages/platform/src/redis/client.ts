import { StartFailure } from '../process/start-failure.ts'
import { connectionTo, requireAddress } from './connection.ts'
import { watchPrimaries } from './primaries.ts'
import type { Redis } from './redis.ts'

export type { Redis } from './redis.ts'

export interface RedisOptions {
  /** As `readRedisUrl` understands it. */
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
  const redis: Redis = connectionTo(requireAddress(url), { name, commands })
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

async function policyOf(primary: Redis): Promise<string | undefined> {
  // A server that forbids INFO answers with an error, one that hides the line answers without it.
  const memory = await primary.info('memory').catch(() => '')
  return /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? policyByConfig(primary)
}

async function policyByConfig(primary: Redis): Promise<string | undefined> {
  const answer: unknown = await primary.config('GET', 'maxmemory-policy').catch(() => [])
  return Array.isArray(answer) && typeof answer[1] === 'string' ? answer[1] : undefined
}
