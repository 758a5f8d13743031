import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TestBrowser } from './browser.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'

const HOUR_MS = 3_600_000

let env: TestEnvironment
beforeAll(async () => {
  env = await startTestEnvironment()
  await asOwner(env.adminUrl, [
    `UPDATE directory.setting
        SET session_idle_seconds = 400 * 86400, session_absolute_seconds = 400 * 86400`,
  ])
})
afterAll(() => env?.stop())

let browser: TestBrowser
let sid: string
beforeEach(async () => {
  browser = env.newBrowser()
  await env.signIn(browser, await env.authorize(browser))
  sid = env.fakes.codeRequests.at(-1)?.session?.sid ?? ''
})

/** The error of a silent request, or `code`. */
async function silently(): Promise<string> {
  const { location } = await env.authorize(browser, { prompt: 'none' })
  return new URL(location).searchParams.get('error') ?? 'code'
}

/** The state of PostgreSQL after the row of the revocation log has been deleted. */
const endLongAgo = () =>
  asOwner(env.adminUrl, [`INSERT INTO grants.ended_session (month, sid) VALUES (0, '${sid}')`])

/** Returns a function that restores the current session records in Redis. */
async function snapshot(): Promise<() => Promise<void>> {
  const keys = await env.redis.keys('*sessions:*')
  const values = await Promise.all(keys.map((key) => env.redis.get(key)))
  return async () => {
    for (const [index, key] of keys.entries()) await env.redis.set(key, values[index] ?? '')
  }
}

describe('a session that ended', () => {
  it.each([25, 4 * 24, 31 * 24, 399 * 24])(
    'is refused %i hours later, when only PostgreSQL has its end and its Redis record was restored',
    async (hours) => {
      const restore = await snapshot()
      await endLongAgo()
      env.clock.advance(hours * HOUR_MS)
      await restore()
      expect(await silently()).toBe('login_required')
    },
  )

  it.each([1, 11, 13])(
    'is refused at any hour when its record was last checked %i hours before',
    async (hours) => {
      const before = await snapshot()
      env.clock.advance(hours * HOUR_MS)
      // The row in the revocation log exists for 24 hours and a minute; both rows are written in one transaction.
      await asOwner(env.adminUrl, [
        `INSERT INTO grants.revocation (day, kind, id, value, until)
        VALUES (1, 's', '${sid}', 1, clock_timestamp() + interval '24 hours 60 seconds')`,
      ])
      await endLongAgo()
      for (let hour = 0; hour <= 24; hour += 6) {
        await before()
        expect(await silently(), `${hour} hours after the end`).toBe('login_required')
        env.clock.advance(6 * HOUR_MS)
      }
      await asOwner(env.adminUrl, [`DELETE FROM grants.revocation WHERE id = '${sid}'`])
      await before()
      expect(await silently()).toBe('login_required')
    },
  )
})

describe('the table of ended sessions', () => {
  it('is read when the last check was more than 12 hours ago', async () => {
    await endLongAgo()
    env.clock.advance(12 * HOUR_MS)
    expect(await silently()).toBe('code')
    env.clock.advance(12 * HOUR_MS)
    expect(await silently()).toBe('code')
    env.clock.advance(12 * HOUR_MS + 1)
    expect(await silently()).toBe('login_required')
  })

  it('is read when the last check is in the future', async () => {
    await endLongAgo()
    env.clock.advance(-1)
    expect(await silently()).toBe('login_required')
    env.clock.advance(1)
  })

  it('is read when another account signs in to the browser', async () => {
    await endLongAgo()
    env.clock.advance(13 * HOUR_MS)
    await env.signIn(browser, await env.authorize(browser, { prompt: 'login' }), 'user2')
    expect(env.fakes.codeRequests.at(-1)?.session?.userId).toBe('user2')
    expect(await silently(), 'and the other one is gone').toBe('code')
  })
})

describe('while the table of ended sessions is unavailable', () => {
  beforeEach(() => asOwner(env.adminUrl, ['REVOKE SELECT ON grants_read.ended_session_v1 FROM signet_login']))
  afterEach(() => asOwner(env.adminUrl, ['GRANT SELECT ON grants_read.ended_session_v1 TO signet_login']))

  it('responds with unavailable and does not use the session', async () => {
    env.clock.advance(12 * HOUR_MS + 1)
    expect(await silently()).toBe('temporarily_unavailable')
    const page = await browser.get('/ui/applications')
    expect(page).toMatchObject({ status: 503, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } })
  })

  it('uses a session that was checked less than 12 hours ago', async () => {
    env.clock.advance(12 * HOUR_MS)
    expect(await silently()).toBe('code')
  })
})
