import { connectRedis, createRedis } from '@signet/platform/redis/client'
import type { Redis } from '@signet/platform/redis/connection'
import type { HttpBrowser } from '@signet/testing/http-browser'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectProvider, PROVIDER_SYSTEM, type Provider } from './provider.ts'

const DAY_MS = 86_400_000

let provider: Provider
let redis: Redis
beforeAll(async () => {
  const settings = { sessionIdle: '9600h', sessionAbsolute: '9600h' }
  const system = await startSystem({
    ...PROVIDER_SYSTEM,
    document: { ...PROVIDER_SYSTEM.document, settings },
  })
  provider = await connectProvider(system)
  redis = createRedis({ url: system.redisUrl, name: 'test' })
  await connectRedis(redis)
}, 60_000)
afterAll(async () => {
  redis?.disconnect()
  await provider?.stop()
})

/** `code`, or the error of a request that asks the person for nothing. */
async function silently(browser: HttpBrowser): Promise<string> {
  const parameters = (await provider.authorize({ prompt: 'none' }, { browser })).parameters
  return parameters.get('error') ?? 'code'
}

const sessionKeys = () => redis.keys('*sessions:*')

it('refuses a session that another browser ended by its hint, 400 days long, after any loss [F-39]', async () => {
  const { browser, tokens } = await provider.signIn()
  const { browser: untouched } = await provider.signIn({ loginName: 'carol+1' })
  const snapshot = await Promise.all(
    (await sessionKeys()).map(async (key) => [key, await redis.get(key)] as const),
  )
  expect(snapshot).toHaveLength(2)

  const other = provider.system.newBrowser()
  const question = await other.open(`/oidc/v1/end_session?id_token_hint=${tokens.id_token}`)
  expect((await other.submit(question, {})).body).toContain('You are signed out')
  expect(await sessionKeys(), 'the record is gone from the browser that held the session').toHaveLength(1)
  expect(await silently(browser)).toBe('login_required')
  expect(await silently(untouched)).toBe('code')

  // The state a day after the ending: the row and the log entry that end access tokens are gone, and every process
  // has dropped them. Redis is as it was before the sign-out.
  await provider.system.database.query({ name: '', text: `DELETE FROM grants.revocation WHERE kind = 's'` })
  await provider.system.restart(async () => {
    await redis.flushall()
    for (const [key, record] of snapshot) await redis.set(key, record ?? '')
  })
  let days = 0
  for (const until of [25 / 24, 4, 31, 399]) {
    provider.system.clock.advance((until - days) * DAY_MS)
    days = until
    expect(await silently(browser), `${until} days after the sign-out`).toBe('login_required')
    const page = await untouched.open('/ui/applications')
    expect(page.body, 'the page of a session that did not end').toContain('Your applications')
  }
  provider.system.clock.advance(2 * DAY_MS)
  expect(await silently(browser)).toBe('login_required')
}, 120_000)
