import { randomBytes } from 'node:crypto'
import { connectRedis, createRedis } from '@signet/platform/redis/client'
import type { Redis } from '@signet/platform/redis/connection'
import { createFakeClock } from '@signet/testing/fake-clock'
import { createTestRedis, type TestRedis } from '@signet/testing/redis-fixture'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createBrowserSessions } from '../src/sessions/browser-sessions.ts'
import { createSessionRepository } from '../src/sessions/session.repository.ts'

let testRedis: TestRedis
let redis: Redis
beforeAll(async () => {
  testRedis = await createTestRedis()
  redis = createRedis({ url: testRedis.url, name: 'signet-login', commandTimeoutMs: 20_000 })
  await connectRedis(redis)
})
afterAll(async () => {
  redis?.disconnect()
  await testRedis?.drop()
})

const LIFETIMES = { idleSeconds: 7 * 86_400, absoluteSeconds: 30 * 86_400 }
const MASTER_KEYS = [randomBytes(32)]
const clock = createFakeClock()

/** A replica of the service. `meanwhile` holds the actions that run at each read of the lifetimes, in this order. */
function replica() {
  const meanwhile: (() => Promise<unknown>)[] = []
  const sessions = createBrowserSessions({
    store: createSessionRepository(redis, { masterKeys: MASTER_KEYS }),
    checks: {
      isUsable: async () => true,
      begin: () => async () => true,
      endsWithBrowser: async () => false,
      async lifetimes() {
        await meanwhile.shift()?.()
        return LIFETIMES
      },
    },
    now: clock.now,
    random: randomBytes,
  })
  return { sessions, meanwhile }
}

const authentication = (userId: string) => ({
  userId,
  organizationId: 'acme',
  userEpoch: 0,
  organizationEpoch: 0,
  amr: ['pwd'],
  signedInFrom: { browser: 'Firefox', system: 'Linux', clientAddress: '192.0.2.1' },
  clientId: 'web',
})

async function signIn({ sessions }: ReturnType<typeof replica>, cookie: string | undefined, userId: string) {
  const made = await sessions.prepare(cookie, authentication(userId))
  await made.store()
  return made
}

/** A browser with user2, then user1, and two replicas that serve it. */
async function sharedBrowser() {
  const [one, other] = [replica(), replica()]
  const first = await signIn(one, undefined, 'user2')
  const {
    cookie: { value: cookie },
    session: user1,
  } = await signIn(one, first.cookie.value, 'user1')
  const users = async (under = cookie) => (await one.sessions.all(under)).map(({ userId }) => userId)
  return { one, other, cookie, user1, user2: first.session, users }
}

const nothing = async () => undefined

it('keeps a session removed that is signed out while another account of the browser is used', async () => {
  const { one, other, cookie, user1, user2, users } = await sharedBrowser()
  clock.advance(2 * 60_000)
  one.meanwhile.push(() => other.sessions.remove(cookie, new Set([user2.sid])))
  await one.sessions.touch(cookie, user1, 'web')
  expect(await users()).toEqual(['user1'])
  expect((await one.sessions.all(cookie))[0]?.lastUsedAt).toBe(clock.now().getTime())
})

it('keeps the last use of an account while another one is signed out', async () => {
  const { one, other, cookie, user1, user2, users } = await sharedBrowser()
  clock.advance(2 * 60_000)
  one.meanwhile.push(() => other.sessions.touch(cookie, user1, 'web'))
  expect(await one.sessions.remove(cookie, new Set([user2.sid]))).toBe(false)
  expect(await users()).toEqual(['user1'])
  expect((await one.sessions.all(cookie))[0]?.lastUsedAt).toBe(clock.now().getTime())
})

it('keeps another account of a browser whose renewed session is signed out meanwhile', async () => {
  const { one, other, cookie, user1, users } = await sharedBrowser()
  one.meanwhile.push(() => other.sessions.remove(cookie, new Set([user1.sid])))
  const renewed = await one.sessions.renew(cookie, user1.sid, { userEpoch: 1, organizationEpoch: 0 })
  expect(await users(renewed?.value ?? '')).toEqual(['user2'])
})

it('removes both accounts when both are signed out at once', async () => {
  const { one, other, cookie, user1, user2, users } = await sharedBrowser()
  one.meanwhile.push(() => other.sessions.remove(cookie, new Set([user1.sid])))
  expect(await one.sessions.remove(cookie, new Set([user2.sid]))).toBe(true)
  expect(await users()).toEqual([])
})

it('does not restore a browser whose accounts were all signed out while one is used', async () => {
  const { one, other, cookie, user1, user2, users } = await sharedBrowser()
  clock.advance(2 * 60_000)
  one.meanwhile.push(() => other.sessions.remove(cookie, new Set([user1.sid, user2.sid])))
  await one.sessions.touch(cookie, user1, 'web')
  expect(await users()).toEqual([])
})

it('does not restore an account that is signed out while another one signs in', async () => {
  const { one, other, cookie, user2, users } = await sharedBrowser()
  // The first read is before the sessions are loaded, the second while they are checked.
  one.meanwhile.push(nothing, () => other.sessions.remove(cookie, new Set([user2.sid])))
  const fresh = (await signIn(one, cookie, 'user3')).cookie.value
  expect(await users(fresh)).toEqual(['user3', 'user1'])
  expect(await users(cookie)).toEqual([])
})

it('removes a session that a later sign-in moved to a new cookie of its browser', async () => {
  const { one, other, cookie, user2, users } = await sharedBrowser()
  const fresh = (await signIn(one, cookie, 'user3')).cookie.value
  await other.sessions.removeEverywhere([{ sid: user2.sid, userId: 'user2' }])
  expect(await users(fresh)).toEqual(['user3', 'user1'])
})

it('throws TemporarilyUnavailableError after repeated concurrent writes', async () => {
  const { one, other, cookie, user1, user2 } = await sharedBrowser()
  const use = async () => {
    clock.advance(2 * 60_000)
    await other.sessions.touch(cookie, user1, 'web')
  }
  one.meanwhile.push(...Array.from({ length: 30 }, () => use))
  await expect(one.sessions.remove(cookie, new Set([user2.sid]))).rejects.toMatchObject({
    name: 'TemporarilyUnavailableError',
  })
})
