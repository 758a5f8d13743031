import type { Redis } from '@signet/redis/client'
import { z } from 'zod'
import { reach } from '../dependency.ts'
import { keyspaces } from '../redis-keyspaces.ts'
import type { BrowserSession } from '../sessions/browser-session.ts'
import type { BrowserSessionStore } from '../sessions/browser-session-store.ts'

const record = z.array(
  z.object({
    sid: z.string(),
    userId: z.string(),
    organizationId: z.string(),
    authenticatedAt: z.number(),
    lastUsedAt: z.number(),
    amr: z.array(z.string()),
    secondFactorAt: z.number().optional(),
    userEpoch: z.number(),
    organizationEpoch: z.number(),
  }),
)

const MOST_BROWSERS = 1000

// Members are browsers, scores the unix seconds at which Redis forgets them. Its own time, as for the browsers.
const LIST_BROWSER = `
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]) + 1, ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - tonumber(ARGV[3]))
redis.call('EXPIREAT', KEYS[1], redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2])
return 1`

const keyOf = (browser: string) => keyspaces.browserSessions.key({ cookieHash: browser })
const listOf = (userId: string) => keyspaces.browsersOfUser.key({ userId })
const usersOf = (sessions: readonly BrowserSession[]) => [...new Set(sessions.map(({ userId }) => userId))]

export function createRedisBrowserSessionStore(redis: Redis): BrowserSessionStore {
  /** Written at once with the sessions: a list that names too many browsers harms nobody. */
  const list = (browser: string, sessions: readonly BrowserSession[], keepSeconds: number) =>
    usersOf(sessions).map((userId) =>
      redis.eval(LIST_BROWSER, 1, listOf(userId), browser, `${keepSeconds}`, `${MOST_BROWSERS}`),
    )

  return {
    async load(browser) {
      const value = await reach('redis', () => redis.get(keyOf(browser)))
      if (value === null) return []
      // What another release wrote and this one cannot read costs a sign-in.
      return record.safeParse(JSON.parse(value)).data ?? []
    },
    async create(browser, sessions, keepSeconds) {
      await reach('redis', () =>
        Promise.all([
          redis.set(keyOf(browser), JSON.stringify(sessions), 'EX', keepSeconds),
          ...list(browser, sessions, keepSeconds),
        ]),
      )
    },
    async replace(browser, sessions, keepSeconds) {
      await reach('redis', () =>
        Promise.all([
          redis.set(keyOf(browser), JSON.stringify(sessions), 'EX', keepSeconds, 'XX'),
          ...list(browser, sessions, keepSeconds),
        ]),
      )
    },
    async remove(browser, sessions) {
      await reach('redis', () =>
        Promise.all([
          redis.del(keyOf(browser)),
          ...usersOf(sessions).map((userId) => redis.zrem(listOf(userId), browser)),
        ]),
      )
    },
    browsersOf: (userId) => reach('redis', () => redis.zrange(listOf(userId), '0', '-1')),
  }
}
