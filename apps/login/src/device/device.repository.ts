import type { Redis } from '@signet/platform/redis/connection'
import type { Clock } from '@signet/platform/runtime/clock'
import { createMasterKeyMac } from '@signet/tokens/master-key-mac'
import { z } from 'zod'
import type { StoreAnonymous } from '../authorize/anonymous-store.repository.ts'
import { queryStore } from '../dependency.ts'
import { keyspaces } from '../keyspaces.ts'
import type { RandomBytes } from '../sessions/browser.ts'
import { signedRecords } from '../signed-record.ts'
import type { DeviceRequests } from './device-request.ts'
import { newUserCode } from './user-code.ts'

const deviceRequest = z.object({
  handle: z.string(),
  parameters: z.record(z.string(), z.string()),
  clientAddress: z.string(),
  startedAt: z.number(),
})

interface DeviceRepositoryOptions {
  /** Newest first. A change of the first one ends the requests that wait. */
  readonly masterKeys: readonly Buffer[]
  readonly generation: number
  readonly now: Clock
  readonly random: RandomBytes
}

/** The code itself is not stored: a reader of Redis could answer a request with an account of their own. */
export function createDeviceRequests(
  redis: Redis,
  set: StoreAnonymous,
  { masterKeys, generation, now, random }: DeviceRepositoryOptions,
): DeviceRequests {
  const records = signedRecords({
    ...{ masterKeys, generation },
    purpose: 'signet device request',
    schema: deviceRequest,
  })
  const codes = createMasterKeyMac(masterKeys, 'signet user code of a device')
  const { ttlSeconds } = keyspaces.deviceRequest

  const find: DeviceRequests['find'] = async (userCode) => {
    const codeId = codes.of(userCode).toString('base64url')
    const key = keyspaces.deviceRequest.key({ codeId })
    const found = records.verify(key, await queryStore('redis', () => redis.get(key)))
    if (found === undefined || now().getTime() >= found.startedAt + ttlSeconds * 1000) return undefined
    return { ...found, codeId }
  }

  return {
    find,
    async store(request) {
      let userCode = newUserCode(random)
      while ((await find(userCode)) !== undefined) userCode = newUserCode(random)
      const key = keyspaces.deviceRequest.key({ codeId: codes.of(userCode).toString('base64url') })
      await set(key, records.sign(key, request), ttlSeconds)
      return userCode
    },
    async forget({ codeId }) {
      // The request is answered whether or not its code is known.
      await redis.del(keyspaces.deviceRequest.key({ codeId })).catch(() => undefined)
    },
  }
}
