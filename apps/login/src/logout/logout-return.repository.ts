import type { Redis } from '@signet/platform/redis/connection'
import { z } from 'zod'
import { queryStore } from '../dependency.ts'
import { keyspaces } from '../keyspaces.ts'
import { hashOf } from '../sessions/browser.ts'
import { signedRecords } from '../signed-record.ts'
import type { LogoutReturns } from './provider-logout.ts'

const sessionNames = z.object({
  subject: z.string(),
  sessionId: z.string().optional(),
  nameIdFormat: z.string().optional(),
})

const logoutReturn = z.object({
  target: z.string().optional(),
  providers: z.array(z.string()),
  names: z.record(z.string(), sessionNames).optional(),
})

interface LogoutReturnOptions {
  readonly masterKeys: readonly Buffer[]
  readonly generation: number
}

/** Stores in Redis where browsers go on after a sign-out at a provider. The key has a hash of browser and state. */
export function createLogoutReturns(
  redis: Redis,
  { masterKeys, generation }: LogoutReturnOptions,
): LogoutReturns {
  const records = signedRecords({
    ...{ masterKeys, generation, schema: logoutReturn },
    purpose: 'signet logout return',
  })
  const keyOf = (browserId: string, state: string) =>
    keyspaces.logoutReturn.key({ handle: hashOf(`${browserId} ${state}`) })
  return {
    async store(browserId, state, { target, providers, names }) {
      const key = keyOf(browserId, state)
      const text = records.sign(key, {
        ...{ target, providers: [...providers] },
        ...(names && { names }),
      })
      await queryStore('redis', () => redis.set(key, text, 'EX', keyspaces.logoutReturn.ttlSeconds))
    },
    async take(browserId, state) {
      const key = keyOf(browserId, state)
      return records.verify(key, await queryStore('redis', () => redis.getdel(key)))
    },
  }
}
