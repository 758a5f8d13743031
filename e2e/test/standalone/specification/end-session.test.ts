import type { HttpBrowser } from '@signet/testing/http-browser'
import { startSystem } from '@signet/testing/system/start-system'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectErrorPage } from '../conformance/flows.ts'
import { connectProvider, type Parameters, PROVIDER_SYSTEM, type Provider } from '../provider.ts'
import { POST_LOGOUT_URI } from '../provider-directory.ts'

let provider: Provider
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
}, 60_000)
afterAll(() => provider?.stop())

const endSession = (browser: HttpBrowser, parameters: Parameters = {}) =>
  browser.open(`/oidc/v1/end_session?${new URLSearchParams(parameters)}`)

async function isSignedIn(browser: HttpBrowser): Promise<boolean> {
  return (await provider.authorize({ prompt: 'none' }, { browser })).parameters.has('code')
}

async function signIn(clientId = 'web') {
  const { browser, tokens, config } = await provider.signIn({ clientId, scope: 'openid offline_access' })
  return { browser, tokens, config, id_token_hint: tokens.id_token ?? '' }
}

const returning = { post_logout_redirect_uri: POST_LOGOUT_URI, state: 's t&1' }
const back = `${POST_LOGOUT_URI}?state=s+t%261`

describe('end session', () => {
  it('a stock client sends the browser away and gets it back [end-session.id_token_hint] [end-session.azp] [end-session.state]', async () => {
    const { browser, config, id_token_hint } = await signIn()
    const url = oidc.buildEndSessionUrl(config, { id_token_hint, ...returning })
    expect((await browser.open(url.href)).headers.get('location')).toBe(back)
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('the cookie determines which sessions end; without one no session ends [end-session.cookie] [methods.end-session]', async () => {
    const { browser, tokens } = await signIn()
    const stranger = provider.system.newBrowser()
    await stranger.submit(await endSession(stranger), {})
    expect(await isSignedIn(browser)).toBe(true)

    await browser.submit(await endSession(browser), {})
    expect(await isSignedIn(browser)).toBe(false)
    expect((await provider.introspect(tokens.access_token)).active).toBe(false)
  })

  it('a logout ends the tokens of the session [revocation.logout] [introspect.revoked]', async () => {
    const { browser, tokens, config, id_token_hint } = await signIn()
    expect((await provider.introspect(tokens.access_token)).active).toBe(true)
    await endSession(browser, { id_token_hint })
    expect(await provider.introspect(tokens.access_token)).toEqual({ active: false })
    await expect(oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  it('client_id alone names the client whose URIs are allowed, after a confirmation [end-session.client_id] [end-session.azp]', async () => {
    const { browser } = await signIn()
    expectErrorPage(await endSession(browser, { client_id: 'api', ...returning }))
    expectErrorPage(await endSession(browser, { client_id: 'nobody', ...returning }))
    const page = await endSession(browser, { client_id: 'web', ...returning })
    expect(page.body).toContain('id="logout-confirm"')
    expect((await browser.submit(page, {})).headers.get('location')).toBe(back)
  })

  it('client_id and the azp of the hint have to be equal [end-session.both-equal]', async () => {
    const { browser, id_token_hint } = await signIn()
    expectErrorPage(await endSession(browser, { id_token_hint, client_id: 'other', ...returning }))
    expect(await isSignedIn(browser)).toBe(true)
    const page = await endSession(browser, { id_token_hint, client_id: 'web', ...returning })
    expect(page.headers.get('location')).toBe(back)
  })

  it.each([
    'https://app.example.com/goodby',
    `${POST_LOGOUT_URI}/`,
    `${POST_LOGOUT_URI}#x`,
    'javascript:alert(1)',
  ])(
    'post_logout_redirect_uri %s is not registered [end-session.post_logout_redirect_uri]',
    async (post_logout_redirect_uri) => {
      const { browser, id_token_hint } = await signIn()
      expectErrorPage(await endSession(browser, { id_token_hint, post_logout_redirect_uri }))
    },
  )

  it('with neither hint nor client_id the URI is ignored [end-session.nothing-named]', async () => {
    const { browser } = await signIn()
    const page = await endSession(browser, { post_logout_redirect_uri: 'https://evil.example/', state: 'x' })
    expect([page.status, page.headers.get('location')]).toEqual([200, null])
    const done = await browser.submit(page, {})
    expect([done.status, done.headers.get('location')]).toEqual([200, null])
    expect(done.body).not.toContain('evil.example')
  })
})
