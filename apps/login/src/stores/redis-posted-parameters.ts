import type { Redis } from '@signet/redis/client'
import { z } from 'zod'
import type { PostedParameters } from '../browser/pending.ts'
import { reach } from '../dependency.ts'
import { keyspaces } from '../keyspaces.ts'
import { isRandomValue, newRandomValue, type RandomBytes } from '../sessions/browser.ts'
import { signedRecords } from '../signed-record.ts'
import type { RequireRoom } from './memory-reserve.ts'

const record = z.record(z.string(), z.string())

interface PostedParametersOptions {
  readonly masterKeys: readonly Buffer[]
  readonly random: RandomBytes
  readonly requireRoom: RequireRoom
}

export function createRedisPostedParameters(
  redis: Redis,
  { masterKeys, random, requireRoom }: PostedParametersOptions,
): PostedParameters {
  const records = signedRecords({ masterKeys, purpose: 'signet posted parameters', schema: record })
  const { postedParameters } = keyspaces
  return {
    async keep(parameters) {
      await requireRoom()
      const handle = newRandomValue(random)
      const key = postedParameters.key({ handle })
      await reach('redis', () =>
        redis.set(key, records.seal(key, parameters), 'EX', postedParameters.ttlSeconds),
      )
      return handle
    },
    async take(handle) {
      if (!isRandomValue(handle)) return undefined
      const key = postedParameters.key({ handle })
      return records.open(key, await reach('redis', () => redis.getdel(key)))
    },
  }
}
