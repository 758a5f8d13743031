// The page for name and password at a provider that verifies passwords.
import { createLogger } from '@signet/platform/logger/logger'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { PATHS } from '../src/pages/paths.ts'
import type { PageView, TestBrowser } from './browser.ts'
import { asserted } from './fake-upstream.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'
import { chooseProvider, codeOf, hiddenFields, ldapProvider, openIdProvider } from './upstream-pages.ts'

let env: TestEnvironment
const lines: Record<string, unknown>[] = []
const logger = createLogger({
  service: 'login',
  level: 'info',
  destination: { write: (line) => void lines.push(JSON.parse(line)) },
})

beforeAll(async () => {
  env = await startTestEnvironment({ logger })
  await asOwner(env.adminUrl, [
    "UPDATE directory.setting SET default_organization_id = 'acme'",
    ldapProvider('corp', 'acme', 'Corp <LDAP>'),
    ldapProvider('elsewhere', 'globex', 'Elsewhere'),
    openIdProvider('oidc'),
  ])
})
afterAll(() => env?.stop())
beforeEach(async () => {
  await env.redis.flushdb()
  const { upstream, fakes } = env
  upstream.reset()
  for (const known of ['forced', 'totpCodes', 'offers', 'passkeys'] as const) fakes[known].clear()
  upstream.passwords.set(`alice ${PASSWORD}`, asserted('alice'))
  upstream.links.set('alice', 'user1')
})

const PASSWORD = 'the password of the directory'

/** Opens the page of a provider by its button. */
async function open(
  browser: TestBrowser,
  parameters: Readonly<Record<string, string>> = {},
  provider = 'corp',
) {
  const page = await env.authorize(browser, parameters)
  return browser.follow(await chooseProvider(browser, page, provider))
}

async function signIn(name = 'alice', password = PASSWORD, browser = env.newBrowser()) {
  const page = await open(browser)
  return browser.follow(await browser.submit(page, { login_name: name, password }))
}

it('asks for name and password on a page of its own, without leaving for a provider', async () => {
  const page = await open(env.newBrowser(), { login_hint: 'alice' })
  expect(page.status).toBe(200)
  expect(page.text).toContain('Sign in with Corp &lt;LDAP&gt;')
  expect(page.body).toContain(`action="${PATHS.upstreamPassword}"`)
  expect(page.body).toMatch(/id="login-name"[^>]*value="alice"/)
  expect(env.upstream.begun).toEqual([])
  expect((await open(env.newBrowser(), { ui_locales: 'de' })).text).toContain('Anmelden')
})

it('signs a linked person in and answers the application', async () => {
  env.upstream.amr = ['pwd']
  expect(codeOf(await signIn())).toMatch(/^code-/)
  expect(env.upstream.verified).toMatchObject([
    { providerId: 'corp', organizationId: '', name: 'alice', password: PASSWORD },
  ])
  expect(env.fakes.codeRequests.at(-1)).toMatchObject({ session: { userId: 'user1', amr: ['pwd'] } })
})

it('asks for the second factor of the account after the password', async () => {
  env.upstream.links.set('alice', 'totpuser')
  env.upstream.secondFactorRequired = true
  env.upstream.amr = ['pwd']
  env.fakes.totpCodes.add('111111')
  const browser = env.newBrowser()
  const page = await signIn('alice', PASSWORD, browser)
  expect(page.body).toContain(`action="${PATHS.totp}`)
  await browser.follow(await browser.submit(page, { code: '111111' }))
  expect(env.fakes.codeRequests.at(-1)?.session?.amr).toEqual(['pwd', 'otp', 'mfa'])
})

it('leads a person without an account to the page of the others', async () => {
  env.upstream.links.clear()
  const page = await signIn()
  expect(page.body).toContain('id="unlinked-create"')
})

it.each([
  ['a wrong password', 'alice', 'wrong'],
  ['an unknown name', 'nobody', PASSWORD],
  ['a long password', 'alice', 'x'.repeat(1_001)],
])('shows the same for %s', async (_, name, password) => {
  const page = await signIn(name, password)
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('password is not right')])
  expect(page.body).not.toContain(password)
})

it('sends no empty password', async () => {
  const page = await signIn('alice', '')
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('Enter your login name')])
  expect(env.upstream.found).toEqual([])
})

it('has the password in no line of the log', async () => {
  await signIn('alice', 'never in a log')
  env.upstream.passwords.set('alice never in a log', { refusal: { rule: 'search_refused' } })
  await signIn('alice', 'never in a log')
  expect(JSON.stringify(lines)).not.toContain('never in a log')
})

it('sends at most five wrong passwords of an entry within 15 minutes, by whichever name', async () => {
  const names = ['alice', 'Alice', 'alice@corp.localhost', 'ALICE ', 'alice@example.org', 'alice', 'Alice']
  const pages: PageView[] = []
  for (const name of names) pages.push(await signIn(name, 'wrong'))
  expect(pages.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 429, 429])
  expect(env.upstream.verified).toHaveLength(5)
  // The right one waits too, so that an answer tells nothing.
  expect((await signIn()).status).toBe(429)
  env.clock.advance(15 * 60_000 + 1_000)
  expect(codeOf(await signIn())).toMatch(/^code-/)
})

it('counts unknown names as it counts known ones', async () => {
  const statuses: number[] = []
  for (let at = 0; at < 6; at += 1) statuses.push((await signIn('nobody', 'wrong')).status)
  expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
})

it('keeps the count of an entry when another password succeeds', async () => {
  for (let at = 0; at < 4; at += 1) await signIn('alice', 'wrong')
  expect(codeOf(await signIn())).toMatch(/^code-/)
  expect((await signIn('alice', 'wrong')).status).toBe(400)
  expect((await signIn('alice', 'wrong')).status).toBe(429)
  expect(env.upstream.verified).toHaveLength(6)
})

it('sends no more passwords at once than one after the other', async () => {
  const browsers = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const browser = env.newBrowser()
      return { browser, page: await open(browser) }
    }),
  )
  await Promise.all(
    browsers.map(({ browser, page }) => browser.submit(page, { login_name: 'alice', password: 'wrong' })),
  )
  expect(env.upstream.verified).toHaveLength(5)
})

it('searches for no more names of one network than the password way tries', async () => {
  const browser = env.newBrowser()
  for (let at = 0; at < 100; at += 1) await signIn(`name-${at}`, 'wrong', browser)
  const searched = env.upstream.found.length
  expect((await signIn('alice', PASSWORD, browser)).status).toBe(429)
  expect(env.upstream.found).toHaveLength(searched)
}, 60_000)

it('is temporary while the directory is away, and counts nothing', async () => {
  env.upstream.findRefusal = { rule: 'provider_away', temporary: true }
  for (let at = 0; at < 12; at += 1) {
    const page = await signIn()
    expect(page.text).toContain('does not answer right now')
  }
  env.upstream.findRefusal = undefined
  expect(codeOf(await signIn())).toMatch(/^code-/)
  env.upstream.isAway = true
  expect((await signIn()).text).toContain('does not answer right now')
})

it('refuses a provider that was deactivated while the page was open', async () => {
  env.upstream.passwords.set(`alice ${PASSWORD}`, { refusal: { rule: 'provider_not_usable' } })
  expect((await signIn()).body).toContain('id="login-problem"')
  expect(env.fakes.codeRequests.filter(({ session }) => session?.userId === 'alice')).toEqual([])
})

it('takes no password for the provider of another organization, nor for one of another type', async () => {
  for (const provider of ['elsewhere', 'oidc', 'nothing', '']) {
    const browser = env.newBrowser()
    const page = await open(browser)
    const fields = { ...hiddenFields(page.body), login_name: 'alice', password: PASSWORD }
    await browser.post(PATHS.upstreamPassword, { ...fields, provider })
    const shown = await browser.get(
      `${PATHS.upstreamPassword}?request=${fields.request}&provider=${provider}`,
    )
    expect([shown.status, shown.location]).toEqual([303, expect.stringContaining(PATHS.login)])
  }
  expect(env.upstream.found).toEqual([])
})

it('passes the organization of the request on', async () => {
  const browser = env.newBrowser()
  const page = await open(browser, { scope: 'openid urn:service:iam:org:id:globex' }, 'elsewhere')
  await browser.submit(page, { login_name: 'alice', password: PASSWORD })
  expect(env.upstream.verified).toMatchObject([{ providerId: 'elsewhere', organizationId: 'globex' }])
})

it('takes no form without its token, and none without a pending request', async () => {
  const browser = env.newBrowser()
  const page = await open(browser)
  const { request } = hiddenFields(page.body)
  const form = { request, provider: 'corp', login_name: 'alice', password: PASSWORD }
  expect((await browser.post(PATHS.upstreamPassword, { ...form, csrf: 'x' })).status).toBe(400)
  expect(
    (await env.newBrowser().get(`${PATHS.upstreamPassword}?request=${request}&provider=corp`)).status,
  ).toBe(400)
  expect(env.upstream.found).toEqual([])
})
