// Browser sessions in Redis.
import type { Redis } from '@signet/platform/redis/connection'
import { createScript, runScript } from '@signet/platform/redis/script'
import { z } from 'zod'
import { queryStore } from '../dependency.ts'
import { keyspaces } from '../keyspaces.ts'
import { changeRecord, type SignedRecordOptions, signedRecords } from '../signed-record.ts'
import type { BrowserSession, SessionRepository } from './browser-session.ts'
import { impersonation } from './impersonation.ts'
import { upstreamIdentity } from './sign-in-proof.ts'
import { upstreamKeys } from './upstream-keys.ts'

const ownSession = z.object({
  sid: z.string(),
  userId: z.string(),
  organizationId: z.string(),
  authenticatedAt: z.number(),
  startedAt: z.number().optional(),
  isTimeUnknown: z.boolean().optional(),
  lastUsedAt: z.number(),
  lastCheckedAt: z.number(),
  amr: z.array(z.string()),
  secondFactorAt: z.number().optional(),
  confirmedAt: z.number().optional(),
  confirmedWithFactor: z.boolean().optional(),
  factors: z.array(z.string()).optional(),
  confirmedFactor: z.string().optional(),
  upstream: upstreamIdentity.optional(),
  signedInFrom: z.object({ browser: z.string(), system: z.string(), clientAddress: z.string() }).optional(),
  clientIds: z.array(z.string()).optional(),
  userEpoch: z.number(),
  organizationEpoch: z.number(),
})

/**
 * The person of an impersonation is not where a service of before looks for the person of a session: it knows no administrators, and
 * takes the whole record for none.
 */
const impersonated = ownSession
  .omit({ userId: true })
  .extend({ impersonatedUserId: z.string(), impersonation })
  .transform(({ impersonatedUserId, ...session }) => ({ ...session, userId: impersonatedUserId }))

const schema: z.ZodType<readonly BrowserSession[]> = z.array(z.union([ownSession, impersonated]))

const toStored = (sessions: readonly BrowserSession[]) =>
  sessions.map(({ userId, ...session }) =>
    session.impersonation === undefined ? { ...session, userId } : { ...session, impersonatedUserId: userId },
  )

const MAX_BROWSERS = 1000

// Members are browsers, scores their expiry in unix seconds of the Redis clock.
const LIST_BROWSER = createScript(`
local now = tonumber(redis.call('TIME')[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]) + 1, ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - tonumber(ARGV[3]))
redis.call('EXPIREAT', KEYS[1], redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2])
return 1`)

const keyOf = (browser: string) => keyspaces.browserSessions.key({ cookieHash: browser })
const listOf = (userId: string) => keyspaces.browsersOfUser.key({ userId })
const listOfUpstream = (identityHash: string) => keyspaces.browsersOfUpstream.key({ identityHash })
const upstreamsOf = (sessions: readonly BrowserSession[]) => [
  ...new Set(
    sessions.flatMap(({ upstream }) => (upstream === undefined ? [] : upstreamKeys.ofSession(upstream))),
  ),
]
const usersOf = (sessions: readonly BrowserSession[]) => [...new Set(sessions.map(({ userId }) => userId))]

/** The records are signed with the master keys. The lists of browsers are not signed: they only name records to read. */
export function createSessionRepository(
  redis: Redis,
  signing: Pick<SignedRecordOptions<unknown>, 'masterKeys' | 'generation'>,
): SessionRepository {
  const { sign, verify } = signedRecords<readonly object[]>({
    ...signing,
    purpose: 'signet browser sessions',
    schema,
  })
  const records = {
    sign: (key: string, sessions: readonly BrowserSession[]) => sign(key, toStored(sessions)),
    verify: verify as (key: string, text: string | null) => readonly BrowserSession[] | undefined,
  }

  /** A list may name browsers without sessions; readers skip those. */
  const list = (browser: string, sessions: readonly BrowserSession[], ttlSeconds: number) =>
    [...usersOf(sessions).map(listOf), ...upstreamsOf(sessions).map(listOfUpstream)].map((key) =>
      runScript(redis, LIST_BROWSER, [key], [browser, ttlSeconds, MAX_BROWSERS]),
    )
  const unlist = (browser: string, userIds: readonly string[]) =>
    userIds.map((userId) => redis.zrem(listOf(userId), browser))

  return {
    async load(browser) {
      const key = keyOf(browser)
      const text = await queryStore('redis', () => redis.get(key))
      return { sessions: records.verify(key, text) ?? [], text }
    },
    async create(browser, sessions, ttlSeconds) {
      const key = keyOf(browser)
      await queryStore('redis', () =>
        Promise.all([
          redis.set(key, records.sign(key, sessions), 'EX', ttlSeconds),
          ...list(browser, sessions, ttlSeconds),
        ]),
      )
    },
    async take(browser) {
      const key = keyOf(browser)
      const taken = records.verify(key, await queryStore('redis', () => redis.getdel(key))) ?? []
      await queryStore('redis', () => Promise.all(unlist(browser, usersOf(taken))))
      return taken
    },
    async update(browser, change, loaded) {
      let ttlSeconds: number | undefined
      const record = { key: keyOf(browser), records, text: loaded?.text }
      const changed = await changeRecord(redis, record, async (known) => {
        const next = await change(known)
        ttlSeconds = next?.ttlSeconds
        if (next === undefined) return undefined
        const users = usersOf(next.sessions)
        const gone = usersOf(known).filter((userId) => !users.includes(userId))
        // Not waited for. Where another writer is first, these sessions are removed all the same.
        void Promise.all(unlist(browser, gone)).catch(() => undefined)
        return { to: next.sessions.length > 0 ? next.sessions : undefined, ttlSeconds: next.ttlSeconds }
      })
      const left = changed?.after ?? []
      if (changed === undefined || ttlSeconds === undefined) return left
      const kept = ttlSeconds
      await queryStore('redis', () => Promise.all(list(browser, left, kept)))
      return left
    },
    browsersOfUpstream: (key) => queryStore('redis', () => redis.zrange(listOfUpstream(key), '0', '-1')),
    browsersOf: (userId) => queryStore('redis', () => redis.zrange(listOf(userId), '0', '-1')),
  }
}
