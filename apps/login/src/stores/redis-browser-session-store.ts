import type { Redis } from '@signet/redis/client'
import { z } from 'zod'
import { hashOf } from '../browser/browser.ts'
import { reach } from '../dependency.ts'
import { keyspaces } from '../redis-keyspaces.ts'
import type { BrowserSessionStore } from '../sessions/browser-session-store.ts'

const record = z.array(
  z.object({
    sid: z.string(),
    userId: z.string(),
    organizationId: z.string(),
    authenticatedAt: z.number(),
    lastUsedAt: z.number(),
    amr: z.array(z.string()),
    userEpoch: z.number(),
    organizationEpoch: z.number(),
  }),
)

const keyOf = (cookie: string) => keyspaces.browserSessions.key({ cookieHash: hashOf(cookie) })

export function createRedisBrowserSessionStore(redis: Redis): BrowserSessionStore {
  return {
    async load(cookie) {
      const value = await reach('redis', () => redis.get(keyOf(cookie)))
      if (value === null) return []
      // What another release wrote and this one cannot read costs a sign-in.
      return record.safeParse(JSON.parse(value)).data ?? []
    },
    async create(cookie, sessions, keepSeconds) {
      await reach('redis', () => redis.set(keyOf(cookie), JSON.stringify(sessions), 'EX', keepSeconds))
    },
    async replace(cookie, sessions, keepSeconds) {
      await reach('redis', () => redis.set(keyOf(cookie), JSON.stringify(sessions), 'EX', keepSeconds, 'XX'))
    },
    async remove(cookie) {
      await reach('redis', () => redis.del(keyOf(cookie)))
    },
  }
}
