import type { Redis } from '@signet/platform/redis/connection'
import { createScript, runScript, type Script } from '@signet/platform/redis/script'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import { DEVICE_INTERVAL_SECONDS } from '@signet/protocol/device-authorization'
import { keyspaces } from '../keyspaces.ts'
import type { DeviceState, DeviceStore } from './device-authorization.service.ts'

// Times are Unix milliseconds.

// ARGV: client, end, seconds between requests, seconds of the key.
const BEGIN = createScript(`
redis.call('HSET', KEYS[1], 'client', ARGV[1], 'end', ARGV[2], 'interval', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 1`)

// ARGV: now, state, session, code. Returns 1 for the answer that counts and its repetitions.
const ANSWER = createScript(`
local found = redis.call('HMGET', KEYS[1], 'end', 'state', 'sid')
if not found[1] or tonumber(ARGV[1]) >= tonumber(found[1]) then return 0 end
if found[2] then
  if found[2] == ARGV[2] and found[3] == ARGV[3] then return 1 end
  return 0
end
redis.call('HSET', KEYS[1], 'state', ARGV[2], 'sid', ARGV[3], 'code', ARGV[4])
return 1`)

// ARGV: now, client, milliseconds by which a request may be early, seconds that a request too early adds.
const POLL = createScript(`
local found = redis.call('HMGET', KEYS[1], 'client', 'end', 'interval', 'next', 'state', 'code')
local now = tonumber(ARGV[1])
if not found[1] or now >= tonumber(found[2]) then return {'gone'} end
if found[1] ~= ARGV[2] then return {'of_other_client'} end
local interval = tonumber(found[3])
local early = found[4] and now < tonumber(found[4]) - tonumber(ARGV[3])
if early then interval = interval + tonumber(ARGV[4]) end
redis.call('HSET', KEYS[1], 'interval', interval, 'next', string.format('%.0f', now + interval * 1000))
if early then return {'slow_down'} end
return {found[5] or 'pending', found[6] or ''}`)

/** Requests of one device on their way take different times. */
const EARLY_MS = 500
/** RFC 8628 section 3.5. */
const SLOW_DOWN_SECONDS = 5

export function createDeviceStore(redis: Redis): DeviceStore {
  const run = (script: Script, handle: string, values: readonly (string | number)[]) =>
    queryRedis(() => runScript(redis, script, [keyspaces.device.key({ handle })], values))

  return {
    async begin({ handle, clientId }, expiresAt) {
      const { ttlSeconds } = keyspaces.device
      await run(BEGIN, handle, [clientId, expiresAt.getTime(), DEVICE_INTERVAL_SECONDS, ttlSeconds])
    },
    async answer(handle, { code, sid }, now) {
      const state = code === undefined ? 'denied' : 'approved'
      return (await run(ANSWER, handle, [now.getTime(), state, sid, code ?? ''])) === 1
    },
    async poll({ handle, clientId }, now) {
      const values = [now.getTime(), clientId, EARLY_MS, SLOW_DOWN_SECONDS]
      const [kind, code] = (await run(POLL, handle, values)) as [DeviceState['kind'], string]
      return kind === 'approved' ? { kind, code } : { kind }
    },
    async endApprovals(of, now) {
      const { ttlSeconds } = keyspaces.deviceApprovalsEnd
      await queryRedis(() =>
        redis.set(keyspaces.deviceApprovalsEnd.key({ ...of }), now.getTime(), 'EX', ttlSeconds),
      )
    },
    async findApprovalsEnd(of) {
      const ended = await queryRedis(() => redis.get(keyspaces.deviceApprovalsEnd.key({ ...of })))
      return ended === null ? undefined : new Date(Number(ended))
    },
  }
}

async function queryRedis<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new DependencyUnavailableError('redis', error)
  }
}
