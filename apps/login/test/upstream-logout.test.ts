import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { PageView, TestBrowser } from './browser.ts'
import { asserted } from './fake-upstream.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'
import { callback, chooseProvider, hiddenFields, openIdProvider, stateOf } from './upstream-pages.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
  await asOwner(env.adminUrl, [
    "UPDATE directory.setting SET default_organization_id = 'acme'",
    openIdProvider('corp'),
  ])
})
afterAll(() => env?.stop())
beforeEach(async () => {
  await env.redis.flushdb()
  env.upstream.reset()
  env.fakes.endedSids.length = 0
  env.upstream.links.set('alice', 'user1')
})

const ISSUER = 'https://idp.localhost'

/** Signs in by the provider, which calls the sign-in by these names. */
async function signIn(
  { authenticatedAt, ...names }: { tokenSubject?: string; sessionId?: string; authenticatedAt?: Date },
  browser = env.newBrowser(),
) {
  const answer = asserted('alice', authenticatedAt)
  if (!('assertion' in answer)) throw new Error('no assertion')
  env.upstream.answers.set('alice', { assertion: { ...answer.assertion, tokenSubject: 'alice', ...names } })
  const away = await chooseProvider(browser, await env.authorize(browser))
  return { browser, back: callback(stateOf(away)) }
}

async function signedIn(names: Parameters<typeof signIn>[0]): Promise<TestBrowser> {
  const { browser, back } = await signIn(names)
  await browser.follow(await browser.get(back))
  expect(await isSignedIn(browser)).toBe(true)
  return browser
}

const isSignedIn = async (browser: TestBrowser) =>
  new URL((await env.authorize(browser, { prompt: 'none' })).location).searchParams.has('code')

interface Named {
  readonly subject?: string
  readonly sessionId?: string
  readonly tokenId?: string
  readonly issuer?: string
  readonly issuedAt?: Date
}

const now = () => env.clock.now()

function logout({ issuedAt = now(), ...names }: Named, provider = 'corp'): Promise<PageView> {
  env.upstream.logout = {
    ...{ issuer: ISSUER, subject: '', sessionId: '', tokenId: `${Math.random()}`, ...names },
    issuedAt: timestampFromDate(issuedAt),
    expiresAt: timestampFromDate(new Date(issuedAt.getTime() + 120_000)),
  }
  return env
    .newBrowser()
    .post(`/ui/identity-providers/${provider}/backchannel-logout`, { logout_token: 'a token' })
}

it('ends the session that the token names, with its tokens, and no other one', async () => {
  const first = await signedIn({ sessionId: 's1' })
  const second = await signedIn({ sessionId: 's2' })
  const answer = await logout({ sessionId: 's1' })
  expect([answer.status, answer.headers['cache-control']]).toEqual([200, expect.stringContaining('no-store')])
  expect(await isSignedIn(first)).toBe(false)
  expect(await isSignedIn(second)).toBe(true)
  expect(env.fakes.endedSids).toHaveLength(1)
})

it('ends all sessions of a subject, and those without an id where the token has one', async () => {
  const browsers = [
    await signedIn({ sessionId: 's1' }),
    await signedIn({ sessionId: 's2' }),
    await signedIn({}),
  ]
  await logout({ subject: 'alice', sessionId: 's1' })
  expect(await Promise.all(browsers.map(isSignedIn))).toEqual([false, true, false])
  await logout({ subject: 'alice' })
  expect(await Promise.all(browsers.map(isSignedIn))).toEqual([false, false, false])
})

it('ends for its applications what an administrator does as another person by the session', async () => {
  const browser = await signedIn({ sessionId: 's1', authenticatedAt: now() })
  const token = 'x'.repeat(43)
  env.fakes.impersonations.set(token, {
    ...{ administratorId: 'user1', userId: 'user2' },
    endsAt: new Date(now().getTime() + 3_600_000),
  })
  const path = '/ui/impersonation'
  const begun = await browser.post(path, hiddenFields((await browser.get(`${path}?token=${token}`)).body))
  expect([begun.status, begun.location]).toEqual([303, path])
  env.fakes.administrators.length = 0
  await logout({ sessionId: 's1' })
  expect(env.fakes.endedSids).toHaveLength(2)
  expect(env.fakes.administrators).toEqual(['user1'])
  expect((await env.authorize(browser)).body).not.toContain('You act as this person')
})

it.each<[string, Named, string?]>([
  ['another issuer', { subject: 'alice', issuer: 'https://other.example' }],
  ['another subject', { subject: 'bob' }],
  ['the session of another subject', { subject: 'bob', sessionId: 's1' }],
  ['another provider', { subject: 'alice' }, 'other'],
  ['a time before the sign-in', { subject: 'alice', issuedAt: new Date(0) }],
])('ends nothing for %s', async (_, named, provider) => {
  const browser = await signedIn({ sessionId: 's1' })
  expect((await logout(named, provider)).status).toBe(200)
  expect(await isSignedIn(browser)).toBe(true)
  expect(env.fakes.endedSids).toEqual([])
})

it('ends no session of a person who signed in otherwise', async () => {
  const browser = env.newBrowser()
  await env.signIn(browser, await env.authorize(browser))
  await logout({ subject: 'alice' })
  expect(await isSignedIn(browser)).toBe(true)
})

it('takes a token once, also when it comes twice at the same time', async () => {
  await signedIn({ sessionId: 's1' })
  const both = await Promise.all([1, 2].map(() => logout({ sessionId: 's1', tokenId: 'once' })))
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(env.fakes.endedSids).toHaveLength(1)
})

it('takes a token again whose sessions could not be ended', async () => {
  const browser = await signedIn({ sessionId: 's1' })
  env.fakes.away.add('token')
  const failed = await logout({ sessionId: 's1', tokenId: 'again' })
  expect([failed.status, JSON.parse(failed.body).error]).toEqual([503, 'temporarily_unavailable'])
  env.fakes.away.clear()
  expect((await logout({ sessionId: 's1', tokenId: 'again' })).status).toBe(200)
  expect(await isSignedIn(browser)).toBe(false)
})

it.each([
  ['the token comes', [0]],
  ['an older token comes after the newer one', [0, -90_000]],
])('ends a sign-in that is under way when %s', async (_, ages) => {
  // The provider has asserted the person, and the second factor is missing.
  env.upstream.links.set('alice', 'totpuser')
  env.upstream.secondFactorRequired = true
  env.fakes.totpCodes.add('123456')
  const { browser, back } = await signIn({ sessionId: 's1' })
  const code = await browser.follow(await browser.get(back))
  for (const age of ages) await logout({ sessionId: 's1', issuedAt: new Date(now().getTime() + age) })
  await browser.follow(await browser.submit(code, { code: '123456' }))
  expect(await isSignedIn(browser)).toBe(false)
})

it('gives the application nothing of a sign-in that ends before the response leaves', async () => {
  const { browser, back } = await signIn({ sessionId: 's1' })
  await logout({ sessionId: 's1' })
  const answer = await browser.get(back)
  expect(answer.location).toMatch(/^\/oauth\/v2\/authorize\?continue=/)
  expect(env.fakes.endedSids).toHaveLength(1)
  const again = await browser.follow(answer)
  expect([again.status, again.body]).toEqual([200, expect.stringContaining('name="login_name"')])
})

it('answers a request that is no form of a logout as it answers clients, and shows no page', async () => {
  const path = '/UI/identity-providers/corp/backchannel-logout/'
  const answer = await env.newBrowser().post(path, { logout_token: 'x'.repeat(20_000) })
  expect(answer.status).toBe(413)
  expect(JSON.parse(answer.body)).toMatchObject({ error: 'invalid_request' })
})

it('refuses a token that federation refuses, and says the rule to the log alone', async () => {
  env.upstream.logoutRefusal = { rule: 'logout_event_missing' }
  const refused = await logout({ subject: 'alice' })
  expect([refused.status, refused.body]).toEqual([400, expect.stringContaining('"invalid_request"')])
  expect(refused.body).not.toContain('logout_event_missing')
  env.upstream.logoutRefusal = { rule: 'provider_away', temporary: true }
  expect((await logout({ subject: 'alice' })).status).toBe(503)
})

const SINGLE_LOGOUT = '/ui/identity-providers/corp/single-logout'

/** Brings a LogoutRequest of SAML, whose names federation has verified. */
function samlLogout(sessionIds: string[], named: Named = {}, browser = env.newBrowser()): Promise<PageView> {
  const times = { issuedAt: timestampFromDate(now()) }
  env.upstream.logoutSessionIds = sessionIds
  env.upstream.logout = {
    ...{ issuer: ISSUER, subject: 'alice', sessionId: sessionIds[0] ?? '', tokenId: `${Math.random()}` },
    ...{ ...times, expiresAt: timestampFromDate(new Date(now().getTime() + 300_000)) },
    ...(named.tokenId && { tokenId: named.tokenId }),
    ...(named.subject && { subject: named.subject }),
  }
  return browser.get(`${SINGLE_LOGOUT}?SAMLRequest=a&SigAlg=b&Signature=c`)
}

it('ends the sessions that a LogoutRequest of SAML names, and leads back with the answer', async () => {
  const browsers = [
    await signedIn({ sessionId: 's1' }),
    await signedIn({ sessionId: 's2' }),
    await signedIn({ sessionId: 's3' }),
  ]
  const answer = await samlLogout(['s1', 's2'])
  expect([answer.status, answer.location]).toEqual([303, 'https://idp.localhost/slo?SAMLResponse=signed'])
  expect(await Promise.all(browsers.map(isSignedIn))).toEqual([false, false, true])
  expect((await samlLogout(['s3'], { subject: 'bob' })).status).toBe(303)
  expect(await Promise.all(browsers.map(isSignedIn))).toEqual([false, false, true])
  await samlLogout([])
  expect(await Promise.all(browsers.map(isSignedIn))).toEqual([false, false, false])
  expect(env.fakes.endedSids).toHaveLength(3)
})

it('takes a LogoutRequest of SAML once, also when it comes twice at the same time', async () => {
  await signedIn({ sessionId: 's1' })
  const both = await Promise.all([1, 2].map(() => samlLogout(['s1'], { tokenId: 'once' })))
  expect(both.map(({ status }) => status).sort()).toEqual([303, 400])
  expect(both.find(({ status }) => status === 400)?.body).toContain('logout_message_used')
  expect(env.fakes.endedSids).toHaveLength(1)
})

it('shows a page with the rule for a LogoutRequest of SAML that is refused, and ends nothing', async () => {
  const browser = await signedIn({ sessionId: 's1' })
  env.upstream.logoutRefusal = { rule: 'signature_missing' }
  const page = await samlLogout(['s1'], {}, browser)
  expect([page.status, page.location]).toEqual([400, ''])
  expect(page.body).toContain('signature_missing')
  env.upstream.logoutRefusal = undefined
  for (const query of [
    '',
    '?SAMLRequest=a&SAMLResponse=b',
    '?RelayState=a',
    '?SAMLRequest=a&SAMLRequest=b',
  ]) {
    const refused = await browser.get(SINGLE_LOGOUT + query)
    expect([query, refused.status, refused.location]).toEqual([query, 400, ''])
  }
  env.upstream.isAway = true
  const away = await samlLogout(['s1'], {}, browser)
  expect([away.status, away.location]).toEqual([503, ''])
  env.upstream.isAway = false
  expect(await isSignedIn(browser)).toBe(true)
  expect(env.fakes.endedSids).toEqual([])
})
