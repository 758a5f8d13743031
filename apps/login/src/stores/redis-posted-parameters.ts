import type { Redis } from '@signet/redis/client'
import { z } from 'zod'
import { isRandomValue, newRandomValue, type RandomBytes } from '../browser/browser.ts'
import type { PostedParameters } from '../browser/pending.ts'
import { reach } from '../dependency.ts'
import { keyspaces } from '../redis-keyspaces.ts'
import type { RequireRoom } from './memory-reserve.ts'

const record = z.record(z.string(), z.string())

export function createRedisPostedParameters(
  redis: Redis,
  { random, requireRoom }: { readonly random: RandomBytes; readonly requireRoom: RequireRoom },
): PostedParameters {
  const { postedParameters } = keyspaces
  return {
    async keep(parameters) {
      await requireRoom()
      const handle = newRandomValue(random)
      const key = postedParameters.key({ handle })
      await reach('redis', () =>
        redis.set(key, JSON.stringify(parameters), 'EX', postedParameters.ttlSeconds),
      )
      return handle
    },
    async take(handle) {
      if (!isRandomValue(handle)) return undefined
      const value = await reach('redis', () => redis.getdel(postedParameters.key({ handle })))
      return value === null ? undefined : record.safeParse(JSON.parse(value)).data
    },
  }
}
