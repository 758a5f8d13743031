import { createLogger } from '@signet/platform/logger/logger'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PATHS } from '../src/pages/paths.ts'
import type { PageView, TestBrowser } from './browser.ts'
import { fakeOwnAccounts } from './fake-own-account.ts'
import { PASSWORD } from './fake-services.ts'
import { asserted } from './fake-upstream.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'
import { callback, chooseProvider, codeOf, stateOf } from './upstream-pages.ts'

const CONSUMER = '/login/callback?connection=acme-okta'
const CALLBACK = '/ui/identity-providers/corp/callback'
const START = '/ui/identity-providers/corp/sign-in'

/** The statement that stores an active SAML provider at which sign-ins begin. */
const samlProvider = (id: string, organizationId = 'acme') =>
  `INSERT INTO directory.identity_provider (provider_id, organization_id, name, type, issuer, client_id, client_authentication, scopes,
                                            sso_url, certificates, provider_initiated)
   VALUES ('${id}', '${organizationId}', 'Corp of ${id}', 'saml', 'urn:${id}', 'urn:signet', 'none', '{}', 'https://idp.localhost/sso', '{AAAA}', true)`

let env: TestEnvironment
const lines: Record<string, unknown>[] = []
const logger = createLogger({
  service: 'login',
  level: 'info',
  destination: { write: (line) => void lines.push(JSON.parse(line)) },
})

beforeAll(async () => {
  env = await startTestEnvironment({ logger, directoryServices: [fakeOwnAccounts] })
  await asOwner(env.adminUrl, [
    ...[samlProvider('corp'), samlProvider('second'), samlProvider('elsewhere', 'globex')],
    `UPDATE directory.identity_provider SET assertion_consumer_path = '${CONSUMER}' WHERE provider_id = 'second'`,
    `UPDATE directory.identity_provider SET provider_initiated = false WHERE provider_id = 'elsewhere'`,
    `UPDATE directory.application SET initiate_login_uri = 'https://spa.localhost/login?tenant=1', home_page = 'https://spa.localhost/' WHERE client_id = 'spa'`,
  ])
})
afterAll(() => env?.stop())
beforeEach(async () => {
  await env.redis.flushdb()
  env.upstream.reset()
  env.fakes.totpCodes.clear()
  env.upstream.answers.set('alice', asserted('alice'))
  env.upstream.links.set('alice', 'user1')
})

const set = (assignment: string, id = 'corp') =>
  asOwner(env.adminUrl, [`UPDATE directory.identity_provider SET ${assignment} WHERE provider_id = '${id}'`])

/** Posts a response that belongs to no request, as a page of the provider does: without cookies. */
async function postUnsolicited(browser: TestBrowser, path = CALLBACK, form: object = {}): Promise<PageView> {
  browser.sentFrom = { origin: 'https://idp.localhost' }
  const answer = await browser.post(path, { SAMLResponse: 'mallory', ...form }, { withCookies: false })
  browser.sentFrom = {}
  return answer
}

/** Goes from an unsolicited response to the provider. */
const away = async (browser: TestBrowser, path = CALLBACK) =>
  browser.follow(await postUnsolicited(browser, path))

/** Comes back from the provider with the response to our request, up to the address of an application. */
async function back(browser: TestBrowser, state: string, subject = 'alice'): Promise<PageView> {
  const kept = await browser.post(
    CALLBACK,
    { SAMLResponse: subject, RelayState: state },
    { withCookies: false },
  )
  return followOwn(browser, await browser.get(kept.location))
}

/** Follows redirects that stay here, also those with an absolute address. */
async function followOwn(browser: TestBrowser, page: PageView): Promise<PageView> {
  let current = page
  for (;;) {
    const path = current.location.replace(env.issuer, '')
    if (!path.startsWith('/')) return current
    current = await browser.get(path)
  }
}

const refusals = () => lines.filter(({ event }) => event === 'request_refused')

it('begins a sign-in of its own by the provider, and reads nothing of the response', async () => {
  const browser = env.newBrowser()
  const posted = await postUnsolicited(browser, CALLBACK, { RelayState: 'https://evil.test/' })
  expect([posted.status, posted.location, posted.headers['set-cookie']]).toEqual([303, START, undefined])
  expect(await env.redis.keys('*')).toEqual([])
  const left = await browser.follow(posted)
  expect([left.status, left.location]).toEqual([303, expect.stringMatching(/^https:\/\/idp\.localhost\//)])
  expect(left.location).not.toContain('evil')
  expect(env.upstream.completed).toEqual([])
  expect(env.upstream.begun).toMatchObject([
    { providerId: 'corp', organizationId: 'acme', fresh: false, test: false, loginHint: '' },
  ])
  const account = await back(browser, stateOf(left))
  expect([account.status, account.text]).toEqual([200, expect.stringContaining('user1@acme.localhost')])
  expect(env.upstream.completed).toHaveLength(1)
  expect(JSON.stringify(env.upstream.completed[0]?.parameters)).not.toContain('mallory')
})

it('goes to the provider although a person is signed in, and signs the person of the provider in', async () => {
  env.upstream.links.set('alice', 'totpuser')
  const browser = env.newBrowser()
  await env.signIn(browser, await env.authorize(browser))
  const left = await away(browser)
  expect(left.location).toMatch(/^https:\/\/idp\.localhost\//)
  expect(env.upstream.begun.at(-1)).toMatchObject({ fresh: false })
  expect((await back(browser, stateOf(left))).text).toContain('totpuser@acme.localhost')
})

describe('at its end', () => {
  const OF_SPA = `https://spa.localhost/login?tenant=1&iss=${encodeURIComponent('http://localhost:8080')}&target_link_uri=${encodeURIComponent('https://spa.localhost/')}`
  /** Sets the application, and waits until a sign-in ends at the address. */
  const endAt = async (clientId: string | null, expected: string) => {
    await set(`provider_initiated_client_id = ${clientId === null ? 'NULL' : `'${clientId}'`}`)
    const end = async () => (await env.newBrowser().get(`${PATHS.upstreamEnd}?state=corp`)).location
    await expect.poll(end, { timeout: 20_000 }).toBe(expected)
  }

  it('leads to the registered beginning of the application, which gets the issuer', async () => {
    await endAt('spa', OF_SPA)
    const browser = env.newBrowser()
    expect((await back(browser, stateOf(await away(browser)))).location).toBe(OF_SPA)
    // The application asks for its own response, for which the person is signed in.
    const next = await browser.get(
      `/oauth/v2/authorize?${new URLSearchParams({ client_id: 'web', redirect_uri: 'https://rp.localhost/callback', response_type: 'code', scope: 'openid' })}`,
    )
    expect(codeOf(next)).toMatch(/^code-/)
  })

  it.each([
    ['an application that is not active', 'asleep'],
    ['an application without an address', 'web'],
    ['an application of another organization', 'lunch-menu'],
    ['an application that was deleted', 'gone'],
    ['no application', null],
  ])('leads to the own account with %s', async (_, clientId) => {
    await asOwner(env.adminUrl, [
      `UPDATE directory.application SET home_page = 'https://asleep.localhost/' WHERE client_id IN ('asleep', 'lunch-menu')`,
    ])
    await endAt('spa', OF_SPA)
    await endAt(clientId, PATHS.account)
    const browser = env.newBrowser()
    expect((await back(browser, stateOf(await away(browser)))).text).toContain('user1@acme.localhost')
  })

  it.each(['', 'none', 'elsewhere', 'https://evil.test', '//evil.test'])(
    'leads nowhere else for the state %j',
    async (state) => {
      const end = await env.newBrowser().get(`${PATHS.upstreamEnd}?${new URLSearchParams({ state })}`)
      expect([end.status, end.location]).toEqual([303, PATHS.account])
    },
  )
})

describe('a provider that answers each request without naming it', () => {
  it('is refused at its second answer, and no other sign-in begins', async () => {
    const browser = env.newBrowser()
    await away(browser)
    const before = (await env.redis.keys('*')).length
    const page = await away(browser)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('was not accepted')])
    expect(env.upstream.begun).toHaveLength(1)
    expect(await env.redis.keys('*')).toHaveLength(before)
    expect(refusals().at(-1)).toMatchObject({
      ...{ reason: 'identity_provider_refused', received: 'response_unsolicited' },
    })
    // The page goes on: by the provider, or with a password.
    const answer = await browser.submit(page, { login_name: 'user1', password: PASSWORD })
    expect((await followOwn(browser, answer)).text).toContain('user1@acme.localhost')
  })

  it('is refused so in each of two tabs, of another provider each', async () => {
    const browser = env.newBrowser()
    const second = '/ui/identity-providers/second/callback'
    for (const path of [CALLBACK, second])
      expect((await away(browser, path)).location).toMatch(/^https:\/\/idp\.localhost\//)
    for (const path of [CALLBACK, second])
      expect((await away(browser, path)).text).toContain('was not accepted')
    expect(env.upstream.begun).toHaveLength(2)
  })

  it('is refused at the fifth provider of a browser whose other four have not answered', async () => {
    const ids = ['t1', 't2', 't3', 't4', 't5']
    await asOwner(
      env.adminUrl,
      ids.map((id) => samlProvider(id, 'acme')),
    )
    const browser = env.newBrowser()
    const at = (id: string, by = browser) => away(by, `/ui/identity-providers/${id}/callback`)
    // Until the sign-in page offers the new ones.
    await expect.poll(async () => (await at('t5', env.newBrowser())).status, { timeout: 20_000 }).toBe(303)
    env.upstream.reset()
    for (const id of ids.slice(0, 4)) expect((await at(id)).status).toBe(303)
    expect((await at('t5')).text).toContain('was not accepted')
    expect(env.upstream.begun).toHaveLength(4)
    // The refusal was an answer to one of them, whose place the fifth takes.
    expect((await at('t5')).status).toBe(303)
    expect([...browser.cookies.keys()].filter((name) => name.includes('.initiated.'))).toHaveLength(4)
  })

  it('is refused by federation where it names our sign-in and no request', async () => {
    env.upstream.answers.set('alice', { refusal: { rule: 'response_unsolicited' } })
    const browser = env.newBrowser()
    const page = await back(browser, stateOf(await away(browser)))
    expect(page.text).toContain('was not accepted')
    expect(env.upstream.begun).toHaveLength(0)
  })

  it('ends in a page for a browser without cookies, before anything is stored', async () => {
    const blocked = env.newBrowser()
    const first = await blocked.get((await postUnsolicited(blocked)).location)
    expect([first.status, first.location]).toEqual([303, `${START}?cookie=set`])
    blocked.cookies.clear()
    const page = await blocked.get(first.location)
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('did not send the cookie')])
    expect(await env.redis.keys('*')).toEqual([])
    expect(env.upstream.begun).toEqual([])
  })

  it('may begin again after an answer, at another provider, and in another browser', async () => {
    const browser = env.newBrowser()
    env.upstream.links.delete('alice')
    expect((await back(browser, stateOf(await away(browser)))).text).toContain('is not linked')
    expect((await away(browser)).location).toMatch(/^https:\/\/idp\.localhost\//)
    expect((await away(browser, '/ui/identity-providers/second/callback')).location).toMatch(
      /^https:\/\/idp\.localhost\//,
    )
    expect((await away(env.newBrowser())).location).toMatch(/^https:\/\/idp\.localhost\//)
  })
})

it('ends the sign-in in the browser that began it alone', async () => {
  const [mine, other] = [env.newBrowser(), env.newBrowser()]
  const [left, theirs] = [await away(mine), await away(other)]
  const kept = await mine.post(
    CALLBACK,
    { SAMLResponse: 'alice', RelayState: stateOf(left) },
    { withCookies: false },
  )
  expect((await other.get(kept.location)).status).toBe(400)
  expect(env.upstream.completed).toEqual([])
  expect((await back(other, stateOf(theirs))).text).toContain('user1@acme.localhost')
})

it('makes no account and links none where the provider may not (Keycloak CVE-2026-16442)', async () => {
  env.upstream.links.clear()
  env.upstream.refused.set('alice', 'no_account')
  const browser = env.newBrowser()
  const page = await back(browser, stateOf(await away(browser)))
  expect(page.text).toContain('cannot be used to sign in here')
  env.upstream.refused.clear()
  env.upstream.unlinked = { mayLink: true, mayCreate: false }
  const linkOnly = env.newBrowser()
  const offer = await back(linkOnly, stateOf(await away(linkOnly)))
  expect(offer.body).toContain('unlinked-link')
  expect(offer.body).not.toContain('unlinked-create')
  expect([env.upstream.created, [...env.upstream.links]]).toEqual([[], []])
})

it('asks for the second factor of the account', async () => {
  env.upstream.links.set('alice', 'totpuser')
  env.upstream.secondFactorRequired = true
  env.fakes.totpCodes.add('111111')
  const browser = env.newBrowser()
  const page = await back(browser, stateOf(await away(browser)))
  expect(page.body).toContain('id="totp-code"')
  const answer = await browser.submit(page, { code: '111111' })
  expect((await followOwn(browser, answer)).text).toContain('totpuser@acme.localhost')
})

it('takes a response at the path of another product', async () => {
  const browser = env.newBrowser()
  const posted = await postUnsolicited(browser, CONSUMER)
  expect([posted.status, posted.location]).toEqual([303, '/ui/identity-providers/second/sign-in'])
  expect(env.upstream.askedConsumers).toBe(0)
  for (const other of ['/login/callback', '/login/callback?connection=acme', '/saml/acs'])
    expect([other, (await postUnsolicited(browser, other)).status]).toEqual([other, 400])
})

it('shows the sign-in page when the provider cannot be asked, and begins for no HEAD request', async () => {
  const browser = env.newBrowser()
  expect(await browser.head(START)).toBe(204)
  env.upstream.beginRefusal = { rule: 'provider_away', temporary: true }
  expect((await away(browser)).text).toContain('does not answer right now')
  env.upstream.isAway = true
  expect((await away(browser)).text).toContain('does not answer right now')
})

it('counts the sign-ins that one network begins so with the others', async () => {
  const { upstream, clock } = env
  let refused: PageView | undefined
  for (let begun = 0; begun < 1_100 && refused === undefined; begun += 1) {
    const browser = env.newBrowser()
    browser.cookies.set('signet.browser', 'x'.repeat(43))
    const answer = await browser.get(START)
    if (answer.status !== 303) refused = answer
    clock.advance(20)
  }
  expect(refused?.status).toBe(429)
  expect(upstream.begun.length).toBeGreaterThan(900)
  clock.advance(30 * 60_000)
  expect((await away(env.newBrowser())).status).toBe(303)
})

describe('where a provider may not begin', () => {
  const isRefused = async () => {
    const browser = env.newBrowser()
    const posted = await postUnsolicited(browser)
    browser.cookies.set('signet.browser', 'x'.repeat(43))
    return [posted.status, (await browser.get(START)).status]
  }
  const OFF = [400, 404]
  const ON = [303, 303]

  it('has nothing for a provider without the setting, of OpenID Connect, or that is none', async () => {
    const before = refusals().length
    for (const id of ['elsewhere', 'none', 'x'.repeat(300)]) {
      const page = await postUnsolicited(
        env.newBrowser(),
        `/ui/identity-providers/${encodeURIComponent(id)}/callback`,
      )
      expect([id, page.status]).toEqual([id, 400])
      expect(page.text).toContain('did not begin here')
    }
    expect(refusals().slice(before)).toHaveLength(3)
    expect(refusals().at(before)).toMatchObject({
      ...{ reason: 'identity_provider_refused', received: 'response_unsolicited' },
    })
    expect(await env.redis.keys('*')).toEqual([])
  })

  it.each([
    [
      'that was deactivated (ZITADEL CVE-2025-64717, Keycloak CVE-2026-1486)',
      `UPDATE directory.identity_provider SET state = 'inactive' WHERE provider_id = 'corp'`,
      `UPDATE directory.identity_provider SET state = 'active' WHERE provider_id = 'corp'`,
    ],
    [
      'of an organization that was deactivated',
      `UPDATE directory.organization SET state = 'inactive' WHERE organization_id = 'acme'`,
      `UPDATE directory.organization SET state = 'active' WHERE organization_id = 'acme'`,
    ],
    [
      'that the login policy leaves out',
      `INSERT INTO directory.organization_policy VALUES ('acme', 'login', '{"allowExternalIdp": false}')`,
      `DELETE FROM directory.organization_policy WHERE organization_id = 'acme'`,
    ],
    [
      'whose setting was turned off',
      `UPDATE directory.identity_provider SET provider_initiated = false WHERE provider_id = 'corp'`,
      `UPDATE directory.identity_provider SET provider_initiated = true WHERE provider_id = 'corp'`,
    ],
  ])('refuses at every entrance with one %s', async (_, off, on) => {
    await expect.poll(isRefused, { timeout: 20_000 }).toEqual(ON)
    await asOwner(env.adminUrl, [off])
    await expect.poll(isRefused, { timeout: 20_000 }).toEqual(OFF)
    await asOwner(env.adminUrl, [on])
    await expect.poll(isRefused, { timeout: 20_000 }).toEqual(ON)
  })
})

it('takes a response to an ordinary request as before', async () => {
  await asOwner(env.adminUrl, ["UPDATE directory.setting SET default_organization_id = 'acme'"])
  const browser = env.newBrowser()
  await expect
    .poll(async () => (await env.authorize(browser)).text, { timeout: 20_000 })
    .toContain('Corp of corp')
  const left = await chooseProvider(browser, await env.authorize(browser))
  const answer = await browser.follow(await browser.get(callback(stateOf(left))))
  expect(codeOf(answer)).toMatch(/^code-/)
})
