import { decodeEntities } from '@signet/platform/load/http-browser'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PageView, TestBrowser } from './browser.ts'
import { PASSWORD } from './fake-services.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
})
afterAll(() => env.stop())

async function signedIn(...loginNames: string[]): Promise<TestBrowser> {
  const browser = env.newBrowser()
  for (const loginName of loginNames) {
    await env.signIn(browser, await env.authorize(browser, { prompt: 'login' }), loginName)
  }
  return browser
}

const ask = (browser: TestBrowser, scope = 'openid email offline_access', prompt = 'consent') =>
  env.authorize(browser, { prompt, scope })

async function decide(browser: TestBrowser, page: PageView, decision: string): Promise<URLSearchParams> {
  const answer = await browser.follow(await browser.submit(page, { decision }))
  return new URL(answer.location).searchParams
}

describe('prompt=consent [F-38]', () => {
  it('shows the application, the account and every scope, also for a live session [fapi.flow.consent]', async () => {
    const page = await ask(await signedIn('user1'))
    expect(page.status).toBe(200)
    expect(page.text).toContain('Signed in as user1@acme.localhost')
    expect(page.text).toContain('Portal &lt;web&gt; asks for:')
    expect(page.body, 'it belongs to her own organization').not.toContain('id="consent-owner"')
    expect(page.text).toContain('Your e-mail address')
    expect(page.text).toContain('Access that lasts while you are away')
    expect(page.body).toMatch(/<button id="consent-allow" type="submit"/)
    expect(page.body).toMatch(/<button class="second" id="consent-deny" type="submit"/)
  })

  it('continues after consent, records it, and asks again for the next request', async () => {
    const browser = await signedIn('user1')
    const answer = await decide(browser, await ask(browser), 'allow')
    expect(answer.get('code')).toMatch(/^code-/)
    expect(answer.get('state')).toBe('st&te=1')
    expect(env.fakes.consents.get('user1 web')).toEqual(new Set(['openid', 'email', 'offline_access']))
    const again = await ask(browser, 'openid email phone')
    expect(again.text).toContain('Your e-mail address (allowed before)')
    expect(again.text).toContain('Your phone number Allow')
  })

  it('keeps the request while the refusal cannot be signed (JARM)', async () => {
    const browser = await signedIn('user2')
    const page = await env.authorize(browser, { prompt: 'consent', response_mode: 'jwt' })
    env.fakes.away.add('keys')
    expect((await browser.submit(page, { decision: 'deny' })).status).toBe(503)
    env.fakes.away.delete('keys')
    const response = (await decide(browser, page, 'deny')).get('response') ?? ''
    expect(JSON.parse(response)).toMatchObject({ error: 'access_denied' })
  })

  it('returns access_denied once after a refusal, and records nothing', async () => {
    const browser = await signedIn('user2')
    const page = await ask(browser)
    const answer = await decide(browser, page, 'deny')
    expect(Object.fromEntries(answer)).toEqual({
      error: 'access_denied',
      error_description: expect.any(String),
      state: 'st&te=1',
      iss: env.issuer,
    })
    expect(env.fakes.consents.has('user2 web')).toBe(false)
    const again = await browser.submit(page, { decision: 'allow' })
    expect(again.text).toContain('This page is no longer needed')
  })

  it('treats any answer but "allow" as a refusal', async () => {
    const browser = await signedIn('user2')
    expect((await decide(browser, await ask(browser), '')).get('error')).toBe('access_denied')
  })

  it('asks after the sign-in when there is no session', async () => {
    const browser = env.newBrowser()
    const login = await ask(browser)
    expect(login.body).toContain('id="login-name"')
    const page = await browser.follow(
      await browser.submit(login, { login_name: 'user3', password: 'Correct-horse-9' }),
    )
    expect(page.text).toContain('Signed in as user3@acme.localhost')
    expect((await decide(browser, page, 'allow')).get('code')).toMatch(/^code-/)
  })

  it('asks the chosen account', async () => {
    const browser = await signedIn('user1', 'user2')
    const chooser = await ask(browser, 'openid', 'consent select_account')
    const sids = [...chooser.body.matchAll(/name="sid" value="([^"]*)"/g)].map(([, sid = '']) => sid)
    expect(sids).toHaveLength(2)
    const first = await browser.follow(await browser.submit(chooser, { sid: sids[0] ?? '' }))
    expect(first.text).toContain('Signed in as ')
    expect((await decide(browser, first, 'allow')).get('code')).toMatch(/^code-/)
  })

  it('offers another account, which is asked then', async () => {
    const browser = await signedIn('user1')
    const page = await ask(browser)
    expect(page.text).toContain('You return to rp.localhost.')
    const [, other = ''] = /id="consent-other" href="([^"]*)"/.exec(page.body) ?? []
    const chooser = await browser.follow(await browser.get(decodeEntities(other)))
    const [, addition = ''] = /id="account-other" href="([^"]*)"/.exec(chooser.body) ?? []
    const signIn = await browser.follow(await browser.get(decodeEntities(addition)))
    const proof = { login_name: 'user2', password: PASSWORD }
    const again = await browser.follow(await browser.submit(signIn, proof))
    expect(again.text).toContain('Signed in as user2@acme.localhost')
  })

  it('does not use the consent of one account for another chosen account', async () => {
    const browser = await signedIn('user1', 'user2')
    const chooser = await ask(browser, 'openid', 'consent')
    const [one = '', other = ''] = [...chooser.body.matchAll(/name="sid" value="([^"]*)"/g)].map(
      ([, sid]) => sid,
    )
    const page = await browser.follow(await browser.submit(chooser, { sid: one }))
    await browser.submit(page, { decision: 'allow' })
    const second = await browser.follow(await browser.submit(chooser, { sid: other }))
    expect(second.body).toContain('id="consent-allow"')
  })

  it('shows no page for a request that needs no consent', async () => {
    const browser = env.newBrowser()
    const login = await env.authorize(browser)
    const request = /name="request" value="([^"]*)"/.exec(login.body)?.[1]
    const page = await browser.follow(await browser.get(`/ui/consent?request=${request}`))
    expect(page.body).toContain('id="login-name"')
  })
})

describe('an application of another organization [F-38]', () => {
  const OFFLINE = 'openid offline_access'
  const LEDGER = 'urn:service:iam:org:project:id:ledger:aud'
  const PAYROLL = 'urn:service:iam:org:project:id:payroll:aud'
  const open = (browser: TestBrowser, parameters: Record<string, string> = {}) =>
    env.authorize(browser, {
      client_id: 'lunch-menu',
      redirect_uri: 'https://lunch.localhost/callback',
      ...parameters,
    })
  const answerOf = ({ location }: PageView) => Object.fromEntries(new URL(location).searchParams)
  const isAsked = ({ body }: PageView) => body.includes('id="consent-allow"')

  beforeEach(async () => {
    await asOwner(env.adminUrl, [
      `DELETE FROM directory.project_grant`,
      `UPDATE directory.application SET first_party = false WHERE client_id = 'lunch-menu'`,
    ])
    env.fakes.consents.clear()
    const browser = await signedIn('user1')
    await expect
      .poll(async () => answerOf(await open(browser, { prompt: 'none' })))
      .toMatchObject({ error: 'consent_required' })
  })

  it('needs consent once without prompt=consent', async () => {
    const browser = await signedIn('user1')
    const page = await open(browser)
    expect(page.text).toContain('Lunch menu asks for:')
    expect(page.text).toContain('It belongs to another organization than yours: Globex.')
    expect((await decide(browser, page, 'allow')).get('code')).toMatch(/^code-/)
    expect(answerOf(await open(browser))).toHaveProperty('code')
    expect(answerOf(await open(browser, { prompt: 'none' }))).toHaveProperty('code')
    expect(isAsked(await open(browser, { prompt: 'consent' }))).toBe(true)
  })

  it('gets only consent_required with prompt=none', async () => {
    const browser = await signedIn('user1')
    for (const responseType of ['code', 'id_token']) {
      const request = { prompt: 'none', response_type: responseType, nonce: 'n' }
      const { search, hash } = new URL((await open(browser, request)).location)
      expect(Object.fromEntries(new URLSearchParams(search || hash.slice(1)))).toEqual({
        error: 'consent_required',
        error_description: expect.any(String),
        state: 'st&te=1',
        iss: env.issuer,
      })
    }
  })

  it.each([
    ['offline_access', 'openid email', `${OFFLINE} email`],
    ['an audience', 'openid', `openid ${PAYROLL}`],
    ['another audience', `openid ${PAYROLL}`, `openid ${PAYROLL} ${LEDGER}`],
  ])('needs a new consent when %s is added', async (_what, first, wider) => {
    const browser = await signedIn('user1')
    await decide(browser, await open(browser, { scope: first }), 'allow')
    expect(answerOf(await open(browser, { scope: first }))).toHaveProperty('code')
    const silent = await open(browser, { scope: wider, prompt: 'none' })
    expect(answerOf(silent)).toMatchObject({ error: 'consent_required' })
    const page = await open(browser, { scope: wider })
    expect(isAsked(page)).toBe(true)
    expect((await decide(browser, page, 'deny')).get('error')).toBe('access_denied')
    expect(isAsked(await open(browser, { scope: wider })), 'a refusal is not stored as consent').toBe(true)
  })

  it('needs consent to claims that no scope of the request reveals', async () => {
    const browser = await signedIn('user1')
    await decide(browser, await open(browser), 'allow')
    for (const [member, name, text] of [
      ['userinfo', 'phone_number', 'Your phone number'],
      ['id_token', 'email', 'Your e-mail address'],
    ] as const) {
      const claims = JSON.stringify({ [member]: { [name]: null, acr: null } })
      const silent = await open(browser, { claims, prompt: 'none' })
      expect(answerOf(silent)).toMatchObject({ error: 'consent_required' })
      const page = await open(browser, { claims })
      expect(page.text).toContain(text)
      expect((await decide(browser, page, 'allow')).get('code')).toMatch(/^code-/)
      expect(answerOf(await open(browser, { claims, prompt: 'none' }))).toHaveProperty('code')
    }
  })

  it('needs the consent of each user', async () => {
    const browser = await signedIn('user1')
    await decide(browser, await open(browser), 'allow')
    expect(isAsked(await open(await signedIn('user2')))).toBe(true)
  })

  it('shows offline_access and the projects of the audience with their organizations', async () => {
    const scope = `${OFFLINE} ${LEDGER} ${PAYROLL}`
    const page = await open(await signedIn('user1'), { scope })
    expect(page.text).toContain('Access that lasts while you are away')
    expect(page.text).toContain('Acting for you towards Ledger of the organization ACME')
    expect(page.text).toContain('Acting for you towards Payroll of the organization Globex')
    const german = await open(await signedIn('user1'), { scope, ui_locales: 'de' })
    expect(german.text).toContain('Für Sie gegenüber Ledger der Organisation ACME handeln')
  })

  const trusted: [string, string, readonly string[]][] = [
    ['an IAM_OWNER marked it', 'user1', [`UPDATE directory.application SET first_party = true`]],
    ['the organization of the user owns it', 'globex1', []],
    [
      'the organization of the user has accepted a grant of its project',
      'user1',
      [`INSERT INTO directory.project_grant (project_id, granted_organization_id) VALUES ('lunch', 'acme')`],
    ],
  ]
  it.each(trusted)('needs no consent where %s', async (_what, user, statements) => {
    const browser = await signedIn(user)
    await asOwner(env.adminUrl, statements)
    const scope = `${OFFLINE} ${LEDGER}`
    await expect
      .poll(async () => (await open(browser, { scope, prompt: 'none' })).location)
      .toContain('code=')
    expect(isAsked(await open(browser, { scope, prompt: 'consent' }))).toBe(true)
    expect(env.fakes.consents.size).toBe(0)
  })

  it('needs consent until the organization of the user accepts the project grant', async () => {
    const browser = await signedIn('user1')
    await asOwner(env.adminUrl, [
      `INSERT INTO directory.project_grant (project_id, granted_organization_id, accepted) VALUES ('lunch', 'acme', false)`,
    ])
    expect(isAsked(await open(browser))).toBe(true)
    await asOwner(env.adminUrl, [`UPDATE directory.project_grant SET accepted = true`])
    await expect.poll(async () => isAsked(await open(browser))).toBe(false)
  })

  it('needs consent again when firstParty is removed', async () => {
    const browser = await signedIn('user1')
    await asOwner(env.adminUrl, [`UPDATE directory.application SET first_party = true`])
    await expect.poll(async () => isAsked(await open(browser))).toBe(false)
    await asOwner(env.adminUrl, [
      `UPDATE directory.application SET first_party = false WHERE client_id = 'lunch-menu'`,
    ])
    await expect.poll(async () => isAsked(await open(browser))).toBe(true)
  })

  it('gets nothing while the directory is unavailable', async () => {
    const browser = await signedIn('user1')
    env.fakes.away.add('directory')
    const silent = await open(browser, { prompt: 'none' })
    const page = await open(browser)
    env.fakes.away.clear()
    expect(answerOf(silent)).toMatchObject({ error: 'temporarily_unavailable' })
    expect(page.status).toBe(503)
  })
})

it('rejects a form of another page [F-15]', async () => {
  const browser = await signedIn('user3')
  const page = await ask(browser)
  env.fakes.consents.clear()
  const forged = await browser.submit(page, { decision: 'allow', csrf: 'A'.repeat(43) })
  expect(forged.text).toContain('Request rejected')
  expect(env.fakes.consents.size).toBe(0)
})

it('shows the consent page again after the directory was unavailable', async () => {
  const browser = await signedIn('user3')
  const page = await ask(browser)
  env.fakes.away.add('directory')
  expect((await browser.submit(page, { decision: 'allow' })).status).toBe(503)
  env.fakes.away.clear()
  expect((await decide(browser, page, 'allow')).get('code')).toMatch(/^code-/)
})
