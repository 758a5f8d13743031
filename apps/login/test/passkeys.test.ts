import { hiddenFields } from '@signet/platform/load/http-browser'
import { createSoftwareAuthenticator } from '@signet/testing/software-authenticator'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PageView, TestBrowser } from './browser.ts'
import { PASSWORD } from './fake-services.ts'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment
const PARTY = { rpId: 'localhost', origin: 'http://localhost:8080' }
const authenticator = createSoftwareAuthenticator(PARTY)
const MINUTE_MS = 60_000

beforeAll(async () => {
  env = await startTestEnvironment()
})
beforeEach(async () => {
  await env.redis.flushdb()
  for (const known of ['forced', 'passkeys', 'passkeyOffers', 'totpCodes', 'enrolled'] as const) {
    env.fakes[known].clear()
  }
  env.fakes.passkeyTries.length = 0
  env.fakes.passkeys.set('user1', [authenticator.id])
})
afterAll(() => env.stop())

let codes = 300_000
function newCode(): string {
  codes += 1
  env.fakes.totpCodes.add(String(codes))
  return String(codes)
}

/** The fields and options of the form of a ceremony on a page. */
function passkeyForm({ body }: PageView) {
  const [, form = ''] = /<form class="passkey"([\s\S]*?)<\/form>/.exec(body) ?? []
  const attribute = (name: string) =>
    (new RegExp(`${name}="([^"]*)"`).exec(form)?.[1] ?? '').replaceAll('&quot;', '"')
  const field = (name: string) =>
    new RegExp(`name="${name}" type="hidden" value="([^"]*)"`).exec(form)?.[1] ?? ''
  return {
    action: attribute('action'),
    options: JSON.parse(attribute('data-options') || '{}'),
    refresh: attribute('data-refresh').replaceAll('&amp;', '&'),
    fields: { request: field('request'), csrf: field('csrf') },
  }
}

/** Answers the challenge of a page. */
function respond(browser: TestBrowser, page: PageView, from = authenticator, challenge?: string) {
  const { action, options, fields } = passkeyForm(page)
  const response = from.get({ challenge: challenge ?? options.challenge })
  return browser.post(action, { ...fields, response })
}

const expired = 'This took too long'

describe('a sign-in with a passkey', () => {
  it('creates a session with two factors and without a login name', async () => {
    const browser = env.newBrowser()
    const page = await env.authorize(browser)
    const { options } = passkeyForm(page)
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] })
    expect(page.body).toContain('autocomplete="username webauthn"')
    const answer = await browser.follow(await respond(browser, page))
    expect(answer.location).toContain('code=')
    expect(env.fakes.codeRequests.at(-1)?.session).toMatchObject({
      userId: 'user1',
      amr: ['pop', 'hwk', 'user', 'mfa'],
    })
    expect(browser.cookies.has('signet.device')).toBe(true)
  })

  it('lets only scripts with the nonce of the page run, and no other origin be called', async () => {
    const { headers, body } = await env.authorize(env.newBrowser())
    const [, nonce] = /script-src 'nonce-([^']+)'/.exec(String(headers['content-security-policy'])) ?? []
    expect(headers['content-security-policy']).toContain("connect-src 'self'; style-src")
    expect(body).toContain(`<script type="module" nonce="${nonce}" src="/ui/assets/passkey-`)
    const [path = ''] = /\/ui\/assets\/passkey-[0-9a-f]{16}\.js/.exec(body) ?? []
    const script = await env.newBrowser().get(path)
    expect([script.status, script.headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(script.body).toContain('SimpleWebAuthnBrowser')
  })

  it('refuses a challenge that was used before', async () => {
    const browser = env.newBrowser()
    const page = await env.authorize(browser)
    env.fakes.passkeys.clear()
    expect((await respond(browser, page)).text).toContain('The passkey was not accepted')
    const again = await respond(browser, page)
    expect([again.status, again.text]).toEqual([400, expect.stringContaining(expired)])
    expect(env.fakes.passkeyTries).toHaveLength(1)
  })

  it('accepts one of ten equal responses sent at once', async () => {
    const browser = env.newBrowser()
    const page = await env.authorize(browser)
    await Promise.all(Array.from({ length: 10 }, () => respond(browser, page)))
    expect(env.fakes.passkeyTries).toHaveLength(1)
  })

  it('refuses a challenge after five minutes and issues new ones', async () => {
    const browser = env.newBrowser()
    const page = await env.authorize(browser)
    env.clock.advance(5 * MINUTE_MS + 1)
    const fresh = JSON.parse((await browser.get(passkeyForm(page).refresh)).body)
    expect((await respond(browser, page)).text).toContain(expired)
    const answer = await browser.follow(await respond(browser, page, authenticator, fresh.challenge))
    expect(answer.location).toContain('code=')
  })

  it('refuses the challenge of another browser, request and page', async () => {
    const browser = env.newBrowser()
    const page = await env.authorize(browser)
    const ofBrowser = passkeyForm(await env.authorize(env.newBrowser())).options.challenge
    const ofRequest = passkeyForm(await env.authorize(browser)).options.challenge
    const { request } = passkeyForm(page).fields
    const path = `/ui/passkey/challenge?request=${request}&for=second-factor`
    const ofPage = JSON.parse((await browser.get(path)).body).challenge
    for (const challenge of [ofBrowser, ofRequest, ofPage, 'AAAA', '']) {
      const answer = await respond(browser, page, authenticator, challenge)
      expect(answer.text).toContain(expired)
    }
    expect(env.fakes.passkeyTries).toEqual([])
  })

  it('refuses a form of another browser and other text', async () => {
    const browser = env.newBrowser()
    const page = await env.authorize(browser)
    const { action, fields } = passkeyForm(page)
    expect((await env.newBrowser().post(action, { ...fields, response: '{}' })).status).toBe(400)
    for (const response of ['', 'null', '[]', '{"id":"x","response":{"clientDataJSON":"AA"}}']) {
      expect((await browser.post(action, { ...fields, response })).status).toBe(400)
    }
  })

  it('names the organization of the request, and has no button where its policy forbids passkeys', async () => {
    const scope = 'openid urn:service:iam:org:id:globex'
    const browser = env.newBrowser()
    const page = await env.authorize(browser, { scope })
    await respond(browser, page)
    expect(env.fakes.passkeyTries).toMatchObject([{ organizationId: 'globex' }])
    const kind = "organization_id = 'globex' AND kind = 'login'"
    await asOwner(env.adminUrl, [
      `INSERT INTO directory.organization_policy (organization_id, kind, document)
       VALUES ('globex', 'login', '{"passwordlessType":"PASSWORDLESS_TYPE_NOT_ALLOWED"}')`,
    ])
    const shown = async () => (await env.authorize(env.newBrowser(), { scope })).body
    await expect.poll(shown, { interval: 200 }).not.toContain('passkey-submit')
    await asOwner(env.adminUrl, [`DELETE FROM directory.organization_policy WHERE ${kind}`])
  })

  it('is delayed by no number of failed responses: a signature cannot be guessed', async () => {
    const other = createSoftwareAuthenticator(PARTY)
    const fail = async (from: typeof other) => {
      const browser = env.newBrowser()
      return respond(browser, await env.authorize(browser), from)
    }
    for (let failed = 0; failed < 12; failed += 1) expect((await fail(other)).status).toBe(400)
    // The passkey itself, in the hands of a person who knows nothing of the failures.
    env.fakes.passkeys.set('user1', [other.id])
    expect((await fail(other)).status).toBe(303)
  })
})

describe('a passkey after a password', () => {
  async function afterPassword(browser: TestBrowser) {
    env.fakes.forced.add('acme')
    const page = await env.authorize(browser)
    return browser.follow(await browser.submit(page, { login_name: 'user1', password: PASSWORD }))
  }

  it('is the second factor that the policy demands', async () => {
    const browser = env.newBrowser()
    const page = await afterPassword(browser)
    expect(page.body).not.toContain('id="totp-code"')
    expect(passkeyForm(page).options.allowCredentials).toMatchObject([{ id: authenticator.id }])
    const answer = await browser.follow(await respond(browser, page))
    expect(answer.location).toContain('code=')
    expect(env.fakes.passkeyTries).toMatchObject([{ userId: 'user1' }])
    expect(env.fakes.codeRequests.at(-1)?.session?.amr).toEqual(['pwd', 'pop', 'hwk', 'user', 'mfa'])
  })

  it('is asked for where acr_values names it, and named in the response where it was proven', async () => {
    const PASSKEY = 'urn:service:acr:passkey'
    const MFA = 'urn:service:acr:mfa'
    const claims = JSON.stringify({ id_token: { acr: { essential: true, value: PASSKEY } } })
    env.fakes.enrolled.add('user1')
    const browser = env.newBrowser()
    const form = { login_name: 'user1', password: PASSWORD }
    const byCode = async (page: PageView) => browser.follow(await browser.submit(page, { code: newCode() }))
    await byCode(await browser.follow(await browser.submit(await env.authorize(browser), form)))
    const acr = () => env.fakes.codeRequests.at(-1)?.acr
    expect(acr()).toBe(MFA)
    const silent = await env.authorize(browser, { prompt: 'none', acr_values: PASSKEY })
    expect(silent.location).toContain('error=interaction_required')
    // Another factor is named in acr; an application that requires the passkey gets an error.
    const other = await byCode(await env.authorize(browser, { acr_values: `${PASSKEY} ${MFA}` }))
    expect([other.location, acr()]).toEqual([expect.stringContaining('code='), MFA])
    const refused = await byCode(await env.authorize(browser, { claims }))
    expect(refused.location).toContain('error=unmet_authentication_requirements')
    const answer = await browser.follow(await respond(browser, await env.authorize(browser, { claims })))
    expect([answer.location, acr()]).toEqual([expect.stringContaining('code='), PASSKEY])
    await env.authorize(browser, { prompt: 'none' })
    expect(acr()).toBe(MFA)
  })

  it('shares one check box for trust with the code of an authenticator', async () => {
    env.fakes.passkeys.set('totpuser', [authenticator.id])
    const browser = env.newBrowser()
    const form = { login_name: 'totpuser', password: PASSWORD }
    const page = await browser.follow(await browser.submit(await env.authorize(browser), form))
    expect(page.body.match(/type="checkbox"/g)).toHaveLength(1)
    expect(page.body).toContain('<input name="trust" type="hidden" value="" data-copies="totp-trust">')
  })

  it('of another user is refused', async () => {
    const browser = env.newBrowser()
    const page = await afterPassword(browser)
    env.fakes.passkeys.set('user2', [authenticator.id])
    env.fakes.passkeys.set('user1', ['other'])
    const answer = await respond(browser, page)
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining('The passkey was not accepted'),
    ])
  })

  it('can be added where a second factor is demanded and there is none', async () => {
    env.fakes.passkeys.clear()
    const browser = env.newBrowser()
    const page = await afterPassword(browser)
    const { action, fields, options } = passkeyForm(page)
    expect(action).toBe('/ui/totp/new/passkey')
    const made = createSoftwareAuthenticator(PARTY)
    const response = made.create({ challenge: options.challenge })
    const answer = await browser.follow(await browser.post(action, { ...fields, response }))
    expect(answer.location).toContain('code=')
    expect(env.fakes.passkeys.get('user1')).toEqual([made.id])
    expect(env.fakes.codeRequests.at(-1)?.session?.amr).toEqual(['pwd', 'pop', 'hwk', 'user', 'mfa'])
  })
})

describe('the offer after a password', () => {
  const signIn = async (capable: string) => {
    env.fakes.passkeys.clear()
    env.fakes.passkeyOffers.add('user1')
    const browser = env.newBrowser()
    const form = { login_name: 'user1', password: PASSWORD, passkey_capable: capable }
    const page = await browser.follow(await browser.submit(await env.authorize(browser), form))
    return { browser, page }
  }

  it('is shown to browsers that can make one, and skipped', async () => {
    const { browser, page } = await signIn('yes')
    expect(page.body).toContain('id="offer-skip"')
    const csrf =
      /action="\/ui\/passkeys\/offer">[\s\S]*?name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
    const form = { request: passkeyForm(page).fields.request, csrf }
    expect((await browser.follow(await browser.post('/ui/passkeys/offer', form))).location).toContain('code=')
    expect(env.fakes.passkeyOffers.has('user1')).toBe(false)
  })

  it('adds a passkey and returns to the application', async () => {
    const { browser, page } = await signIn('yes')
    const { action, fields, options } = passkeyForm(page)
    expect(options.authenticatorSelection).toMatchObject({
      residentKey: 'required',
      userVerification: 'required',
    })
    const made = createSoftwareAuthenticator(PARTY)
    const response = made.create({ challenge: options.challenge })
    const answer = await browser.follow(await browser.post(action, { ...fields, response }))
    expect(answer.location).toContain('code=')
    expect(env.fakes.passkeys.get('user1')).toContain(made.id)
  })

  it('is not shown to other browsers', async () => {
    expect((await signIn('')).page.location).toContain('code=')
  })
})

describe('the page of the own passkeys', () => {
  async function signedIn(loginName = 'user1') {
    const browser = env.newBrowser()
    const page = await env.authorize(browser)
    const next = await browser.follow(
      await browser.submit(page, { login_name: loginName, password: PASSWORD }),
    )
    if (loginName !== 'totpuser') return browser
    env.fakes.totpCodes.add('111111')
    await browser.follow(await browser.submit(next, { code: '111111' }))
    return browser
  }
  async function signedInByPasskey() {
    const browser = env.newBrowser()
    await browser.follow(await respond(browser, await env.authorize(browser)))
    return browser
  }
  /** Posts a new passkey with a new challenge, also where `page` does not ask for one. */
  async function add(browser: TestBrowser, page: PageView) {
    const { request = '', csrf = '' } = { ...passkeyForm(page).fields, ...hiddenFields(page) }
    const made = createSoftwareAuthenticator(PARTY)
    const path = `/ui/passkey/challenge?request=${request}&for=add`
    const { challenge } = JSON.parse((await browser.get(path)).body)
    return browser.post('/ui/passkeys/add', { request, csrf, response: made.create({ challenge }) })
  }
  const open = (browser: TestBrowser) => browser.get('/ui/passkeys')
  const remove = async (browser: TestBrowser) => {
    const { request = '', csrf = '' } = hiddenFields(await open(browser))
    return browser.post('/ui/passkeys', { request, csrf, delete: authenticator.id })
  }

  it('leads a browser without a session to the sign-in', async () => {
    const page = await open(env.newBrowser())
    expect(page).toMatchObject({
      status: 303,
      location: expect.stringMatching(/^\/oauth\/v2\/authorize\?client_id=%3Aaccount&.*%2Fui%2Fpasskeys&/),
    })
  })

  it('deletes a passkey after a recent sign-in only', async () => {
    const browser = await signedInByPasskey()
    env.clock.advance(10 * MINUTE_MS + 1)
    const page = await open(browser)
    expect(page.body).not.toContain('name="delete"')
    expect(page.body).not.toContain('data-passkey="create"')
    const refused = await remove(browser)
    expect(refused.location).toContain('/ui/passkeys/confirm?account=')
    expect(env.fakes.passkeys.get('user1')).toEqual([authenticator.id])
    expect((await respond(browser, await browser.follow(refused))).location).toBe('/ui/passkeys')
    expect((await open(browser)).body).toContain('name="delete"')
    const asked = await remove(browser)
    expect(asked.text).toContain('Sign out everywhere else')
    expect(env.fakes.passkeys.get('user1')).toEqual([authenticator.id])
    await browser.post('/ui/passkeys', hiddenFields(asked))
    expect(env.fakes.passkeys.get('user1')).toEqual([])
  })

  describe('that is deleted', () => {
    /** A browser that signed in with a password and confirmed with the passkey, and one of a thief. */
    async function setUp() {
      const thief = await signedInByPasskey()
      const other = await signedIn()
      const browser = await signedIn()
      await respond(browser, await browser.follow(await remove(browser)))
      return { thief, other, browser }
    }
    const isSignedIn = async (browser: TestBrowser) => (await open(browser)).status === 200

    it('ends the sessions that rest on it, in other browsers too, and their tokens', async () => {
      const { thief, other, browser } = await setUp()
      env.fakes.endedSids.length = 0
      const asked = await remove(browser)
      expect(asked.body).toMatch(/id="removal-others" name="others" type="checkbox" value="yes" checked/)
      const done = await browser.post('/ui/passkeys', hiddenFields(asked))
      expect(done.location).toBe('/ui/passkeys')
      expect([await isSignedIn(thief), await isSignedIn(other), await isSignedIn(browser)]).toEqual([
        ...[false, true, true],
      ])
      expect(env.fakes.endedSids).toHaveLength(1)
    })

    it('is no recent proof any more', async () => {
      const { browser } = await setUp()
      await browser.post('/ui/passkeys', hiddenFields(await remove(browser)))
      env.fakes.passkeys.set('user1', ['another'])
      expect((await open(browser)).body).not.toContain('data-passkey="create"')
    })

    it('ends the session of the person who signed in with it', async () => {
      const browser = await signedInByPasskey()
      const done = await browser.post('/ui/passkeys', hiddenFields(await remove(browser)))
      expect(done.text).toContain('so this session has ended')
      expect(await isSignedIn(browser)).toBe(false)
    })
  })

  it('neither adds nor deletes after a password alone, where the account has a passkey', async () => {
    const browser = await signedIn()
    const page = await open(browser)
    expect(page.body).not.toContain('name="delete"')
    expect(page.body).not.toContain('data-passkey="create"')
    expect((await remove(browser)).location).toContain('/ui/passkeys/confirm')
    expect((await add(browser, page)).location).toContain('/ui/passkeys/confirm')
    expect(env.fakes.passkeys.get('user1')).toEqual([authenticator.id])
  })

  it('adds nothing after a password alone, where the account got a TOTP secret', async () => {
    env.fakes.passkeys.clear()
    const browser = await signedIn()
    const page = await open(browser)
    expect(page.body).toContain('data-passkey="create"')
    env.fakes.enrolled.add('user1')
    expect((await open(browser)).body).not.toContain('data-passkey="create"')
    expect((await add(browser, page)).location).toContain('/ui/passkeys/confirm')
    expect(env.fakes.passkeys.get('user1')).toBeUndefined()
  })

  it('confirms with the password where there is no other factor, until one is added elsewhere', async () => {
    env.fakes.passkeys.clear()
    const browser = await signedIn()
    const page = await open(browser)
    env.clock.advance(11 * MINUTE_MS)
    const confirm = await browser.follow(await add(browser, page))
    expect((await browser.submit(confirm, { password: 'wrong' })).status).toBe(400)
    expect((await browser.submit(confirm, { password: PASSWORD })).location).toBe('/ui/passkeys')
    env.fakes.passkeys.set('user1', [authenticator.id])
    expect((await add(browser, page)).location).toContain('/ui/passkeys/confirm')
    env.fakes.passkeys.clear()
    expect((await add(browser, page)).location).toBe('/ui/passkeys')
    // The passkey that was just added is a proof.
    expect((await add(browser, page)).location).toBe('/ui/passkeys')
    expect(env.fakes.passkeys.get('user1')).toHaveLength(2)
  })

  it('does not confirm with the password where the account has a passkey and no code', async () => {
    const browser = await signedIn()
    const confirm = await browser.follow(await remove(browser))
    expect(confirm.body).toContain('id="confirm-passkey"')
    expect(confirm.body).not.toContain('id="confirm-password"')
    const tries = env.fakes.passwordTries.length
    const form = { ...passkeyForm(confirm).fields, password: PASSWORD }
    const answer = await browser.post('/ui/passkeys/confirm', form)
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('That was not accepted')])
    expect(env.fakes.passwordTries).toHaveLength(tries)
    expect((await remove(browser)).location).toContain('/ui/passkeys/confirm')
  })

  it('names the owner to the directory when a passkey confirms', async () => {
    const browser = await signedIn()
    await respond(browser, await browser.follow(await remove(browser)))
    expect(env.fakes.passkeyTries).toMatchObject([{ userId: 'user1' }])
  })

  it('does not offer a passkey after a password alone, where the account has one', async () => {
    env.fakes.passkeyOffers.add('user1')
    const browser = env.newBrowser()
    const form = { login_name: 'user1', password: PASSWORD, passkey_capable: 'yes' }
    const answer = await browser.follow(await browser.submit(await env.authorize(browser), form))
    expect(answer.location).toContain('code=')
  })

  it('adds nothing after an old sign-in', async () => {
    const browser = await signedInByPasskey()
    const { action, fields, options } = passkeyForm(await open(browser))
    env.clock.advance(10 * MINUTE_MS + 1)
    const response = createSoftwareAuthenticator(PARTY).create({ challenge: options.challenge })
    const answer = await browser.post(action, { ...fields, response })
    expect(answer.location).toContain('/ui/passkeys/confirm')
    expect(env.fakes.passkeys.get('user1')).toEqual([authenticator.id])
  })

  it('confirms with a passkey of the account, and with no other', async () => {
    const browser = await signedIn()
    env.clock.advance(11 * MINUTE_MS)
    const confirm = await browser.follow(await remove(browser))
    const other = createSoftwareAuthenticator(PARTY)
    env.fakes.passkeys.set('user2', [other.id])
    expect((await respond(browser, confirm, other)).status).toBe(400)
    const again = await browser.get(`/ui/passkeys/confirm?account=${passkeyForm(confirm).fields.request}`)
    expect((await respond(browser, again)).location).toBe('/ui/passkeys')
  })

  it('asks an account with a TOTP secret for a code too', async () => {
    env.fakes.passkeys.set('totpuser', [authenticator.id])
    const browser = await signedIn('totpuser')
    env.clock.advance(11 * MINUTE_MS)
    const confirm = await browser.follow(await remove(browser))
    expect(confirm.body).toContain('id="confirm-code"')
    expect((await browser.submit(confirm, { password: PASSWORD, code: '0' })).status).toBe(400)
    env.fakes.totpCodes.add('222222')
    expect((await browser.submit(confirm, { password: PASSWORD, code: '222222' })).location).toBe(
      '/ui/passkeys',
    )
  })

  it('does not take the session of another browser', async () => {
    const [browser, other] = [await signedIn(), await signedIn()]
    const { request = '' } = hiddenFields(await open(other))
    expect((await browser.get(`/ui/passkeys/confirm?account=${request}`)).status).toBe(400)
  })
})
