import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { asOwner } from './fixtures/directory-rows.ts'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'
import type { PageView, TestBrowser } from './fixtures/test-browser.ts'

let world: LoginWorld

beforeAll(async () => {
  world = await startLoginWorld()
})
afterAll(() => world.stop())

async function signedIn(...loginNames: string[]): Promise<TestBrowser> {
  const browser = world.newBrowser()
  for (const loginName of loginNames) {
    await world.signIn(browser, await world.authorize(browser, { prompt: 'login' }), loginName)
  }
  return browser
}

const ask = (browser: TestBrowser, scope = 'openid email offline_access', prompt = 'consent') =>
  world.authorize(browser, { prompt, scope })

async function decide(browser: TestBrowser, page: PageView, decision: string): Promise<URLSearchParams> {
  const answer = await browser.follow(await browser.submit(page, { decision }))
  return new URL(answer.location).searchParams
}

describe('F-38: prompt=consent', () => {
  it('names the application, the account and every scope, also to somebody who is signed in', async () => {
    const page = await ask(await signedIn('alice'))
    expect(page.status).toBe(200)
    expect(page.text).toContain('Signed in as alice@acme.localhost')
    expect(page.text).toContain('Portal &lt;web&gt; asks for:')
    expect(page.body, 'it belongs to her own organization').not.toContain('id="consent-owner"')
    expect(page.text).toContain('Your e-mail address')
    expect(page.text).toContain('Access that lasts while you are away')
    expect(page.body).toMatch(/<button id="consent-allow" type="submit"/)
    expect(page.body).toMatch(/<button class="second" id="consent-deny" type="submit"/)
  })

  it('goes on when it is allowed, records it, and asks the next time all the same', async () => {
    const browser = await signedIn('alice')
    const answer = await decide(browser, await ask(browser), 'allow')
    expect(answer.get('code')).toMatch(/^code-/)
    expect(answer.get('state')).toBe('st&te=1')
    expect(world.peers.consents.get('alice web')).toEqual(new Set(['openid', 'email', 'offline_access']))
    const again = await ask(browser, 'openid email phone')
    expect(again.text).toContain('Your e-mail address (allowed before)')
    expect(again.text).toContain('Your phone number Allow')
  })

  it('answers access_denied when it is denied, once, and records nothing', async () => {
    const browser = await signedIn('bob')
    const page = await ask(browser)
    const answer = await decide(browser, page, 'deny')
    expect(Object.fromEntries(answer)).toEqual({
      error: 'access_denied',
      error_description: expect.any(String),
      state: 'st&te=1',
      iss: world.issuer,
    })
    expect(world.peers.consents.has('bob web')).toBe(false)
    expect((await browser.submit(page, { decision: 'allow' })).text).toContain('Request rejected')
  })

  it('takes anything but "allow" for a refusal', async () => {
    const browser = await signedIn('bob')
    expect((await decide(browser, await ask(browser), '')).get('error')).toBe('access_denied')
  })

  it('comes after the sign-in where nobody is signed in', async () => {
    const browser = world.newBrowser()
    const login = await ask(browser)
    expect(login.body).toContain('id="login-name"')
    const page = await browser.follow(
      await browser.submit(login, { login_name: 'carol', password: 'Correct-horse-9' }),
    )
    expect(page.text).toContain('Signed in as carol@acme.localhost')
    expect((await decide(browser, page, 'allow')).get('code')).toMatch(/^code-/)
  })

  it('is asked of the account that was chosen', async () => {
    const browser = await signedIn('alice', 'bob')
    const chooser = await ask(browser, 'openid', 'consent select_account')
    const sids = [...chooser.body.matchAll(/name="sid" value="([^"]*)"/g)].map(([, sid = '']) => sid)
    expect(sids).toHaveLength(2)
    const first = await browser.follow(await browser.submit(chooser, { sid: sids[0] ?? '' }))
    expect(first.text).toContain('Signed in as ')
    expect((await decide(browser, first, 'allow')).get('code')).toMatch(/^code-/)
  })

  it('what one account allowed, another that is chosen afterwards did not', async () => {
    const browser = await signedIn('alice', 'bob')
    const chooser = await ask(browser, 'openid', 'consent')
    const [one = '', other = ''] = [...chooser.body.matchAll(/name="sid" value="([^"]*)"/g)].map(
      ([, sid]) => sid,
    )
    const page = await browser.follow(await browser.submit(chooser, { sid: one }))
    await browser.submit(page, { decision: 'allow' })
    const second = await browser.follow(await browser.submit(chooser, { sid: other }))
    expect(second.body).toContain('id="consent-allow"')
  })

  it('is no page for a request that needs none', async () => {
    const browser = world.newBrowser()
    const login = await world.authorize(browser)
    const request = /name="request" value="([^"]*)"/.exec(login.body)?.[1]
    const page = await browser.follow(await browser.get(`/ui/consent?request=${request}`))
    expect(page.body).toContain('id="login-name"')
  })
})

describe('F-38: an application of another organization', () => {
  const OFFLINE = 'openid offline_access'
  const LEDGER = 'urn:service:iam:org:project:id:ledger:aud'
  const PAYROLL = 'urn:service:iam:org:project:id:payroll:aud'
  const open = (browser: TestBrowser, parameters: Record<string, string> = {}) =>
    world.authorize(browser, {
      client_id: 'lunch-menu',
      redirect_uri: 'https://lunch.localhost/callback',
      ...parameters,
    })
  const answerOf = ({ location }: PageView) => Object.fromEntries(new URL(location).searchParams)
  const isAsked = ({ body }: PageView) => body.includes('id="consent-allow"')

  beforeEach(async () => {
    await asOwner(world.adminUrl, [
      `DELETE FROM directory.project_grant`,
      `UPDATE directory.application SET first_party = false WHERE client_id = 'lunch-menu'`,
    ])
    world.peers.consents.clear()
    const browser = await signedIn('alice')
    await expect
      .poll(async () => answerOf(await open(browser, { prompt: 'none' })))
      .toMatchObject({ error: 'consent_required' })
  })

  it('is asked about although it did not ask for that, once', async () => {
    const browser = await signedIn('alice')
    const page = await open(browser)
    expect(page.text).toContain('Lunch menu asks for:')
    expect(page.text).toContain('It belongs to another organization than yours: Globex.')
    expect((await decide(browser, page, 'allow')).get('code')).toMatch(/^code-/)
    expect(answerOf(await open(browser))).toHaveProperty('code')
    expect(answerOf(await open(browser, { prompt: 'none' }))).toHaveProperty('code')
    expect(isAsked(await open(browser, { prompt: 'consent' }))).toBe(true)
  })

  it('gets consent_required, and nothing else, where no page may be shown', async () => {
    const browser = await signedIn('alice')
    for (const responseType of ['code', 'id_token']) {
      const request = { prompt: 'none', response_type: responseType, nonce: 'n' }
      const { search, hash } = new URL((await open(browser, request)).location)
      expect(Object.fromEntries(new URLSearchParams(search || hash.slice(1)))).toEqual({
        error: 'consent_required',
        error_description: expect.any(String),
        state: 'st&te=1',
        iss: world.issuer,
      })
    }
  })

  it.each([
    ['offline_access', 'openid email', `${OFFLINE} email`],
    ['an audience', 'openid', `openid ${PAYROLL}`],
    ['another audience', `openid ${PAYROLL}`, `openid ${PAYROLL} ${LEDGER}`],
  ])('is asked about again when %s comes in addition', async (_what, first, wider) => {
    const browser = await signedIn('alice')
    await decide(browser, await open(browser, { scope: first }), 'allow')
    expect(answerOf(await open(browser, { scope: first }))).toHaveProperty('code')
    const silent = await open(browser, { scope: wider, prompt: 'none' })
    expect(answerOf(silent)).toMatchObject({ error: 'consent_required' })
    const page = await open(browser, { scope: wider })
    expect(isAsked(page)).toBe(true)
    expect((await decide(browser, page, 'deny')).get('error')).toBe('access_denied')
    expect(isAsked(await open(browser, { scope: wider })), 'a refusal is not remembered as consent').toBe(
      true,
    )
  })

  it('is asked about claims that no scope of the request reveals', async () => {
    const browser = await signedIn('alice')
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

  it('is asked about by each person', async () => {
    const browser = await signedIn('alice')
    await decide(browser, await open(browser), 'allow')
    expect(isAsked(await open(await signedIn('bob')))).toBe(true)
  })

  it('names offline_access and the projects that it wants to act towards, with their organizations', async () => {
    const scope = `${OFFLINE} ${LEDGER} ${PAYROLL}`
    const page = await open(await signedIn('alice'), { scope })
    expect(page.text).toContain('Access that lasts while you are away')
    expect(page.text).toContain('Acting for you towards Ledger of the organization ACME')
    expect(page.text).toContain('Acting for you towards Payroll of the organization Globex')
    const german = await open(await signedIn('alice'), { scope, ui_locales: 'de' })
    expect(german.text).toContain('Für Sie gegenüber Ledger der Organisation ACME handeln')
  })

  const trusted: [string, string, readonly string[]][] = [
    ['an IAM_OWNER marked it', 'alice', [`UPDATE directory.application SET first_party = true`]],
    ['the organization of the person owns it', 'dora', []],
    [
      'the organization of the person has accepted a grant of its project',
      'alice',
      [`INSERT INTO directory.project_grant (project_id, granted_organization_id) VALUES ('lunch', 'acme')`],
    ],
  ]
  it.each(trusted)('is not asked about where %s, whatever it wants', async (_what, person, statements) => {
    const browser = await signedIn(person)
    await asOwner(world.adminUrl, statements)
    const scope = `${OFFLINE} ${LEDGER}`
    await expect
      .poll(async () => (await open(browser, { scope, prompt: 'none' })).location)
      .toContain('code=')
    expect(isAsked(await open(browser, { scope, prompt: 'consent' }))).toBe(true)
    expect(world.peers.consents.size).toBe(0)
  })

  it('is asked about until the organization of the person accepts the grant', async () => {
    const browser = await signedIn('alice')
    await asOwner(world.adminUrl, [
      `INSERT INTO directory.project_grant (project_id, granted_organization_id, accepted) VALUES ('lunch', 'acme', false)`,
    ])
    expect(isAsked(await open(browser))).toBe(true)
    await asOwner(world.adminUrl, [`UPDATE directory.project_grant SET accepted = true`])
    await expect.poll(async () => isAsked(await open(browser))).toBe(false)
  })

  it('is asked about again when the mark ends', async () => {
    const browser = await signedIn('alice')
    await asOwner(world.adminUrl, [`UPDATE directory.application SET first_party = true`])
    await expect.poll(async () => isAsked(await open(browser))).toBe(false)
    await asOwner(world.adminUrl, [
      `UPDATE directory.application SET first_party = false WHERE client_id = 'lunch-menu'`,
    ])
    await expect.poll(async () => isAsked(await open(browser))).toBe(true)
  })

  it('gets nothing while the directory is away', async () => {
    const browser = await signedIn('alice')
    world.peers.away.add('directory')
    const silent = await open(browser, { prompt: 'none' })
    const page = await open(browser)
    world.peers.away.clear()
    expect(answerOf(silent)).toMatchObject({ error: 'temporarily_unavailable' })
    expect(page.status).toBe(503)
  })
})

it('F-15: takes no form of another page', async () => {
  const browser = await signedIn('carol')
  const page = await ask(browser)
  world.peers.consents.clear()
  const forged = await browser.submit(page, { decision: 'allow', csrf: 'A'.repeat(43) })
  expect(forged.text).toContain('Request rejected')
  expect(world.peers.consents.size).toBe(0)
})

it('keeps the question while the directory is away', async () => {
  const browser = await signedIn('carol')
  const page = await ask(browser)
  world.peers.away.add('directory')
  expect((await browser.submit(page, { decision: 'allow' })).status).toBe(503)
  world.peers.away.clear()
  expect((await decide(browser, page, 'allow')).get('code')).toMatch(/^code-/)
})
