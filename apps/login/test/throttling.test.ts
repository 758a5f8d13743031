import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { asOwner } from './fixtures/directory-rows.ts'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'
import { PASSWORD } from './fixtures/peers.ts'
import type { PageView, TestBrowser } from './fixtures/test-browser.ts'

let world: LoginWorld

beforeAll(async () => {
  world = await startLoginWorld()
})
beforeEach(async () => {
  await world.redis.flushdb()
})
afterAll(() => world.stop())

async function tryPassword(
  loginName: string,
  password: string,
  browser = world.newBrowser(),
): Promise<PageView> {
  return browser.submit(await world.authorize(browser), { login_name: loginName, password })
}

async function fail(times: number, loginName = 'alice'): Promise<void> {
  for (let failure = 0; failure < times; failure += 1) {
    expect((await tryPassword(loginName, 'wrong')).status).toBe(400)
  }
}

const succeeds = async (loginName = 'alice') => (await tryPassword(loginName, PASSWORD)).status === 303
const lastTry = () => world.peers.passwordTries.at(-1)

describe('F-33: failed passwords of one account', () => {
  it('five cost nothing, the next try has to wait a second', async () => {
    await fail(4)
    expect(await succeeds()).toBe(true)
    await fail(5)
    expect(await succeeds()).toBe(false)
    world.clock.advance(999)
    expect(await succeeds()).toBe(false)
    world.clock.advance(1)
    expect(await succeeds()).toBe(true)
  })

  it('the delay doubles with each further failure, up to 15 minutes, and is never for ever', async () => {
    await fail(5)
    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
      world.clock.advance(seconds * 1000 - 1)
      expect(await succeeds(), `${seconds} s`).toBe(false)
      world.clock.advance(1)
      await tryPassword('alice', 'wrong')
      expect(lastTry()?.throttled, `${seconds} s`).toBe(false)
    }
    world.clock.advance(900_000)
    expect(await succeeds()).toBe(true)
  })

  it('a right password after the delay clears what counted', async () => {
    await fail(7)
    world.clock.advance(60_000)
    expect(await succeeds()).toBe(true)
    await fail(4)
    expect(await succeeds()).toBe(true)
  })

  it('D: an administrator lifts them, under the names of the account and for no other', async () => {
    await fail(9)
    await fail(9, 'dora')
    const names = { userId: 'alice', loginNames: ['alice@acme.localhost', 'alice'] }
    await world.signIns.forgetFailures(names, { timeoutMs: 20_000 })
    await fail(4)
    expect(await succeeds()).toBe(true)
    expect(await succeeds('dora')).toBe(false)
  })

  it('F-32: a throttled try is answered like a wrong password, and an unknown name like a known one', async () => {
    const bodyOf = ({ status, body }: PageView) => ({
      status,
      body: body
        .replace(/(name="(request|csrf)" value="|request=)[^"]*"/g, '')
        .replace(/value="(alice|nobody)"/, ''),
    })
    const wrong = bodyOf(await tryPassword('alice', 'wrong'))
    for (const loginName of ['alice', 'nobody']) {
      await fail(5, loginName)
      expect(bodyOf(await tryPassword(loginName, PASSWORD))).toEqual(wrong)
      expect(lastTry()).toMatchObject({ loginName, throttled: true })
    }
  })

  it('counts a name however it is written, and other accounts apart', async () => {
    await fail(3, 'alice')
    await fail(2, ' ALICE ')
    expect(await succeeds('alice')).toBe(false)
    expect(await succeeds('bob')).toBe(true)
  })

  it('of many tries at once no more get through than of as many in a row', async () => {
    const browsers = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const browser = world.newBrowser()
        return [browser, await world.authorize(browser)] as const
      }),
    )
    const before = world.peers.passwordTries.length
    await Promise.all(
      browsers.map(([browser, page]: readonly [TestBrowser, PageView]) =>
        browser.submit(page, { login_name: 'carol', password: 'wrong' }),
      ),
    )
    const tries = world.peers.passwordTries.slice(before)
    expect(tries).toHaveLength(30)
    expect(tries.filter(({ throttled }) => !throttled)).toHaveLength(5)
  })

  it('a directory that is away is nobody’s failure', async () => {
    world.peers.away.add('directory')
    for (let outage = 0; outage < 8; outage += 1)
      expect((await tryPassword('alice', PASSWORD)).status).toBe(503)
    world.peers.away.clear()
    expect(await succeeds()).toBe(true)
  })

  it('the policy of an organization may name another number', async () => {
    const policy = (attempts: number) =>
      `INSERT INTO directory.organization_policy VALUES ('globex', 'lockout', '{"maxPasswordAttempts": ${attempts}}')
         ON CONFLICT (organization_id, kind) DO UPDATE SET document = EXCLUDED.document`
    await asOwner(world.adminUrl, [policy(2)])
    const ofGlobex = { scope: 'openid urn:service:iam:org:id:globex' }
    const throttledAfter = async (failures: number, loginName: string, request = {}) => {
      await world.redis.flushdb()
      const browser = world.newBrowser()
      for (let failure = 0; failure <= failures; failure += 1) {
        await browser.submit(await world.authorize(browser, request), {
          login_name: loginName,
          password: 'wrong',
        })
      }
      return lastTry()?.throttled
    }
    await expect.poll(() => throttledAfter(2, 'dora', ofGlobex)).toBe(true)
    expect(await throttledAfter(1, 'dora', ofGlobex)).toBe(false)
    expect(await throttledAfter(2, 'dora@globex.localhost')).toBe(true)
    expect(await throttledAfter(2, 'dora')).toBe(false)
    await asOwner(world.adminUrl, [policy(0)])
    await expect.poll(() => throttledAfter(7, 'dora', ofGlobex)).toBe(false)
  })
})

describe('F-33: failed passwords from one address', () => {
  it('after a hundred within 15 minutes there is no further try, and then there is', async () => {
    for (let name = 0; name < 100; name += 1) await tryPassword(`nobody-${name}`, 'wrong')
    const tries = world.peers.passwordTries.length
    expect(await succeeds('bob')).toBe(false)
    expect(world.peers.passwordTries).toHaveLength(tries)
    const [key = ''] = await world.redis.keys('signet:login:attempts:address*')
    const ttl = await world.redis.ttl(key)
    expect(ttl).toBeGreaterThan(800)
    expect(ttl).toBeLessThanOrEqual(900)
    await world.redis.del(key)
    expect(await succeeds('bob')).toBe(true)
  })

  it('conformance, pages 7: sign-ins that succeed never count', async () => {
    for (let count = 0; count < 110; count += 1) expect(await succeeds('bob')).toBe(true)
  })
})

it('F-46: Redis holds neither the names that were typed nor passwords', async () => {
  await tryPassword('my-secret-typed-as-name', 'wrong-secret')
  const keys = await world.redis.keys('signet:login:attempts:*')
  expect(keys).toHaveLength(2)
  expect(keys.join()).not.toContain('secret')
})
