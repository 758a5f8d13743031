import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { asOwner } from './fixtures/directory-rows.ts'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'
import type { TestBrowser } from './fixtures/test-browser.ts'

const HOUR_MS = 3_600_000

let world: LoginWorld
beforeAll(async () => {
  world = await startLoginWorld()
  await asOwner(world.adminUrl, [
    `UPDATE directory.setting
        SET session_idle_seconds = 400 * 86400, session_absolute_seconds = 400 * 86400`,
  ])
})
afterAll(() => world?.stop())

let browser: TestBrowser
let sid: string
beforeEach(async () => {
  browser = world.newBrowser()
  await world.signIn(browser, await world.authorize(browser))
  sid = world.peers.codeRequests.at(-1)?.session?.sid ?? ''
})

/** The error of a silent request, or `code`. */
async function silently(): Promise<string> {
  const { location } = await world.authorize(browser, { prompt: 'none' })
  return new URL(location).searchParams.get('error') ?? 'code'
}

/** What is left in PostgreSQL of an ending once the row that readers of recent endings load has been dropped. */
const endLongAgo = () =>
  asOwner(world.adminUrl, [`INSERT INTO grants.ended_session (month, sid) VALUES (0, '${sid}')`])

/** The records of browsers in Redis, put back as an old snapshot would. */
async function snapshot(): Promise<() => Promise<void>> {
  const keys = await world.redis.keys('*sessions:*')
  const values = await Promise.all(keys.map((key) => world.redis.get(key)))
  return async () => {
    for (const [index, key] of keys.entries()) await world.redis.set(key, values[index] ?? '')
  }
}

describe('a session that ended', () => {
  it.each([25, 4 * 24, 31 * 24, 399 * 24])(
    'is refused %i hours later, when only PostgreSQL holds its end and its record is back',
    async (hours) => {
      const restore = await snapshot()
      await endLongAgo()
      world.clock.advance(hours * HOUR_MS)
      await restore()
      expect(await silently()).toBe('login_required')
    },
  )

  it.each([1, 11, 13])(
    'is refused at any hour when its record was last checked %i hours before',
    async (hours) => {
      const before = await snapshot()
      world.clock.advance(hours * HOUR_MS)
      // The row of a recent ending is there for 24 hours and a minute; both are written in one transaction.
      await asOwner(world.adminUrl, [
        `INSERT INTO grants.revocation (day, kind, id, value, until)
        VALUES (1, 's', '${sid}', 1, clock_timestamp() + interval '24 hours 60 seconds')`,
      ])
      await endLongAgo()
      for (let hour = 0; hour <= 24; hour += 6) {
        await before()
        expect(await silently(), `${hour} hours after the end`).toBe('login_required')
        world.clock.advance(6 * HOUR_MS)
      }
      await asOwner(world.adminUrl, [`DELETE FROM grants.revocation WHERE id = '${sid}'`])
      await before()
      expect(await silently()).toBe('login_required')
    },
  )
})

describe('the sessions that ever ended', () => {
  it('are asked when the last check was more than 12 hours ago', async () => {
    await endLongAgo()
    world.clock.advance(12 * HOUR_MS)
    expect(await silently()).toBe('code')
    world.clock.advance(12 * HOUR_MS)
    expect(await silently()).toBe('code')
    world.clock.advance(12 * HOUR_MS + 1)
    expect(await silently()).toBe('login_required')
  })

  it('are asked when the last check lies in the future', async () => {
    await endLongAgo()
    world.clock.advance(-1)
    expect(await silently()).toBe('login_required')
    world.clock.advance(1)
  })

  it('are asked when another account signs in to the browser', async () => {
    await endLongAgo()
    world.clock.advance(13 * HOUR_MS)
    await world.signIn(browser, await world.authorize(browser, { prompt: 'login' }), 'bob')
    expect(world.peers.codeRequests.at(-1)?.session?.userId).toBe('bob')
    expect(await silently(), 'and the other one is gone').toBe('code')
  })
})

describe('while the sessions that ever ended cannot be read', () => {
  beforeEach(() =>
    asOwner(world.adminUrl, ['REVOKE SELECT ON grants_read.ended_session_v1 FROM signet_login']),
  )
  afterEach(() => asOwner(world.adminUrl, ['GRANT SELECT ON grants_read.ended_session_v1 TO signet_login']))

  it('answers that it is unavailable, and does not use the session', async () => {
    world.clock.advance(12 * HOUR_MS + 1)
    expect(await silently()).toBe('temporarily_unavailable')
    const page = await browser.get('/ui/applications')
    expect(page).toMatchObject({ status: 503, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } })
  })

  it('uses a session that was checked less than 12 hours ago', async () => {
    world.clock.advance(12 * HOUR_MS)
    expect(await silently()).toBe('code')
  })
})
