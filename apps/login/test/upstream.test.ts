import { createLogger } from '@signet/platform/logger/logger'
import { createSoftwareAuthenticator } from '@signet/testing/software-authenticator'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PATHS } from '../src/pages/paths.ts'
import type { PageView, TestBrowser } from './browser.ts'
import { PASSWORD } from './fake-services.ts'
import { asserted } from './fake-upstream.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'
import { callback, chooseProvider, codeOf, openIdProvider, providerForm, stateOf } from './upstream-pages.ts'

let env: TestEnvironment
const lines: Record<string, unknown>[] = []
const logger = createLogger({
  service: 'login',
  level: 'info',
  destination: { write: (line) => void lines.push(JSON.parse(line)) },
})
const authenticator = createSoftwareAuthenticator({ rpId: 'localhost', origin: 'http://localhost:8080' })

beforeAll(async () => {
  env = await startTestEnvironment({ logger })
  await asOwner(env.adminUrl, [
    "UPDATE directory.setting SET default_organization_id = 'acme'",
    openIdProvider('corp', { name: 'Corp "ID"' }),
    openIdProvider('elsewhere', { organizationId: 'globex', name: 'Elsewhere' }),
  ])
})
afterAll(() => env?.stop())
beforeEach(async () => {
  await env.redis.flushdb()
  const { upstream, fakes } = env
  upstream.reset()
  for (const known of ['forced', 'totpCodes', 'offers', 'passkeys'] as const) fakes[known].clear()
  upstream.answers.set('alice', asserted('alice'))
})

/** Chooses the provider on the page of a new request, and comes back from it. */
async function comeBack(
  browser: TestBrowser,
  parameters: Readonly<Record<string, string>> = {},
  code = 'alice',
): Promise<PageView> {
  const away = await chooseProvider(browser, await env.authorize(browser, parameters))
  expect([away.status, away.location]).toEqual([303, expect.stringMatching(/^https:\/\/idp\.localhost\//)])
  return browser.follow(await browser.get(callback(stateOf(away), code)))
}

const lastAmr = () => env.fakes.codeRequests.at(-1)?.session?.amr

it('offers the providers of the organization, and those of no other one', async () => {
  const page = await env.authorize(env.newBrowser())
  expect(page.text).toContain('Sign in with Corp &quot;ID&quot;')
  expect(page.text).not.toContain('Elsewhere')
  const other = await env.authorize(env.newBrowser(), { scope: 'openid urn:service:iam:org:id:globex' })
  expect(other.text).toContain('Sign in with Elsewhere')
  expect(other.text).not.toContain('Corp')
})

it('offers the providers of the organization of a typed domain, where its login policy discovers domains', async () => {
  const setPolicy = (organizationId: string, policy: object) =>
    `INSERT INTO directory.organization_policy VALUES ('${organizationId}', 'login', '${JSON.stringify(policy)}')`
  const offered = async (loginName: string, scope = 'openid') => {
    const browser = env.newBrowser()
    const first = await env.authorize(browser, { scope })
    return { browser, page: await browser.follow(await browser.submit(first, { login_name: loginName })) }
  }
  await asOwner(env.adminUrl, [setPolicy('acme', { identifierFirst: true })])
  expect((await offered('any@globex.localhost')).page.text).toContain('Sign in with Corp')
  await asOwner(env.adminUrl, [setPolicy('globex', { allowDomainDiscovery: true })])
  const { browser, page } = await expect
    .poll(() => offered('Any@GLOBEX.localhost'))
    .toMatchObject({ page: { text: expect.stringContaining('Sign in with Elsewhere') } })
    .then(() => offered('any@globex.localhost'))
  expect(page.text).not.toContain('Sign in with Corp')
  const away = await chooseProvider(browser, page, 'elsewhere')
  expect([away.status, away.location]).toEqual([303, expect.stringMatching(/^https:\/\/idp\.localhost\//)])
  // A request that names an organization stays there.
  const acme = await offered('any@globex.localhost', 'openid urn:service:iam:org:id:acme')
  expect(acme.page.text).toContain('Sign in with Corp')
  const hinted = await env.authorize(env.newBrowser(), { login_hint: 'any@globex.localhost' })
  expect(hinted.text).toContain('Sign in with Elsewhere')
  await asOwner(env.adminUrl, ["DELETE FROM directory.organization_policy WHERE kind = 'login'"])
})

it('signs a linked person in and answers the application', async () => {
  env.upstream.links.set('alice', 'user1')
  const browser = env.newBrowser()
  const answer = await comeBack(browser)
  expect(codeOf(answer)).toMatch(/^code-/)
  expect(env.fakes.codeRequests.at(-1)).toMatchObject({ session: { userId: 'user1', amr: [] } })
  // The next application needs no second sign-in.
  const next = await browser.get(
    `/oauth/v2/authorize?${new URLSearchParams({ client_id: 'web', redirect_uri: 'https://rp.localhost/callback', response_type: 'code', scope: 'openid' })}`,
  )
  expect(codeOf(next)).toMatch(/^code-/)
})

it('passes login_hint, max_age, prompt, acr_values and ui_locales to the provider', async () => {
  const browser = env.newBrowser()
  const parameters = {
    login_hint: 'alice@corp.localhost',
    max_age: '60',
    prompt: 'login',
    ui_locales: 'de fr',
  }
  await chooseProvider(browser, await env.authorize(browser, parameters))
  expect(env.upstream.begun.at(-1)).toMatchObject({
    ...{ providerId: 'corp', loginHint: 'alice@corp.localhost', maxAgeSeconds: 60n, fresh: true },
    uiLocales: ['de', 'fr'],
  })
  await chooseProvider(browser, await env.authorize(browser))
  expect(env.upstream.begun.at(-1)).toMatchObject({ fresh: false, loginHint: '' })
  expect(env.upstream.begun.at(-1)?.maxAgeSeconds).toBeUndefined()
})

it('passes on the time of the authentication and the methods that count', async () => {
  env.upstream.links.set('alice', 'user1')
  env.upstream.amr = ['pwd', 'otp', 'mfa']
  const before = env.clock.now().getTime() - 60 * 24 * 60 * 60_000
  env.upstream.answers.set('old', {
    assertion: {
      ...{ providerId: 'corp', issuer: 'https://idp.localhost', subject: 'alice' },
      authenticatedAt: { seconds: BigInt(Math.floor(before / 1000)) },
    },
  })
  const browser = env.newBrowser()
  expect(codeOf(await comeBack(browser, {}, 'old'))).toMatch(/^code-/)
  const { amr, authTime } = env.fakes.codeRequests.at(-1)?.session ?? {}
  expect(amr).toEqual(['pwd', 'otp', 'mfa'])
  expect(Number(authTime?.seconds)).toBe(Math.floor(before / 1000))
  // The session began now, so it does not end with an authentication of long ago.
  expect(codeOf(await env.authorize(browser))).toMatch(/^code-/)
})

it('takes no time of the future from a provider', async () => {
  env.upstream.links.set('alice', 'user1')
  env.upstream.answers.set('ahead', {
    assertion: {
      ...{ providerId: 'corp', issuer: 'https://idp.localhost', subject: 'alice' },
      authenticatedAt: { seconds: BigInt(Math.floor(env.clock.now().getTime() / 1000) + 3_600) },
    },
  })
  await comeBack(env.newBrowser(), {}, 'ahead')
  expect(Number(env.fakes.codeRequests.at(-1)?.session?.authTime?.seconds)).toBeLessThanOrEqual(
    env.clock.now().getTime() / 1000,
  )
})

it('asks for the second factor of the account after the provider', async () => {
  env.upstream.links.set('alice', 'totpuser')
  env.upstream.secondFactorRequired = true
  env.fakes.totpCodes.add('111111')
  const browser = env.newBrowser()
  const page = await comeBack(browser)
  expect(page.body).toContain(`action="${PATHS.totp}`)
  const answer = await browser.follow(await browser.submit(page, { code: '111111' }))
  expect(codeOf(answer)).toMatch(/^code-/)
  expect(lastAmr()).toEqual(['otp', 'mfa'])
})

it.each([
  ['link', () => env.upstream.links.clear()],
  ['provider', () => Object.assign(env.upstream, { isUsable: false })],
] as const)('completes no sign-in whose %s ended while a code was asked for', async (_, end) => {
  env.upstream.links.set('alice', 'totpuser')
  env.upstream.secondFactorRequired = true
  env.fakes.totpCodes.add('111111')
  const browser = env.newBrowser()
  const page = await comeBack(browser)
  end()
  const answer = await browser.follow(await browser.submit(page, { code: '111111' }))
  expect(answer.location).toBe('')
  expect(answer.body).toContain('id="login-submit"')
})

it('takes a passkey of the account as second factor after the provider', async () => {
  env.upstream.links.set('alice', 'user1')
  env.upstream.secondFactorRequired = true
  env.fakes.passkeys.set('user1', [authenticator.id])
  const browser = env.newBrowser()
  const page = await comeBack(browser)
  const [, form = ''] = /<form class="passkey"([\s\S]*?)<\/form>/.exec(page.body) ?? []
  const field = (name: string) => new RegExp(`name="${name}" type="hidden" value="([^"]*)"`).exec(form)?.[1]
  const [, challenge = ''] = /challenge&quot;:&quot;([^&]*)/.exec(form) ?? []
  const sent = await browser.post(PATHS.passkeyFactor, {
    ...{ request: field('request') ?? '', csrf: field('csrf') ?? '' },
    response: authenticator.get({ challenge }),
  })
  expect(codeOf(await browser.follow(sent))).toMatch(/^code-/)
  expect(lastAmr()).toEqual(['pop', 'hwk', 'user', 'mfa'])
})

it('refuses the answer that belongs to another browser (ZITADEL CVE-2026-105207)', async () => {
  env.upstream.links.set('alice', 'user1')
  const attacker = env.newBrowser()
  const away = await chooseProvider(attacker, await env.authorize(attacker))
  const victim = env.newBrowser()
  const before = env.fakes.codeRequests.length
  await env.authorize(victim)
  const page = await victim.get(callback(stateOf(away)))
  expect(page.status).toBe(400)
  expect(env.upstream.completed).toHaveLength(0)
  expect(env.fakes.codeRequests).toHaveLength(before)
})

it('takes each answer once', async () => {
  env.upstream.links.set('alice', 'user1')
  const browser = env.newBrowser()
  const away = await chooseProvider(browser, await env.authorize(browser))
  const [one, other] = await Promise.all([
    browser.get(callback(stateOf(away))),
    browser.get(callback(stateOf(away))),
  ])
  const answered = [one, other].filter(({ location }) => location.includes('/callback?code='))
  expect(answered).toHaveLength(1)
  // Loaded again later, the page leads on.
  const again = await browser.get(callback(stateOf(away)))
  expect([again.status, again.body]).toEqual([400, expect.stringContaining('id="way-on"')])
})

it('refuses the answer at the redirect URI of another provider', async () => {
  env.upstream.links.set('alice', 'user1')
  const browser = env.newBrowser()
  const away = await chooseProvider(browser, await env.authorize(browser))
  const page = await browser.follow(await browser.get(callback(stateOf(away), 'alice', 'elsewhere')))
  expect(page.text).toContain('is not offered any more')
})

it('does not use up an answer for a HEAD request', async () => {
  env.upstream.links.set('alice', 'user1')
  const browser = env.newBrowser()
  const away = await chooseProvider(browser, await env.authorize(browser))
  const back = callback(stateOf(away), 'alice')
  expect(await browser.head(back)).toBe(204)
  expect(env.upstream.completed).toEqual([])
  await browser.get(back)
  expect(env.upstream.completed).toHaveLength(1)
})

it('takes no response of SAML from an address', async () => {
  const browser = env.newBrowser()
  const away = await chooseProvider(browser, await env.authorize(browser))
  await browser.get(`${callback(stateOf(away))}&SAMLResponse=alice`)
  const [{ parameters = [] } = {}] = env.upstream.completed
  expect(parameters.map(({ name }) => name)).toEqual(['state', 'code'])
})

it('refuses an answer with more than a provider sends, and a state that is none', async () => {
  const browser = env.newBrowser()
  const away = await chooseProvider(browser, await env.authorize(browser))
  env.upstream.isStrict = true
  const page = await browser.follow(await browser.get(callback(stateOf(away))))
  expect(page.text).toContain('was not accepted')
  for (const state of ['', 'x', `${stateOf(away)}!`, stateOf(away).slice(0, 43), `${stateOf(away)}A`]) {
    expect((await browser.get(callback(state))).status, state).toBe(400)
  }
})

it('goes to no provider that the page does not offer', async () => {
  const browser = env.newBrowser()
  const page = await chooseProvider(browser, await env.authorize(browser), 'elsewhere')
  expect(page.location).toMatch(/^\/ui\/login\?/)
  expect(env.upstream.begun).toHaveLength(0)
})

it('needs the token of the page for the way to a provider', async () => {
  const browser = env.newBrowser()
  const page = await env.authorize(browser)
  const sent = await browser.post(PATHS.upstream, { ...providerForm(page), csrf: 'x', provider: 'corp' })
  expect(sent.status).toBe(400)
  expect(env.upstream.begun).toHaveLength(0)
})

it.each([
  ['declined', { rule: 'upstream_error', declined: true }, 'was cancelled'],
  ['refused', { rule: 'issuer_differs' }, 'was not accepted'],
  ['temporary', { rule: 'timed_out', temporary: true }, 'does not answer right now'],
] as const)(
  'shows the sign-in page with a text of its own for a sign-in that is %s',
  async (_, refusal, text) => {
    env.upstream.answers.set('alice', { refusal })
    const browser = env.newBrowser()
    const page = await comeBack(browser)
    expect(page.text).toContain(text)
    // The person signs in another way.
    const answer = await browser.follow(
      await browser.submit(page, { login_name: 'user1', password: PASSWORD }),
    )
    expect(codeOf(answer)).toMatch(/^code-/)
  },
)

it('names the id of the response, by which an administrator finds the reason', async () => {
  env.upstream.answers.set('alice', { refusal: { rule: 'issuer_differs' } })
  const browser = env.newBrowser()
  const away = await chooseProvider(browser, await env.authorize(browser))
  const answer = await browser.get(callback(stateOf(away)))
  const page = await browser.follow(answer)
  const requestId = String(answer.headers['x-request-id'])
  expect(page.text).toContain(requestId)
  expect(lines.filter(({ event }) => event === 'request_refused').at(-1)).toMatchObject({
    ...{ requestId, clientId: 'web', reason: 'identity_provider_refused', received: 'issuer_differs' },
  })
  // The page can be loaded again, since the address of the answer is left.
  expect((await browser.get(answer.location)).text).toBe(page.text)
})

it('begins a thousand sign-ins of one network, so that it does not take the places of all others', async () => {
  const browser = env.newBrowser()
  const page = await env.authorize(browser)
  let begun = 0
  while (begun < 1_100 && (await chooseProvider(browser, page)).status === 303) {
    begun += 1
    // The general limit is 50 requests a second.
    env.clock.advance(20)
  }
  expect(begun).toBeGreaterThan(900)
  expect(begun).toBeLessThan(1_100)
  const refused = await chooseProvider(browser, page)
  expect([refused.status, Number(refused.headers['retry-after'])]).toEqual([429, expect.any(Number)])
  env.clock.advance(10 * 60_000)
  expect((await comeBack(env.newBrowser())).status).toBe(200)
})

it('lets people sign in by password while federation is away', async () => {
  env.upstream.isAway = true
  const browser = env.newBrowser()
  const page = await browser.follow(await chooseProvider(browser, await env.authorize(browser)))
  expect(page.text).toContain('does not answer right now')
  const answer = await browser.follow(await browser.submit(page, { login_name: 'user1', password: PASSWORD }))
  expect(codeOf(answer)).toMatch(/^code-/)
})

it('refuses a person whom the directory refuses', async () => {
  env.upstream.refused.set('alice', 'account_not_usable')
  const page = await comeBack(env.newBrowser())
  expect(page.text).toContain('cannot be used to sign in here')
})

it('makes an account after the person asked for it', async () => {
  const browser = env.newBrowser()
  const page = await comeBack(browser)
  expect(page.text).toContain('alice@corp.localhost at Corp &quot;ID&quot; is not linked')
  expect(env.upstream.created).toEqual([])
  const answer = await browser.follow(await browser.submit(page))
  expect(codeOf(answer)).toMatch(/^code-/)
  expect(env.upstream.created).toEqual(['alice'])
})

it('makes no account where the provider may not', async () => {
  env.upstream.unlinked = { mayLink: true, mayCreate: false }
  const browser = env.newBrowser()
  const page = await comeBack(browser)
  expect(page.body).not.toContain('unlinked-create')
  const request = new URL(
    /href="([^"]*)"/.exec(page.body.slice(page.body.indexOf('unlinked-link')))?.[1] ?? '',
    env.issuer,
  )
  expect(request.pathname).toBe(PATHS.login)
})

const linkPath = ({ body }: PageView) => /id="unlinked-link" href="([^"]+)"/.exec(body)?.[1] ?? ''

it('links an account after its own sign-in with each factor (ZITADEL CVE-2026-105215)', async () => {
  env.fakes.totpCodes.add('111111')
  const browser = env.newBrowser()
  const login = await browser.get(linkPath(await comeBack(browser)))
  const second = await browser.follow(
    await browser.submit(login, { login_name: 'totpuser', password: PASSWORD }),
  )
  expect(second.body).toContain(`action="${PATHS.totp}`)
  expect(env.upstream.links.size).toBe(0)
  // The page of the link is not reached before the second factor.
  const request = /name="request" value="([^"]*)"/.exec(second.body)?.[1] ?? ''
  const early = await browser.follow(await browser.get(`${PATHS.upstreamLink}?request=${request}`))
  expect(early.body).not.toContain('link-accept')
  const asks = await browser.follow(await browser.submit(second, { code: '111111' }))
  expect(asks.text).toContain('From now on you can sign in with alice@corp.localhost at Corp &quot;ID&quot;')
  expect(env.upstream.links.size).toBe(0)
  const answer = await browser.follow(await browser.submit(asks, { decision: 'accept' }))
  expect(codeOf(answer)).toMatch(/^code-/)
  expect([...env.upstream.links]).toEqual([['alice', 'totpuser']])
})

it('asks a person for the own second factor before the link, also in a trusted browser', async () => {
  env.fakes.totpCodes.add('111111').add('222222')
  const browser = env.newBrowser()
  const second = await browser.follow(
    await browser.submit(await env.authorize(browser), { login_name: 'totpuser', password: PASSWORD }),
  )
  await browser.follow(await browser.submit(second, { code: '111111', trust: 'yes' }))
  browser.cookies.delete('signet.session')
  const login = await browser.get(linkPath(await comeBack(browser)))
  const asks = await browser.follow(
    await browser.submit(login, { login_name: 'totpuser', password: PASSWORD }),
  )
  expect(asks.body).not.toContain('link-accept')
  expect(asks.body).toContain('id="totp-code"')
  const link = await browser.follow(await browser.submit(asks, { code: '222222' }))
  await browser.follow(await browser.submit(link, { decision: 'accept' }))
  expect([...env.upstream.links]).toEqual([['alice', 'totpuser']])
})

it('asks a person with a passkey for it before the link', async () => {
  env.fakes.passkeys.set('user1', [authenticator.id])
  const browser = env.newBrowser()
  const login = await browser.get(linkPath(await comeBack(browser)))
  const asks = await browser.follow(await browser.submit(login, { login_name: 'user1', password: PASSWORD }))
  expect(asks.body).not.toContain('link-accept')
  expect(asks.body).toContain('class="passkey"')
})

it('links nothing when the person does not want it, and signs in', async () => {
  const browser = env.newBrowser()
  const login = await browser.get(linkPath(await comeBack(browser)))
  const asks = await browser.follow(await browser.submit(login, { login_name: 'user1', password: PASSWORD }))
  const answer = await browser.follow(await browser.submit(asks, { decision: 'refuse' }))
  expect(codeOf(answer)).toMatch(/^code-/)
  expect(env.upstream.links.size).toBe(0)
})

it('links no account whose session is older than the request', async () => {
  const browser = env.newBrowser()
  await env.signIn(browser, await env.authorize(browser))
  const page = await comeBack(browser, { prompt: 'login' })
  const login = await browser.get(linkPath(page))
  expect(login.body).toContain('id="password"')
  expect(env.upstream.links.size).toBe(0)
})

it('does not link after the assertion is ten minutes old', async () => {
  const browser = env.newBrowser()
  const login = await browser.get(linkPath(await comeBack(browser)))
  env.clock.advance(11 * 60_000)
  const answer = await browser.follow(
    await browser.submit(login, { login_name: 'user1', password: PASSWORD }),
  )
  expect(codeOf(answer)).toMatch(/^code-/)
})

it('says so when the link is refused, and leads on', async () => {
  env.upstream.linkRefusal = 'linked_to_another_account'
  const browser = env.newBrowser()
  const login = await browser.get(linkPath(await comeBack(browser)))
  const asks = await browser.follow(await browser.submit(login, { login_name: 'user1', password: PASSWORD }))
  const refused = await browser.submit(asks, { decision: 'accept' })
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('could not be linked')])
  const [, on = ''] = /id="link-continue" href="([^"]+)"/.exec(refused.body) ?? []
  expect(codeOf(await browser.follow(await browser.get(on)))).toMatch(/^code-/)
})

it('lists the links of the account and removes one after a question', async () => {
  env.upstream.links.set('alice', 'user1')
  const browser = env.newBrowser()
  await env.signIn(browser, await env.authorize(browser))
  const list = await browser.get(PATHS.ownLinks)
  expect(list.text).toContain('Corp &quot;ID&quot; alice@corp.localhost')
  const question = await browser.submit(list, { delete: 'alice' })
  expect(question.text).toContain('you can no longer sign in with this account')
  expect(env.upstream.links.size).toBe(1)
  await browser.submit(question)
  expect(env.upstream.links.size).toBe(0)
})

it('takes a sign-in whose time the provider does not say for no confirmation', async () => {
  env.upstream.links.set('alice', 'user1')
  const browser = env.newBrowser()
  await comeBack(browser)
  const list = await browser.get(PATHS.ownLinks)
  expect(list.body).toContain('links-confirm')
  expect(list.body).not.toContain('link-1-delete')
})

it('makes no account for a person whom the provider asserted eleven minutes ago', async () => {
  const browser = env.newBrowser()
  const page = await comeBack(browser)
  env.clock.advance(11 * 60_000)
  expect((await browser.submit(page)).status).toBe(400)
  expect(env.upstream.created).toEqual([])
})

it('keeps the only way in, and says why', async () => {
  env.upstream.answers.set('alice', asserted('alice', env.clock.now()))
  env.upstream.links.set('alice', 'user1')
  env.upstream.deletionRefusal = 'no_other_way_in'
  const browser = env.newBrowser()
  await comeBack(browser)
  const list = await browser.get(PATHS.ownLinks)
  const refused = await browser.submit(await browser.submit(list, { delete: 'alice' }))
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('the only way to sign in')])
})

it('ends the sessions that rest on a link with it', async () => {
  env.upstream.answers.set('alice', asserted('alice', env.clock.now()))
  env.upstream.links.set('alice', 'user1')
  const browser = env.newBrowser()
  await comeBack(browser)
  const list = await browser.get(PATHS.ownLinks)
  const done = await browser.submit(await browser.submit(list, { delete: 'alice' }))
  expect(done.body).toContain('removal-ended')
})

it('serves the metadata for a provider to everyone, as a document that no browser shows', async () => {
  const found = await env.newBrowser().get('/ui/identity-providers/corp/metadata')
  expect([found.status, found.headers['content-type'], found.headers['x-content-type-options']]).toEqual([
    ...[200, 'application/samlmetadata+xml; charset=utf-8', 'nosniff'],
  ])
  expect((await env.newBrowser().get('/ui/identity-providers/none/metadata')).status).toBe(404)
  env.upstream.isAway = true
  expect((await env.newBrowser().get('/ui/identity-providers/corp/metadata')).status).toBe(503)
})

const postedPath = '/ui/identity-providers/corp/callback'
const posted = (browser: TestBrowser, form: Readonly<Record<string, string>>, path = postedPath) =>
  browser.post(path, form, { withCookies: false })

describe('at the path of another product', () => {
  const PATH = '/realms/acme/broker/okta/endpoint'
  const begin = async () => {
    env.upstream.links.set('alice', 'user1')
    env.upstream.consumers.set(PATH, 'corp')
    const browser = env.newBrowser()
    const state = stateOf(await chooseProvider(browser, await env.authorize(browser)))
    return { browser, state, form: { SAMLResponse: 'alice', RelayState: state } }
  }

  it('takes the response that a page of the provider posts', async () => {
    const { browser, form } = await begin()
    browser.sentFrom = { origin: 'https://idp.localhost' }
    const kept = await posted(browser, { ...form, code: 'evil' }, PATH)
    expect([kept.status, kept.location]).toEqual([303, expect.stringContaining(`${postedPath}?posted=`)])
    browser.sentFrom = {}
    expect(codeOf(await browser.follow(await browser.get(kept.location)))).toMatch(/^code-/)
  })

  it('has nothing for another path, another method and another form', async () => {
    const { browser, state, form } = await begin()
    for (const path of [
      `${PATH}/`,
      `${PATH}?a=b`,
      '/realms',
      '/realms/acme/broker/Okta/endpoint',
      '/idps/1',
    ]) {
      expect([path, (await posted(browser, form, path)).status]).toEqual([path, 404])
    }
    expect((await browser.get(PATH)).status).toBe(405)
    expect((await posted(browser, { code: 'alice', state }, PATH)).status).toBe(404)
    expect((await posted(browser, { SAMLResponse: 'alice' }, PATH)).status).toBe(400)
    const large = { ...form, SAMLResponse: 'x'.repeat(262_144) }
    expect((await posted(browser, large, PATH)).status).toBe(413)
    expect(await env.redis.keys('*posted:*')).toEqual([])
  })

  it('looks up no path for a state that no sign-in has', async () => {
    await begin()
    const before = env.upstream.askedConsumers
    expect((await posted(env.newBrowser(), { SAMLResponse: 'x', RelayState: 'x' }, PATH)).status).toBe(400)
    expect(env.upstream.askedConsumers).toBe(before)
  })

  it('stores nothing while the directory is away', async () => {
    const { browser, form } = await begin()
    env.upstream.isAway = true
    expect((await posted(browser, form, PATH)).status).toBe(503)
    expect(await env.redis.keys('*posted:*')).toEqual([])
  })
})

it('takes a response that a page of the provider posts without cookies, and reads it once', async () => {
  env.upstream.links.set('alice', 'user1')
  const browser = env.newBrowser()
  const state = stateOf(await chooseProvider(browser, await env.authorize(browser)))
  expect(Buffer.byteLength(state)).toBeLessThanOrEqual(80)
  browser.sentFrom = { origin: 'https://idp.localhost' }
  const long = 'x'.repeat(100_000)
  const kept = await posted(browser, { SAMLResponse: 'alice', RelayState: state, code: 'evil', more: long })
  expect([kept.status, kept.location]).toEqual([303, expect.stringContaining(`${postedPath}?posted=`)])
  browser.sentFrom = {}
  const answer = await browser.follow(await browser.get(kept.location))
  expect(codeOf(answer)).toMatch(/^code-/)
  expect(env.upstream.completed.at(-1)?.parameters).toEqual([
    expect.objectContaining({ name: 'RelayState', value: state }),
  ])
  const calls = env.upstream.completed.length
  expect((await browser.get(kept.location)).status).toBe(400)
  expect(env.upstream.completed).toHaveLength(calls)
})

it('takes a response of OpenID Connect that the provider posts, with the parameters of one alone', async () => {
  env.upstream.links.set('alice', 'user1')
  const browser = env.newBrowser()
  const state = stateOf(await chooseProvider(browser, await env.authorize(browser)))
  browser.sentFrom = { origin: 'https://appleid.localhost' }
  const user = '{"name":{"firstName":"Alice"}}'
  const form = { code: 'alice', state, user, RelayState: 'evil', id_token: 'evil', posted: 'evil' }
  const kept = await posted(browser, form)
  expect([kept.status, kept.location]).toEqual([303, expect.stringContaining(`${postedPath}?posted=`)])
  expect(kept.location).not.toContain('alice')
  browser.sentFrom = {}
  expect(codeOf(await browser.follow(await browser.get(kept.location)))).toMatch(/^code-/)
  expect(env.upstream.completed.at(-1)?.parameters).toEqual([
    expect.objectContaining({ name: 'code', value: 'alice' }),
    expect.objectContaining({ name: 'state', value: state }),
    expect.objectContaining({ name: 'user', value: user }),
  ])
  expect((await browser.get(kept.location)).status).toBe(400)
  for (const refused of [{ state }, { code: 'alice' }, { code: 'alice', state: 'x' }, { state, user }])
    expect((await posted(browser, refused)).status).toBe(400)
})

it('signs no other browser in with a posted response', async () => {
  env.upstream.links.set('alice', 'user1')
  const browser = env.newBrowser()
  const state = stateOf(await chooseProvider(browser, await env.authorize(browser)))
  const kept = await posted(browser, { SAMLResponse: 'alice', RelayState: state })
  const other = env.newBrowser()
  await env.authorize(other)
  expect((await other.get(kept.location)).status).toBe(400)
  expect(env.upstream.completed).toHaveLength(0)
})

it('stores no posted response without the state of a sign-in, without a response, or of more than 256 KiB', async () => {
  const browser = env.newBrowser()
  const state = stateOf(await chooseProvider(browser, await env.authorize(browser)))
  for (const [form, status] of [
    [{ SAMLResponse: 'alice' }, 400],
    [{ SAMLResponse: 'alice', RelayState: 'https://evil.test' }, 400],
    [{ RelayState: state }, 400],
    [{ SAMLResponse: 'x'.repeat(262_144), RelayState: state }, 413],
  ] as const) {
    expect((await posted(browser, form)).status).toBe(status)
  }
  const large = await posted(browser, { SAMLResponse: 'x'.repeat(262_000), RelayState: state })
  expect(large.status).toBe(303)
  expect(await env.redis.keys('*posted:*')).toHaveLength(1)
})

it('bounds the bytes that one network posts', async () => {
  const browser = env.newBrowser()
  const state = stateOf(await chooseProvider(browser, await env.authorize(browser)))
  const post = async (length: number) =>
    (await posted(browser, { SAMLResponse: 'x'.repeat(length), RelayState: state })).status
  for (const length of [262_000, 26_000, 2_600, 100]) {
    const statuses = [await post(length)]
    while (statuses.length < 18 && statuses.at(-1) === 303) statuses.push(await post(length))
    expect(statuses.at(-1)).toBe(429)
  }
  // A page of any site can post these: the people of the network sign in all the same.
  const page = await env.authorize(browser)
  expect(page.status).toBe(200)
  expect((await chooseProvider(browser, page)).status).toBe(303)
  env.clock.advance(2 * 60_000)
  expect((await posted(browser, { SAMLResponse: 'alice', RelayState: state })).status).toBe(303)
})

it('stores what providers say of people without an account up to the limit of their network', async () => {
  // The limit of the tests above has recovered.
  env.clock.advance(31 * 60_000)
  const groups = Array.from({ length: 200 }, (_, at) => `${at}`.padEnd(500, '組'))
  const { assertion } = asserted('alice') as { readonly assertion: object }
  env.upstream.answers.set('alice', { assertion: { ...assertion, groups } })
  const statuses: number[] = []
  while (statuses.length < 30 && !statuses.includes(429))
    statuses.push((await comeBack(env.newBrowser())).status)
  expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 200))
  expect(statuses.at(-1)).toBe(429)
})
