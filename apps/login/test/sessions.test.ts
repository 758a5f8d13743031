import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { SubjectKind } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { asOwner } from './fixtures/directory-rows.ts'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'
import type { PageView, TestBrowser } from './fixtures/test-browser.ts'

let world: LoginWorld

beforeAll(async () => {
  world = await startLoginWorld()
})
beforeEach(() => {
  world.peers.epochs.user = 0n
})
afterAll(() => world.stop())

async function signedIn(loginName = 'alice'): Promise<TestBrowser> {
  const browser = world.newBrowser()
  await world.signIn(browser, await world.authorize(browser), loginName)
  return browser
}

const silently = (browser: TestBrowser, more = {}) => world.authorize(browser, { prompt: 'none', ...more })
const errorOf = ({ location }: PageView) => new URL(location).searchParams.get('error')
const codeOf = ({ location }: PageView) => new URL(location).searchParams.get('code')
const lastSession = () => world.peers.codeRequests.at(-1)?.session

describe('F-36: the session cookie', () => {
  it('has 256 bits, is new with every authentication, and the old one is worth nothing', async () => {
    const browser = await signedIn()
    const before = browser.cookies.get('signet.session') ?? ''
    expect(before).toMatch(/^[\w-]{43}$/)

    await world.signIn(browser, await world.authorize(browser, { prompt: 'login' }))
    expect(browser.cookies.get('signet.session')).not.toBe(before)
    const thief = world.newBrowser()
    thief.cookies.set('signet.session', before)
    expect(errorOf(await silently(thief))).toBe('login_required')
    expect(codeOf(await silently(browser))).toMatch(/^code-/)
  })

  it('is not taken from the browser: a planted value is replaced at sign-in', async () => {
    const browser = world.newBrowser()
    const planted = 'A'.repeat(43)
    browser.cookies.set('signet.session', planted)
    await world.signIn(browser, await world.authorize(browser))
    expect(browser.cookies.get('signet.session')).not.toBe(planted)
    const thief = world.newBrowser()
    thief.cookies.set('signet.session', planted)
    expect(errorOf(await silently(thief))).toBe('login_required')
  })

  it('is not in Redis, and tells nothing of sid', async () => {
    const browser = await signedIn()
    const cookie = browser.cookies.get('signet.session') ?? ''
    const keys = await world.redis.keys('*')
    const readKey = async (key: string) => {
      const type = await world.redis.type(key)
      if (type === 'hash') return world.redis.hgetall(key)
      return type === 'zset' ? world.redis.zrange(key, '0', '-1') : world.redis.get(key)
    }
    const values = await Promise.all(keys.map(readKey))
    expect(JSON.stringify([keys, values])).not.toContain(cookie)
    expect(cookie).not.toContain(lastSession()?.sid)
  })

  it('has the attributes of an http issuer', async () => {
    const browser = world.newBrowser()
    const page = await world.authorize(browser)
    const answer = await browser.submit(page, { login_name: 'alice', password: 'Correct-horse-9' })
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^signet\.session=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/$/),
      expect.stringMatching(/^signet\.device=[\w.-]+; HttpOnly; SameSite=Lax; Path=\/; Max-Age=7776000$/),
    ])
  })
})

describe('how long a session lasts', () => {
  it('F-36: ends 7 days after its last use', async () => {
    const browser = await signedIn()
    world.clock.advance(6 * 86_400_000)
    expect(codeOf(await silently(browser))).toMatch(/^code-/)
    world.clock.advance(6 * 86_400_000)
    expect(codeOf(await silently(browser))).toMatch(/^code-/)
    world.clock.advance(7 * 86_400_000)
    expect(errorOf(await silently(browser))).toBe('login_required')
  })

  it('F-36: ends 30 days after the authentication, however often it is used', async () => {
    const browser = await signedIn()
    for (let day = 0; day < 30; day += 5) {
      expect(codeOf(await silently(browser))).toMatch(/^code-/)
      world.clock.advance(5 * 86_400_000)
    }
    expect(errorOf(await silently(browser))).toBe('login_required')
  })

  it('is refused once token has revoked it, although Redis still knows it', async () => {
    const browser = await signedIn()
    await asOwner(world.adminUrl, [
      `INSERT INTO grants.revocation (day, kind, id, value, until)
        VALUES (1, 's', '${lastSession()?.sid}', 1, clock_timestamp() + interval '24 hours')`,
    ])
    expect(errorOf(await silently(browser))).toBe('login_required')
  })

  it('is refused once its user carries a higher epoch; signing in again makes a session with another sid', async () => {
    const browser = await signedIn('carol')
    const sid = lastSession()?.sid
    await asOwner(world.adminUrl, [
      `UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = 'carol'`,
      `INSERT INTO grants.revocation (day, kind, id, value, until)
        SELECT 1, 'u', 'carol', token_epoch, clock_timestamp() + interval '24 hours' FROM directory.account WHERE user_id = 'carol'`,
    ])
    world.peers.epochs.user = 1n
    expect(errorOf(await silently(browser))).toBe('login_required')
    await world.signIn(browser, await world.authorize(browser), 'carol')
    expect(lastSession()?.sid).not.toBe(sid)
  })
})

describe('what the client may demand', () => {
  it('F-37: prompt=none answers silently with the same sub, sid and auth_time', async () => {
    const browser = await signedIn()
    const first = lastSession()
    world.clock.advance(5_000)
    expect(codeOf(await silently(browser))).toMatch(/^code-/)
    expect(lastSession()).toEqual(first)
  })

  it('F-36: prompt=login asks again, keeps sid and moves auth_time', async () => {
    const browser = await signedIn()
    const first = lastSession()
    world.clock.advance(2_000)
    const page = await world.authorize(browser, { prompt: 'login' })
    expect(page.text).toContain('Sign in')
    await world.signIn(browser, page)
    expect(lastSession()?.sid).toBe(first?.sid)
    expect(Number(lastSession()?.authTime?.seconds)).toBe(Number(first?.authTime?.seconds) + 2)
  })

  it('F-36: max_age asks again when the authentication is older, not when it is younger', async () => {
    const browser = await signedIn()
    world.clock.advance(2_000)
    expect(codeOf(await world.authorize(browser, { max_age: '10000' }))).toMatch(/^code-/)
    const page = await world.authorize(browser, { max_age: '1' })
    expect(page.text).toContain('Sign in')
    expect((await world.signIn(browser, page)).get('code')).toMatch(/^code-/)
    expect((await world.authorize(browser, { max_age: '0' })).text).toContain('Sign in')
    expect(errorOf(await silently(browser, { max_age: '0' }))).toBe('login_required')
  })

  it('OIDC Core section 3.1.2.1: id_token_hint answers for the person it names and for nobody else', async () => {
    const browser = await signedIn()
    const alice = await world.peers.idToken({ sub: 'alice' })
    const bob = await world.peers.idToken({ sub: 'bob' })
    expect(codeOf(await silently(browser, { id_token_hint: alice }))).toMatch(/^code-/)
    expect(errorOf(await silently(browser, { id_token_hint: bob }))).toBe('login_required')

    const page = await world.authorize(browser, { id_token_hint: bob })
    expect(page.text).toContain('Sign in')
    expect((await world.signIn(browser, page, 'alice')).get('error')).toBe('login_required')
  })

  it('OIDC Core section 5.5.1: claims may name the only person to answer for', async () => {
    const browser = await signedIn()
    const only = (value: string) => ({ claims: JSON.stringify({ id_token: { sub: { value } } }) })
    expect(codeOf(await silently(browser, only('alice')))).toMatch(/^code-/)
    expect(errorOf(await silently(browser, only('bob')))).toBe('login_required')
  })

  it('refuses a hint that we did not sign as an ID token', async () => {
    const browser = await signedIn()
    const hints = [
      'nonsense',
      await world.peers.idToken({ sub: 'alice', iss: 'https://elsewhere.localhost' }),
      await world.peers.idToken({ sub: 'alice' }, { kid: 'unknown' }),
      await world.peers.idToken({ sub: 'alice' }, { typ: 'at+jwt' }),
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"sub":"alice"}').toString('base64url')}.`,
    ]
    for (const hint of hints) {
      expect(errorOf(await silently(browser, { id_token_hint: hint }))).toBe('invalid_request')
    }
  })
})

describe('D: administrators see and end the sessions of a person', () => {
  const TIMEOUT = { timeoutMs: 20_000 }
  const list = async (userId: string) =>
    (await world.userSessions.listSessions({ userId }, TIMEOUT)).sessions.map(({ sid }) => sid)
  const end = (userId: string, sid: string) =>
    world.userSessions.endSession(
      { userId, sid, administrator: { userId: 'root', kind: SubjectKind.HUMAN }, clientAddress: '192.0.2.7' },
      TIMEOUT,
    )

  it('each once, in every browser, until it ends by itself', async () => {
    const [before, one] = [await list('dora'), await signedIn('dora')]
    const first = lastSession()?.sid ?? ''
    await signedIn('dora')
    const second = lastSession()?.sid ?? ''
    await world.signIn(one, await world.authorize(one, { prompt: 'login' }), 'dora')
    expect(before).toEqual([])
    expect(await list('dora')).toEqual([first, second].sort())

    const [session] = (await world.userSessions.listSessions({ userId: 'dora' }, TIMEOUT)).sessions
    const now = world.clock.now().getTime()
    expect(session).toMatchObject({
      authTime: timestampFromMs(now),
      lastUsedAt: timestampFromMs(now),
      expiresAt: timestampFromMs(now + 7 * 86_400_000),
      amr: ['pwd'],
    })
    world.clock.advance(6 * 86_400_000)
    expect(codeOf(await silently(one))).toMatch(/^code-/)
    world.clock.advance(6 * 86_400_000)
    expect(await list('dora')).toEqual([first])
    world.clock.advance(6 * 86_400_000)
    expect(await list('dora')).toEqual([])
  })

  it('ends one and no other, of this browser or of another', async () => {
    const shared = await signedIn('bob')
    await world.signIn(shared, await world.authorize(shared, { prompt: 'login' }), 'dora')
    const sid = lastSession()?.sid ?? ''
    const elsewhere = await signedIn('dora')
    world.peers.endedSids.splice(0)

    await end('dora', sid)
    expect(world.peers.endedSids).toEqual([sid])
    expect(world.peers.administrators.at(-1)).toBe('root')
    expect(world.peers.endedFrom.at(-1)).toBe('192.0.2.7')
    expect(await list('dora')).toEqual([lastSession()?.sid])
    expect(codeOf(await silently(elsewhere))).toMatch(/^code-/)
    expect(codeOf(await silently(shared))).toMatch(/^code-/)
    expect(lastSession()?.userId).toBe('bob')
  })

  it('is not found under the name of somebody else, and ends nothing then', async () => {
    await signedIn('bob')
    const sid = lastSession()?.sid ?? ''
    world.peers.endedSids.splice(0)
    await expect(end('dora', sid)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(end('bob', 'unknown')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(world.peers.endedSids).toEqual([])
  })

  it('can be repeated when its tokens could not be ended', async () => {
    const browser = await signedIn('bob')
    const sid = lastSession()?.sid ?? ''
    world.peers.away.add('token')
    await expect(end('bob', sid)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    world.peers.away.delete('token')
    // Token had recorded it, and only the answer was lost.
    await asOwner(world.adminUrl, [
      `INSERT INTO grants.revocation (day, kind, id, value, until)
        VALUES (1, 's', '${sid}', 1, clock_timestamp() + interval '24 hours')`,
    ])
    expect(await list('bob')).not.toContain(sid)
    await end('bob', sid)
    expect(errorOf(await silently(browser))).toBe('login_required')
    await expect(end('bob', sid)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

it('a deactivated account cannot use its session', async () => {
  const browser = await signedIn('alice')
  await asOwner(world.adminUrl, [`UPDATE directory.account SET state = 'inactive' WHERE user_id = 'alice'`])
  await expect.poll(async () => errorOf(await silently(browser))).toBe('login_required')
})
