import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { PATHS } from '../src/pages/paths.ts'
import type { TestBrowser } from './browser.ts'
import { asserted } from './fake-upstream.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'
import { callback, chooseProvider, hiddenFields, openIdProvider, stateOf } from './upstream-pages.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
  await asOwner(env.adminUrl, [
    "UPDATE directory.setting SET default_organization_id = 'acme'",
    ...['corp', 'other'].map((id) => openIdProvider(id, { host: id })),
  ])
})
afterAll(() => env?.stop())
beforeEach(async () => {
  await env.redis.flushdb()
  env.upstream.reset()
  env.upstream.logoutProviders.add('corp')
  env.upstream.links.set('alice', 'user1')
  env.upstream.links.set('bob', 'user2')
})

const BYE = 'https://rp.localhost/bye'

interface SignedIn {
  readonly browser: TestBrowser
  readonly hint: string
}

async function signedIn(
  { subject = 'alice', provider = 'corp', browser = env.newBrowser() } = {},
  parameters: Record<string, string> = {},
): Promise<SignedIn> {
  const answer = asserted(subject)
  if (!('assertion' in answer)) throw new Error('no assertion')
  const assertion = { ...answer.assertion, providerId: provider, tokenSubject: subject }
  env.upstream.answers.set(subject, { assertion })
  const away = await chooseProvider(browser, await env.authorize(browser, parameters), provider)
  await browser.follow(await browser.get(callback(stateOf(away), subject, provider)))
  const { sid = '', userId = '' } = env.fakes.codeRequests.at(-1)?.session ?? {}
  return { browser, hint: await env.fakes.idToken({ sub: userId, sid }) }
}

const signOut = ({ browser, hint }: SignedIn, parameters: Record<string, string> = {}) =>
  browser.get(
    `${PATHS.endSession}?${new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: BYE, state: 'app', ...parameters })}`,
  )
const comeBack = (browser: TestBrowser, state: string) =>
  browser.get(`${PATHS.upstreamLogoutReturn}?${new URLSearchParams({ state })}`)
const isSignedIn = async (browser: TestBrowser) =>
  new URL((await env.authorize(browser, { prompt: 'none' })).location).searchParams.has('code')

it('ends the session, leads to the provider, and then to the application', async () => {
  const person = await signedIn()
  const away = await signOut(person)
  expect(away.status).toBe(303)
  expect(away.location).toMatch(/^https:\/\/corp\.localhost\/out\?state=/)
  // The application's own state does not go to the provider.
  expect(stateOf(away)).not.toBe('app')
  // The browser has not come back yet.
  expect(await isSignedIn(person.browser)).toBe(false)
  const back = await comeBack(person.browser, stateOf(away))
  expect(back).toMatchObject({ status: 303, location: `${BYE}?state=app` })
})

it('comes back to a browser whose cookie of before has ended', async () => {
  const person = await signedIn()
  person.browser.cookies.delete('signet.browser')
  const away = await signOut(person)
  expect((await comeBack(person.browser, stateOf(away))).location).toBe(`${BYE}?state=app`)
})

it('takes a state once, also of two requests at once', async () => {
  const person = await signedIn()
  const state = stateOf(await signOut(person))
  const pages = await Promise.all([comeBack(person.browser, state), comeBack(person.browser, state)])
  const places = [...pages, await comeBack(person.browser, state)].map(({ location }) => location).sort()
  expect(places).toEqual([PATHS.signedOut, PATHS.signedOut, `${BYE}?state=app`])
})

it('takes a state in its own browser alone, and leaves it to that one', async () => {
  const person = await signedIn()
  const state = stateOf(await signOut(person))
  const other = await signedIn()
  expect((await comeBack(other.browser, state)).location).toBe(PATHS.signedOut)
  expect((await comeBack(env.newBrowser(), state)).location).toBe(PATHS.signedOut)
  expect(await isSignedIn(other.browser)).toBe(true)
  expect((await comeBack(person.browser, state)).location).toBe(`${BYE}?state=app`)
})

it.each([
  ['no state', ''],
  ['an unknown state', `state=${'x'.repeat(43)}`],
  ['an address in place of a state', `state=${encodeURIComponent('https://evil.example/')}`],
  ['the parameters of a sign-out', `post_logout_redirect_uri=${encodeURIComponent('https://evil.example/')}`],
  [
    'a state and an address',
    `state=${'x'.repeat(43)}&redirect=https%3A%2F%2Fevil.example&target=//evil.example`,
  ],
  ['a repeated state', `state=${'x'.repeat(43)}&state=${'y'.repeat(43)}`],
  ['a state of another form', 'state=%00%0d%0aSet-Cookie:%20a=b'],
])('does nothing at a forged return: %s', async (_name, query) => {
  const { browser } = await signedIn()
  const page = await browser.get(`${PATHS.upstreamLogoutReturn}?${query}`)
  expect([303, 400]).toContain(page.status)
  expect(page.location).toBe(page.status === 303 ? PATHS.signedOut : '')
  expect(page.body).not.toContain('evil.example')
  expect(await isSignedIn(browser)).toBe(true)
})

it('goes to the application at once where the provider is not set up for it, refuses, or is away', async () => {
  env.upstream.logoutProviders.clear()
  expect((await signOut(await signedIn())).location).toBe(`${BYE}?state=app`)
  env.upstream.beginLogoutRefusal = { rule: 'logout_endpoint_missing' }
  expect((await signOut(await signedIn())).location).toBe(`${BYE}?state=app`)
  env.upstream.beginLogoutRefusal = undefined
  env.upstream.logoutProviders.add('corp')
  const person = await signedIn()
  env.upstream.isAway = true
  expect((await signOut(person)).location).toBe(`${BYE}?state=app`)
  env.upstream.isAway = false
  expect(await isSignedIn(person.browser)).toBe(false)
})

it('asks no provider for a session that a password began', async () => {
  const browser = env.newBrowser()
  await env.signIn(browser, await env.authorize(browser), 'user1')
  const sid = env.fakes.codeRequests.at(-1)?.session?.sid ?? ''
  const hint = await env.fakes.idToken({ sub: 'user1', sid })
  expect((await signOut({ browser, hint })).location).toBe(`${BYE}?state=app`)
  expect(env.upstream.logoutStates).toEqual([])
})

it('refuses another target before anything ends', async () => {
  const person = await signedIn()
  const page = await signOut(person, { post_logout_redirect_uri: 'https://evil.example/' })
  expect(page).toMatchObject({ status: 400, location: '' })
  expect(env.upstream.logoutStates).toEqual([])
  expect(await isSignedIn(person.browser)).toBe(true)
})

it('leads to each provider of the sessions that a confirmed sign-out ends', async () => {
  env.upstream.logoutProviders.add('other')
  const { browser } = await signedIn()
  await signedIn({ subject: 'bob', provider: 'other', browser }, { prompt: 'login' })
  const question = await browser.follow(await browser.get(PATHS.endSession))
  const away = await browser.post(PATHS.logout, hiddenFields(question.body))
  const next = await comeBack(browser, stateOf(away))
  expect([away, next].map(({ location }) => new URL(location).host).sort()).toEqual([
    'corp.localhost',
    'other.localhost',
  ])
  expect(await isSignedIn(browser)).toBe(false)
  expect((await comeBack(browser, stateOf(next))).location).toBe(PATHS.signedOut)
})

it('tells the provider the names of the session, also the providers that come later', async () => {
  env.upstream.logoutProviders.add('other')
  const { browser } = await signedIn()
  await signedIn({ subject: 'bob', provider: 'other', browser }, { prompt: 'login' })
  const question = await browser.follow(await browser.get(PATHS.endSession))
  const away = await browser.post(PATHS.logout, hiddenFields(question.body))
  await comeBack(browser, stateOf(away))
  expect(env.upstream.logoutNames).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ tokenSubject: 'alice' }),
      expect.objectContaining({ tokenSubject: 'bob' }),
    ]),
  )
})

const singleLogout = (browser: TestBrowser, query: string) =>
  browser.get(`/ui/identity-providers/corp/single-logout?${query}`)

it('takes the answer of a SAML provider, and goes on in the browser that asked for it', async () => {
  const person = await signedIn()
  const state = stateOf(await signOut(person))
  const query = `SAMLResponse=a%2fb&RelayState=${state}&SigAlg=x&Signature=y`
  const back = await singleLogout(person.browser, query)
  expect(back.status).toBe(303)
  // The octets that the signature covers.
  expect(env.upstream.logoutMessages).toEqual([query])
  expect((await person.browser.get(back.location)).location).toBe(`${BYE}?state=app`)
})

it('takes the answer that a form of the provider brings, without a cookie', async () => {
  const person = await signedIn()
  const state = stateOf(await signOut(person))
  const form = { SAMLResponse: 'a message', RelayState: state }
  const back = await env.newBrowser().post('/ui/identity-providers/corp/single-logout', form, {
    withCookies: false,
  })
  expect(back.status).toBe(303)
  expect((await person.browser.get(back.location)).location).toBe(`${BYE}?state=app`)
})

it('goes on where a SAML provider says that it kept sessions, and not where its answer is refused', async () => {
  const person = await signedIn()
  const query = `SAMLResponse=a&RelayState=${stateOf(await signOut(person))}`
  env.upstream.logoutRefusal = { rule: 'signature_invalid' }
  const page = await singleLogout(person.browser, query)
  expect([page.status, page.location]).toEqual([400, ''])
  expect(page.body).toContain('signature_invalid')
  env.upstream.logoutRefusal = { rule: 'upstream_error', declined: true }
  const back = await singleLogout(person.browser, query)
  expect((await person.browser.get(back.location)).location).toBe(`${BYE}?state=app`)
})
