import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { SubjectKind } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PageView, TestBrowser } from './browser.ts'
import { PASSWORD } from './fake-services.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
})
beforeEach(() => {
  env.fakes.epochs.user = 0n
})
afterAll(() => env.stop())

async function signedIn(loginName = 'user1'): Promise<TestBrowser> {
  const browser = env.newBrowser()
  await env.signIn(browser, await env.authorize(browser), loginName)
  return browser
}

const silently = (browser: TestBrowser, more = {}) => env.authorize(browser, { prompt: 'none', ...more })
const errorOf = ({ location }: PageView) => new URL(location).searchParams.get('error')
const codeOf = ({ location }: PageView) => new URL(location).searchParams.get('code')
const lastSession = () => env.fakes.codeRequests.at(-1)?.session

describe('the session cookie [F-36]', () => {
  const maxAge = ({ headers }: PageView) =>
    [headers['set-cookie'] ?? []]
      .flat()
      .find((line) => line.startsWith('signet.session='))
      ?.match(/Max-Age=(\d+)/)?.[1]
  const DAY = 24 * 60 * 60

  it('lasts as long as the session, again from each use on, and not beyond the absolute time', async () => {
    const browser = env.newBrowser()
    const page = await env.authorize(browser)
    const values = { login_name: 'user1', password: PASSWORD }
    const signedInBy = await browser.submit(page, values)
    expect(maxAge(signedInBy)).toBe(`${7 * DAY}`)
    await browser.follow(signedInBy)
    expect(maxAge(await silently(browser))).toBeUndefined()
    for (let day = 6; day < 24; day += 6) {
      env.clock.advance(6 * DAY * 1000)
      expect(maxAge(await silently(browser))).toBe(`${7 * DAY}`)
    }
    env.clock.advance(6 * DAY * 1000)
    expect(maxAge(await silently(browser))).toBe(`${6 * DAY}`)
  })

  it('ends with the browser under a login policy that says so', async () => {
    await asOwner(env.adminUrl, [
      `INSERT INTO directory.organization_policy VALUES ('globex', 'login', '{"sessionEndsWithBrowser": true}')`,
    ])
    const signIn = async (browser: TestBrowser) =>
      browser.submit(await env.authorize(browser), { login_name: 'globex1', password: PASSWORD })
    // The policy counts once the service has read the change.
    const ends = expect.stringMatching(/^signet\.session=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/$/)
    await expect
      .poll(async () => (await signIn(env.newBrowser())).headers['set-cookie'], { timeout: 20_000 })
      .toContainEqual(ends)
    const browser = env.newBrowser()
    const ofGlobex = await signIn(browser)
    expect(ofGlobex.headers['set-cookie']).toContainEqual(ends)
    await browser.follow(ofGlobex)
    const again = await env.authorize(browser, { prompt: 'login' })
    const both = await browser.submit(again, { login_name: 'user1', password: PASSWORD })
    expect(maxAge(both)).toBeUndefined()
  })

  it('has 256 bits, changes with every authentication, and its previous value is invalid', async () => {
    const browser = await signedIn()
    const before = browser.cookies.get('signet.session') ?? ''
    expect(before).toMatch(/^[\w-]{43}$/)

    await env.signIn(browser, await env.authorize(browser, { prompt: 'login' }))
    expect(browser.cookies.get('signet.session')).not.toBe(before)
    const thief = env.newBrowser()
    thief.cookies.set('signet.session', before)
    expect(errorOf(await silently(thief))).toBe('login_required')
    expect(codeOf(await silently(browser))).toMatch(/^code-/)
  })

  it('replaces a value that the browser sends before the sign-in', async () => {
    const browser = env.newBrowser()
    const planted = 'A'.repeat(43)
    browser.cookies.set('signet.session', planted)
    await env.signIn(browser, await env.authorize(browser))
    expect(browser.cookies.get('signet.session')).not.toBe(planted)
    const thief = env.newBrowser()
    thief.cookies.set('signet.session', planted)
    expect(errorOf(await silently(thief))).toBe('login_required')
  })

  it('is not in Redis and is unrelated to sid', async () => {
    const browser = await signedIn()
    const cookie = browser.cookies.get('signet.session') ?? ''
    const keys = await env.redis.keys('*')
    const readKey = async (key: string) => {
      const type = await env.redis.type(key)
      if (type === 'hash') return env.redis.hgetall(key)
      return type === 'zset' ? env.redis.zrange(key, '0', '-1') : env.redis.get(key)
    }
    const values = await Promise.all(keys.map(readKey))
    expect(JSON.stringify([keys, values])).not.toContain(cookie)
    expect(cookie).not.toContain(lastSession()?.sid)
  })

  it('has the attributes of an http issuer', async () => {
    const browser = env.newBrowser()
    const page = await env.authorize(browser)
    const answer = await browser.submit(page, { login_name: 'user1', password: 'Correct-horse-9' })
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^signet\.request\.[\w-]{16}=; HttpOnly; SameSite=Lax; Path=\/; Max-Age=0$/),
      expect.stringMatching(/^signet\.session=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=604800$/),
      expect.stringMatching(/^signet\.device=[\w.-]+; HttpOnly; SameSite=Lax; Path=\/; Max-Age=7776000$/),
    ])
  })
})

describe('the lifetime of a session', () => {
  it('ends 7 days after the last use [F-36]', async () => {
    const browser = await signedIn()
    env.clock.advance(6 * 86_400_000)
    expect(codeOf(await silently(browser))).toMatch(/^code-/)
    env.clock.advance(6 * 86_400_000)
    expect(codeOf(await silently(browser))).toMatch(/^code-/)
    env.clock.advance(7 * 86_400_000)
    expect(errorOf(await silently(browser))).toBe('login_required')
  })

  it('ends 30 days after the authentication, also with constant use [F-36]', async () => {
    const browser = await signedIn()
    for (let day = 0; day < 30; day += 5) {
      expect(codeOf(await silently(browser))).toMatch(/^code-/)
      env.clock.advance(5 * 86_400_000)
    }
    expect(errorOf(await silently(browser))).toBe('login_required')
  })

  it('ends when the token service revokes the session, although Redis still has it', async () => {
    const browser = await signedIn()
    await asOwner(env.adminUrl, [
      `INSERT INTO grants.revocation (day, kind, id, value, until)
        VALUES (1, 's', '${lastSession()?.sid}', 1, clock_timestamp() + interval '24 hours')`,
    ])
    expect(errorOf(await silently(browser))).toBe('login_required')
  })

  it('ends with a higher epoch of its user; a new sign-in creates a session with another sid', async () => {
    const browser = await signedIn('user3')
    const sid = lastSession()?.sid
    await asOwner(env.adminUrl, [
      `UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = 'user3'`,
      `INSERT INTO grants.revocation (day, kind, id, value, until)
        SELECT 1, 'u', 'user3', token_epoch, clock_timestamp() + interval '24 hours' FROM directory.account WHERE user_id = 'user3'`,
    ])
    env.fakes.epochs.user = 1n
    expect(errorOf(await silently(browser))).toBe('login_required')
    await env.signIn(browser, await env.authorize(browser), 'user3')
    expect(lastSession()?.sid).not.toBe(sid)
  })
})

describe('requirements of the client', () => {
  it('prompt=none responds without a page with the same sub, sid and auth_time [F-37]', async () => {
    const browser = await signedIn()
    const first = lastSession()
    env.clock.advance(5_000)
    expect(codeOf(await silently(browser))).toMatch(/^code-/)
    expect(lastSession()).toEqual(first)
  })

  it('prompt=login asks again, keeps sid and updates auth_time [F-36]', async () => {
    const browser = await signedIn()
    const first = lastSession()
    env.clock.advance(2_000)
    const page = await env.authorize(browser, { prompt: 'login' })
    expect(page.text).toContain('Sign in')
    await env.signIn(browser, page)
    expect(lastSession()?.sid).toBe(first?.sid)
    expect(Number(lastSession()?.authTime?.seconds)).toBe(Number(first?.authTime?.seconds) + 2)
  })

  it('max_age asks again after an older authentication only [F-36]', async () => {
    const browser = await signedIn()
    env.clock.advance(2_000)
    expect(codeOf(await env.authorize(browser, { max_age: '10000' }))).toMatch(/^code-/)
    const page = await env.authorize(browser, { max_age: '1' })
    expect(page.text).toContain('Sign in')
    expect((await env.signIn(browser, page)).get('code')).toMatch(/^code-/)
    expect((await env.authorize(browser, { max_age: '0' })).text).toContain('Sign in')
    expect(errorOf(await silently(browser, { max_age: '0' }))).toBe('login_required')
  })

  it('id_token_hint restricts the response to its user (OIDC Core section 3.1.2.1)', async () => {
    const browser = await signedIn()
    const user1 = await env.fakes.idToken({ sub: 'user1' })
    const user2 = await env.fakes.idToken({ sub: 'user2' })
    expect(codeOf(await silently(browser, { id_token_hint: user1 }))).toMatch(/^code-/)
    expect(errorOf(await silently(browser, { id_token_hint: user2 }))).toBe('login_required')

    const page = await env.authorize(browser, { id_token_hint: user2 })
    expect(page.text).toContain('Sign in')
    expect((await env.signIn(browser, page, 'user1')).get('error')).toBe('login_required')
  })

  it('claims can restrict the response to one user (OIDC Core section 5.5.1)', async () => {
    const browser = await signedIn()
    const only = (value: string) => ({ claims: JSON.stringify({ id_token: { sub: { value } } }) })
    expect(codeOf(await silently(browser, only('user1')))).toMatch(/^code-/)
    expect(errorOf(await silently(browser, only('user2')))).toBe('login_required')
  })

  it('rejects a hint that is not a signed ID token of this issuer', async () => {
    const browser = await signedIn()
    const hints = [
      'nonsense',
      await env.fakes.idToken({ sub: 'user1', iss: 'https://elsewhere.localhost' }),
      await env.fakes.idToken({ sub: 'user1' }, { kid: 'unknown' }),
      await env.fakes.idToken({ sub: 'user1' }, { typ: 'at+jwt' }),
      // An identity assertion, whose audience may be the URL that is the id of a client.
      await env.fakes.idToken({ sub: 'user1', azp: undefined }, { typ: 'oauth-id-jag+jwt' }),
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"sub":"user1"}').toString('base64url')}.`,
    ]
    for (const hint of hints) {
      expect(errorOf(await silently(browser, { id_token_hint: hint }))).toBe('invalid_request')
    }
  })
})

describe('the gRPC service of sessions', () => {
  const TIMEOUT = { timeoutMs: 20_000 }
  const list = async (userId: string) =>
    (await env.userSessions.listSessions({ userId }, TIMEOUT)).sessions.map(({ sid }) => sid)
  const end = (userId: string, sid: string) =>
    env.userSessions.endSession(
      { userId, sid, administrator: { userId: 'root', kind: SubjectKind.HUMAN }, clientAddress: '192.0.2.7' },
      TIMEOUT,
    )

  it('lists each session of a user once, in every browser, until it expires', async () => {
    const [before, one] = [await list('globex1'), await signedIn('globex1')]
    const first = lastSession()?.sid ?? ''
    await signedIn('globex1')
    const second = lastSession()?.sid ?? ''
    await env.signIn(one, await env.authorize(one, { prompt: 'login' }), 'globex1')
    expect(before).toEqual([])
    expect(await list('globex1')).toEqual([first, second].sort())

    const [session] = (await env.userSessions.listSessions({ userId: 'globex1' }, TIMEOUT)).sessions
    const now = env.clock.now().getTime()
    expect(session).toMatchObject({
      authTime: timestampFromMs(now),
      lastUsedAt: timestampFromMs(now),
      expiresAt: timestampFromMs(now + 7 * 86_400_000),
      amr: ['pwd'],
    })
    env.clock.advance(6 * 86_400_000)
    expect(codeOf(await silently(one))).toMatch(/^code-/)
    env.clock.advance(6 * 86_400_000)
    expect(await list('globex1')).toEqual([first])
    env.clock.advance(6 * 86_400_000)
    expect(await list('globex1')).toEqual([])
  })

  it('tells from where a person signed in, and for which applications, without the header of the browser', async () => {
    const browser = env.newBrowser()
    browser.sentFrom = {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    }
    await env.signIn(browser, await env.authorize(browser), 'user2')
    const other = { client_id: 'web-in-development' }
    expect(codeOf(await silently(browser, other))).toMatch(/^code-/)
    const [session] = (await env.userSessions.listSessions({ userId: 'user2' }, TIMEOUT)).sessions.filter(
      ({ sid }) => sid === lastSession()?.sid,
    )
    expect(session).toMatchObject({
      ...{ browser: 'Firefox', system: 'Linux', clientAddress: '127.0.0.1' },
      clientIds: ['web-in-development', 'web'],
    })
    const page = await browser.get('/ui/account/sessions')
    expect(page.text).toContain('Firefox, Linux')
    expect(page.text).toContain('Portal in development, Portal &lt;web&gt;')
    const records = await Promise.all((await env.redis.keys('*:sessions:*')).map((key) => env.redis.get(key)))
    expect(records.join()).not.toContain('Gecko')
  })

  it('ends one session and no other', async () => {
    const shared = await signedIn('user2')
    await env.signIn(shared, await env.authorize(shared, { prompt: 'login' }), 'globex1')
    const sid = lastSession()?.sid ?? ''
    const elsewhere = await signedIn('globex1')
    env.fakes.endedSids.splice(0)

    await end('globex1', sid)
    expect(env.fakes.endedSids).toEqual([sid])
    expect(env.fakes.administrators.at(-1)).toBe('root')
    expect(env.fakes.endedFrom.at(-1)).toBe('192.0.2.7')
    expect(await list('globex1')).toEqual([lastSession()?.sid])
    expect(codeOf(await silently(elsewhere))).toMatch(/^code-/)
    expect(codeOf(await silently(shared))).toMatch(/^code-/)
    expect(lastSession()?.userId).toBe('user2')
  })

  it('returns not found for a session of another user, and ends nothing', async () => {
    await signedIn('user2')
    const sid = lastSession()?.sid ?? ''
    env.fakes.endedSids.splice(0)
    await expect(end('globex1', sid)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(end('user2', 'unknown')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(env.fakes.endedSids).toEqual([])
  })

  it('can be repeated when the tokens could not be revoked', async () => {
    const browser = await signedIn('user2')
    const sid = lastSession()?.sid ?? ''
    env.fakes.away.add('token')
    await expect(end('user2', sid)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    env.fakes.away.delete('token')
    // The token service had recorded it, and only its response was lost.
    await asOwner(env.adminUrl, [
      `INSERT INTO grants.revocation (day, kind, id, value, until)
        VALUES (1, 's', '${sid}', 1, clock_timestamp() + interval '24 hours')`,
    ])
    expect(await list('user2')).not.toContain(sid)
    await end('user2', sid)
    expect(errorOf(await silently(browser))).toBe('login_required')
    await expect(end('user2', sid)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

it('rejects the session of a deactivated account', async () => {
  const browser = await signedIn('user1')
  await asOwner(env.adminUrl, [`UPDATE directory.account SET state = 'inactive' WHERE user_id = 'user1'`])
  await expect.poll(async () => errorOf(await silently(browser))).toBe('login_required')
})
