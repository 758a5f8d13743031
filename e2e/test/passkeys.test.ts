import { randomBytes } from 'node:crypto'
import { homeOrganization } from '@signet/testing/home-organization'
import { shownCode } from '@signet/testing/shown-code'
import { openChromium } from '@signet/testing/system/chromium'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { type RelyingParty, startRelyingParty } from '@signet/testing/system/relying-party'
import { startSystem } from '@signet/testing/system/start-system'
import { ADMIN_TOKEN, bootstrapDocument, PASSWORD } from '@signet/testing/system/test-directory'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Gateway, openAuthenticatorBrowser, startGateway } from './passkey-browser.ts'

let app: RelyingParty
let gateway: Gateway
let system: InProcessSystem
let chrome: Browser

beforeAll(async () => {
  app = await startRelyingParty()
  gateway = await startGateway()
  system = await startSystem({
    mode: 'in-process',
    replicas: 2,
    issuer: gateway.origin,
    document: bootstrapDocument({ redirectUris: [app.redirectUri] }),
  })
  forwardTo(system)
  chrome = await openChromium()
}, 240_000)
afterAll(async () => {
  await chrome?.close()
  await gateway?.stop()
  await system?.stop()
  await app?.close()
})
const forwardTo = ({ replicas }: InProcessSystem) =>
  gateway.forwardTo(replicas.map(({ base }) => Number(new URL(base).port)))
beforeEach(async () => {
  await rows('DELETE FROM directory.passkey_user')
})

async function rows<R extends object>(text: string): Promise<readonly R[]> {
  return (await system.database.query<R>({ name: '', text })).rows
}

const openBrowser = (options: { readonly isAutofill?: boolean } = {}) =>
  openAuthenticatorBrowser(chrome, options)

type Opened = Awaited<ReturnType<typeof openBrowser>>

const authorizeUrl = (parameters: Readonly<Record<string, string>> = {}) =>
  `${gateway.origin}/oauth/v2/authorize?${new URLSearchParams({
    client_id: 'web',
    redirect_uri: app.redirectUri,
    response_type: 'code',
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...parameters,
  })}`

const atApplication = (page: Page) => page.waitForURL((url) => url.href.startsWith(app.origin))

async function signInWithPassword(page: Page, loginName = 'bob', parameters = {}): Promise<void> {
  await page.goto(authorizeUrl({ prompt: 'login', ...parameters }))
  // The script of the page has run.
  await page.waitForSelector('#passkey-capable[value=yes]', { state: 'attached' })
  await page.fill('#login-name', loginName)
  await page.fill('#password', PASSWORD)
  await page.click('#login-submit')
}

/** Adds a passkey on the page that offers one after a sign-in with a password. */
async function acceptOffer(opened: Opened): Promise<void> {
  await signInWithPassword(opened.page)
  await opened.page.click('#offer-add')
  await atApplication(opened.page)
}

async function signInByButton({ page }: Opened): Promise<void> {
  await page.goto(authorizeUrl({ prompt: 'login' }))
  await page.click('#passkey-submit')
}

const events = async (action: string): Promise<readonly object[]> =>
  (await system.manage('GET', `/audit?action=${action}`)).json.items as readonly object[]
const lastSignIn = async () => (await events('sign_in'))[0]

describe('a person with an authenticator, on two replicas', () => {
  it('adds the offered passkey and signs in with it, without a login name', async () => {
    const opened = await openBrowser()
    await acceptOffer(opened)
    expect((await system.manage('GET', '/users/bob/passkeys')).json.items).toHaveLength(1)
    await opened.context.clearCookies()
    await signInByButton(opened)
    await atApplication(opened.page)
    expect(await lastSignIn()).toMatchObject({ result: 'success', details: { factor: 'passkey' } })
    expect(opened.complaints).toEqual([])
    await opened.context.close()
  })

  it('signs in by the suggestion of the browser in the field of the login name', async () => {
    const opened = await openBrowser({ isAutofill: true })
    await acceptOffer(opened)
    await opened.context.clearCookies()
    await opened.page.goto(authorizeUrl({ prompt: 'login' }))
    await atApplication(opened.page)
    expect(await lastSignIn()).toMatchObject({ result: 'success', details: { factor: 'passkey' } })
    await opened.context.close()
  })

  it('is not asked again after declining', async () => {
    const { page, context } = await openBrowser()
    await signInWithPassword(page)
    await page.click('#offer-skip')
    await atApplication(page)
    await signInWithPassword(page)
    await atApplication(page)
    await context.close()
  })

  it('is refused when the authenticator does not verify the user', async () => {
    const opened = await openBrowser()
    await acceptOffer(opened)
    await opened.cdp.send('WebAuthn.setUserVerified', {
      authenticatorId: opened.authenticatorId,
      isUserVerified: false,
    })
    await signInByButton(opened)
    await opened.page.waitForSelector('#passkey-submit-problem:not(:empty)')
    await opened.context.close()
  })

  it('is refused with a cloned authenticator, and the passkey is marked', async () => {
    const opened = await openBrowser()
    await acceptOffer(opened)
    const { credentials } = await opened.cdp.send('WebAuthn.getCredentials', {
      authenticatorId: opened.authenticatorId,
    })
    await signInByButton(opened)
    await atApplication(opened.page)
    const copy = await openBrowser()
    const [credential] = credentials
    if (credential === undefined) throw new Error('the authenticator has no passkey')
    // The copy has the counter of the time when it was made.
    const { authenticatorId } = copy
    await copy.cdp.send('WebAuthn.addCredential', { authenticatorId, credential })
    await signInByButton(copy)
    await copy.page.waitForSelector('#login-problem')
    expect(await lastSignIn()).toMatchObject({ result: 'refused', details: { reason: 'passkey_cloned' } })
    expect(await events('passkey.cloned')).toHaveLength(1)
    await opened.page.goto(`${gateway.origin}/ui/passkeys`)
    // The holder of the copy may be signed in, so every session has ended.
    await opened.page.waitForSelector('#login-name')
    await copy.context.close()
    await opened.context.close()
  })

  it('renames and deletes a passkey, which signs in no more', async () => {
    const opened = await openBrowser()
    await acceptOffer(opened)
    const { page } = opened
    await page.goto(`${gateway.origin}/ui/passkeys`)
    await page.fill('#passkey-1-name', 'Notebook')
    await page.click('#passkey-1-rename')
    await page.waitForSelector('h3:has-text("Notebook")')
    await page.click('#passkey-1-delete')
    expect(await page.isChecked('#removal-others')).toBe(true)
    await page.click('#removal-submit')
    await page.waitForSelector('text=This account has no passkey.')
    await signInByButton(opened)
    await page.waitForSelector('#login-problem')
    expect(await lastSignIn()).toMatchObject({ details: { reason: 'passkey_unknown' } })
    await opened.context.close()
  })

  it('confirms with a passkey before adding another one, when the sign-in is long ago', async () => {
    const opened = await openBrowser()
    const { page, cdp } = opened
    await acceptOffer(opened)
    system.clock.advance(11 * 60_000)
    await page.goto(`${gateway.origin}/ui/passkeys`)
    expect(await page.locator('#passkey-1-delete').count()).toBe(0)
    await page.click('a.confirm')
    await page.click('#confirm-passkey')
    await page.waitForSelector('#passkey-1-delete')
    await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: opened.authenticatorId })
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'usb',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await page.click('text=Add a passkey')
    await page.waitForSelector('#passkey-2')
    await opened.context.close()
  })

  it('proves a passkey after the password where the policy demands a second factor', async () => {
    const opened = await openBrowser()
    await acceptOffer(opened)
    const document = JSON.stringify({ forceMfa: true, passwordlessType: 'PASSWORDLESS_TYPE_NOT_ALLOWED' })
    await rows(`INSERT INTO directory.organization_policy (organization_id, kind, document)
                VALUES ('acme', 'login', '${document}')`)
    try {
      await signInWithPassword(opened.page)
      await opened.page.click('#totp-passkey')
      await atApplication(opened.page)
      await signInByButton(opened)
      await opened.page.waitForSelector('#login-problem')
      expect(await opened.page.textContent('#login-problem')).toContain('does not allow')
    } finally {
      await rows("DELETE FROM directory.organization_policy WHERE kind = 'login'")
    }
    await opened.context.close()
  })
})

it('refuses a response that was used before', async () => {
  const opened = await openBrowser()
  await acceptOffer(opened)
  const { page } = opened
  const posted: string[] = []
  page.on('request', (sent) => {
    if (sent.method() === 'POST' && sent.url().endsWith('/ui/passkey')) posted.push(sent.postData() ?? '')
  })
  await signInByButton(opened)
  await atApplication(page)
  const [form = ''] = posted
  const answer = await opened.context.request.post(`${gateway.origin}/ui/passkey`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    data: form,
    maxRedirects: 0,
  })
  expect(form).toContain('response=')
  expect(answer.status()).toBeGreaterThanOrEqual(400)
  await opened.context.close()
})

it('signs in where the organization was moved to, with the same RP ID', async () => {
  const opened = await openBrowser()
  await acceptOffer(opened)
  const migrate = async ({ base }: InProcessSystem, token: string, call: string, body: object) => {
    const response = await fetch(`${base}/admin/v1/${call}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(200)
    return (await response.json()) as object
  }
  const document = await migrate(system, ADMIN_TOKEN, 'export', { org_ids: ['acme'], with_passkeys: true })
  const token = randomBytes(32).toString('base64url')
  const target = await startSystem({
    mode: 'in-process',
    issuer: gateway.origin,
    document: { organizations: [homeOrganization(token)] },
  })
  try {
    await migrate(target, token, 'import', { data_orgs: document })
    await opened.context.clearCookies()
    forwardTo(target)
    await signInByButton(opened)
    await atApplication(opened.page)
  } finally {
    forwardTo(system)
    await target.stop()
  }
  await opened.context.close()
}, 60_000)

describe('a person with a browser without JavaScript, on two replicas [F-34]', () => {
  async function openPlainBrowser() {
    const context = await chrome.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    return { context, page }
  }
  async function enterPassword(page: Page) {
    await page.goto(authorizeUrl({ prompt: 'login' }))
    await page.fill('#login-name', 'carol')
    await page.fill('#password', PASSWORD)
    await page.click('#login-submit')
  }
  /** The code that the authenticator shows now, of a time in which no code was used. */
  function freshCode(secret: string): string {
    system.clock.advance(60_000)
    return shownCode(secret, { at: system.clock.now() })
  }

  it('adds an authenticator, trusts a browser, and signs in with a recovery code after losing both', async () => {
    const { context, page } = await openPlainBrowser()
    await enterPassword(page)
    await atApplication(page)
    await page.goto(`${gateway.origin}/ui/account/factors`)
    await page.click('#account-1-totp-add')
    await page.waitForSelector('#enrolment-qr')
    const secret = ((await page.textContent('#enrolment-secret')) ?? '').replaceAll(' ', '')
    await page.fill('#enrolment-code', freshCode(secret))
    await page.click('#enrolment-submit')
    const codes = await page.locator('#recovery-codes code').allTextContents()
    expect(codes).toHaveLength(10)

    await enterPassword(page)
    await page.fill('#totp-code', freshCode(secret))
    await page.check('#totp-trust')
    await page.click('#totp-submit')
    await atApplication(page)
    await enterPassword(page)
    await atApplication(page)
    // Signing the person out everywhere ends the trust.
    expect((await system.manage('POST', '/users/carol/sign-out')).status).toBe(204)
    await enterPassword(page)
    await page.waitForSelector('#totp-code')

    const other = await openPlainBrowser()
    await enterPassword(other.page)
    await other.page.click('#recovery-show')
    await other.page.fill('#recovery-code', codes[0] ?? '')
    await other.page.click('#recovery-submit')
    await atApplication(other.page)
    expect(await lastSignIn()).toMatchObject({ result: 'success', details: { factor: 'recovery_code' } })
    expect((await system.manage('GET', '/users/carol/recovery-codes')).json).toEqual({ left: 9 })
    await other.page.goto(`${gateway.origin}/ui/account/factors`)
    await other.page.click('#account-1-totp-delete')
    await other.page.click('#removal-submit')
    await other.page.waitForSelector('#account-1-totp-add')
    expect((await system.manage('GET', '/users/carol/recovery-codes')).json).toEqual({ left: 0 })
    await enterPassword(page)
    await atApplication(page)
    await other.context.close()
    await context.close()
  })
})
