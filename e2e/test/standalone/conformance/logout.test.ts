import { createHmac } from 'node:crypto'
import type { HttpBrowser, Page } from '@signet/testing/http-browser'
import { startLogoutReceiver } from '@signet/testing/logout-receiver'
import { SECRET } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectProvider, type Parameters, PROVIDER_SYSTEM, type Provider } from '../provider.ts'
import { POST_LOGOUT_URI } from '../provider-directory.ts'
import { expectErrorPage, STATE } from './flows.ts'

let provider: Provider
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
}, 60_000)
afterAll(() => provider?.stop())

const signIn = async () => {
  const { browser, tokens } = await provider.signIn()
  return { browser, id_token_hint: tokens.id_token ?? '' }
}

const endSession = (browser: HttpBrowser, parameters: Parameters = {}): Promise<Page> =>
  browser.open(`/oidc/v1/end_session?${new URLSearchParams(parameters)}`)

/** prompt=none shows that the browser is signed out. */
async function expectSignedOut(browser: HttpBrowser): Promise<void> {
  const { parameters } = await provider.authorize({ prompt: 'none' }, { browser })
  expect(parameters.get('error')).toBe('login_required')
}

async function expectSignedIn(browser: HttpBrowser): Promise<void> {
  const { parameters } = await provider.authorize({ prompt: 'none' }, { browser })
  expect(parameters.get('error')).toBeNull()
}

const withUri = { post_logout_redirect_uri: POST_LOGOUT_URI, state: STATE }
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('oidcc-rp-initiated-logout', () => {
  it('oidcc-rp-initiated-logout: returns with exactly the state [end-session.state] [end-session.post_logout_redirect_uri]', async () => {
    const { browser, ...hint } = await signIn()
    const page = await endSession(browser, { ...hint, ...withUri })
    expect(page.headers.get('location')).toBe(`${POST_LOGOUT_URI}?state=${STATE}`)
    await expectSignedOut(browser)
  })

  it('oidcc-rp-initiated-logout-no-state: returns without one', async () => {
    const { browser, ...hint } = await signIn()
    const page = await endSession(browser, { ...hint, post_logout_redirect_uri: POST_LOGOUT_URI })
    expect(page.headers.get('location')).toBe(POST_LOGOUT_URI)
    await expectSignedOut(browser)
  })

  it('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri, oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri: rejected', async () => {
    const { browser, ...hint } = await signIn()
    for (const uri of ['https://app.example.com/elsewhere', `${POST_LOGOUT_URI}?foo=bar`]) {
      expectErrorPage(await endSession(browser, { ...hint, ...withUri, post_logout_redirect_uri: uri }))
    }
    await expectSignedIn(browser)
  })

  it('oidcc-rp-initiated-logout-modified-id-token-hint, oidcc-rp-initiated-logout-bad-id-token-hint: rejected', async () => {
    const { browser, id_token_hint } = await signIn()
    const payload = id_token_hint.split('.')[1] ?? ''
    const unsigned = `${part({ alg: 'none' })}.${payload}.`
    const symmetric = `${part({ alg: 'HS256', typ: 'JWT' })}.${payload}`
    const mac = createHmac('sha256', SECRET).update(symmetric).digest('base64url')
    for (const forged of [unsigned, `${symmetric}.${mac}`]) {
      expectErrorPage(await endSession(browser, { ...withUri, id_token_hint: forged }))
    }
    await expectSignedIn(browser)
  })

  it('oidcc-rp-initiated-logout-no-id-token-hint: ignores the URI, and the user confirms [end-session.nothing-named]', async () => {
    const { browser } = await signIn()
    const page = await endSession(browser, withUri)
    expect(page.headers.get('location')).toBeNull()
    expect(page.body).toContain('id="logout-confirm"')
    const done = await browser.submit(page, {})
    expect(done.body).toContain('You are signed out')
    await expectSignedOut(browser)
  })

  it('oidcc-rp-initiated-logout-no-params, oidcc-rp-initiated-logout-only-state: signed out after a confirmation', async () => {
    for (const parameters of [{}, { state: STATE }]) {
      const { browser } = await signIn()
      const done = await browser.submit(await endSession(browser, parameters), {})
      expect(done.body).toContain('You are signed out')
      await expectSignedOut(browser)
    }
  })

  it('oidcc-rp-initiated-logout-no-post-logout-redirect-uri: our own page says so [end-session.id_token_hint]', async () => {
    const { browser, ...hint } = await signIn()
    expect((await endSession(browser, hint)).body).toContain('You are signed out')
    await expectSignedOut(browser)
  })
})

it('oidcc-backchannel-rp-initiated-logout, F-39: the application gets one logout token for its session', async () => {
  const application = await startLogoutReceiver()
  try {
    await provider.system.database.query({
      name: '',
      text: `UPDATE directory.application SET back_channel_logout_uri = $1 WHERE client_id = 'web'`,
      values: [application.uri],
    })
    const { browser, id_token_hint } = await signIn()
    const page = await endSession(browser, { id_token_hint, ...withUri })
    expect(page.headers.get('location')).toBe(`${POST_LOGOUT_URI}?state=${STATE}`)
    await expectSignedOut(browser)
    await expect.poll(() => application.received.length).toBe(1)
    const form = application.received[0] ?? new URLSearchParams()
    expect([...form.keys()]).toEqual(['logout_token'])
    const keys = createRemoteJWKSet(new URL(`${provider.issuer}/oauth/v2/keys`))
    const { payload } = await jwtVerify(form.get('logout_token') ?? '', keys, {
      issuer: provider.issuer,
      audience: 'web',
      typ: 'logout+jwt',
      currentDate: new Date(provider.now() * 1000),
    })
    const { sub, sid } = decodeJwt(id_token_hint)
    expect(payload).toMatchObject({ sub, sid, jti: expect.any(String), iat: expect.any(Number) })
    expect(payload.events).toEqual({ 'http://schemas.openid.net/event/backchannel-logout': {} })
    expect(payload.nonce).toBeUndefined()
  } finally {
    await application.stop()
  }
})
