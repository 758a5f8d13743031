import type { HttpBrowser, Page } from '@signet/testing/http-browser'
import { REDIRECT_URI } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readResponse } from '../authorization-response.ts'
import { expectErrorPage } from '../conformance/flows.ts'
import { connectProvider, type Parameters, PROVIDER_SYSTEM, type Provider } from '../provider.ts'
import { POST_LOGOUT_URI } from '../provider-directory.ts'

let provider: Provider
let signedIn: HttpBrowser
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
  signedIn = (await provider.signIn()).browser
}, 60_000)
afterAll(() => provider?.stop())

/** URIs that other providers have mistaken for the registered one. */
const LOOKALIKES = (uri: string): readonly string[] => {
  const { origin, pathname, host } = new URL(uri)
  return [
    'https://evil.example/callback',
    `${uri}/`,
    `${uri}?`,
    `${uri}?next=https://evil.example/`,
    `${uri}#`,
    `${uri}/../evil`,
    `${origin}/%63allback`,
    `${origin}${pathname.toUpperCase()}`,
    `${origin}.evil.example${pathname}`,
    `${origin}@evil.example${pathname}`,
    `${origin}:443${pathname}`,
    `https://evil.example/${host}${pathname}`,
    `https://evil.example\\@${host}${pathname}`,
    `HTTPS://${host}${pathname}`,
    `http://${host}${pathname}`,
    `//${host}${pathname}`,
    ` ${uri}`,
    `${uri}\t`,
    `${uri}\r\nLocation: https://evil.example/`,
    'javascript:alert(1)',
    'data:text/html,x',
  ]
}

describe('a redirect_uri that is not the registered one, byte for byte [F-01] [fapi.server.no-open-redirector]', () => {
  it.each(LOOKALIKES(REDIRECT_URI))('%j gets a page and no redirect', async (redirect_uri) => {
    for (const parameters of [
      {},
      { prompt: 'none' },
      { response_mode: 'form_post' },
      { response_type: 'nonsense' },
    ]) {
      expectErrorPage(await provider.open(signedIn, { ...parameters, redirect_uri }))
    }
  })
})

describe('no open redirect [F-16]', () => {
  it.each(LOOKALIKES(POST_LOGOUT_URI))('after a logout to %j', async (post_logout_redirect_uri) => {
    const { tokens } = await provider.signIn({ browser: signedIn })
    for (const named of [{ id_token_hint: tokens.id_token ?? '' }, { client_id: 'web' }]) {
      const query = new URLSearchParams({ ...named, post_logout_redirect_uri })
      expectErrorPage(await signedIn.open(`/oidc/v1/end_session?${query}`))
    }
  })

  it('an address of our own redirects to no other site, with any suffix', async () => {
    for (const path of [
      '//evil.example/ui/login',
      '/ui/login?request=https://evil.example/',
      '/oauth/v2/authorize?continue=https://evil.example/',
      '/oauth/v2/authorize?posted=//evil.example',
      '/ui/logout?request=//evil.example&state=https://evil.example/',
      '/ui/accounts?request=x&redirect_uri=https://evil.example/',
      '/ui/consent?next=https://evil.example/',
    ]) {
      const page = await signedIn.send(provider.issuer + path)
      expect(page.headers.get('location') ?? '').not.toContain('evil')
      expect(page.body).not.toContain('href="https://evil.example')
    }
  })

  it('the state of a client stays one parameter', async () => {
    const state = 'x&redirect_uri=https://evil.example/#\r\nLocation: https://evil.example/'
    const page = await provider.open(signedIn, { state })
    const location = new URL(page.headers.get('location') ?? '')
    expect(location.origin + location.pathname).toBe(REDIRECT_URI)
    expect(location.searchParams.get('state')).toBe(state)
  })
})

describe('every authorization response names its issuer [F-08] [fapi.flow.iss]', () => {
  const implicit = { client_id: 'implicit', nonce: 'n' }
  it.each<[string, Parameters]>([
    ['a code', {}],
    ['a code by form_post', { response_mode: 'form_post' }],
    ['a code in the fragment', { response_mode: 'fragment' }],
    ['an ID token', { ...implicit, response_type: 'id_token' }],
    ['tokens', { ...implicit, response_type: 'id_token token' }],
    ['tokens by form_post', { ...implicit, response_type: 'id_token token', response_mode: 'form_post' }],
    ['invalid_request', { max_age: 'x' }],
    ['invalid_scope', { scope: 'profile' }],
    ['invalid_scope in a fragment', { ...implicit, response_type: 'id_token', scope: 'profile' }],
    ['unsupported_response_type', { response_type: 'token' }],
    ['unauthorized_client', { response_type: 'id_token', nonce: 'n' }],
    ['request_not_supported', { request: 'x' }],
    ['login_required by form_post', { prompt: 'none', response_mode: 'form_post', max_age: '0' }],
  ])('%s', async (_what, parameters) => {
    const response = await provider.authorize(parameters, { browser: signedIn })
    const { issuer } = (await provider.system.fetch('/.well-known/openid-configuration')).json
    expect(response.parameters.getAll('iss')).toEqual([issuer])
  })

  it('access_denied, once consent is refused', async () => {
    const page = await provider.open(signedIn, { prompt: 'consent' })
    const { parameters } = readResponse(await signedIn.submit(page, { decision: 'deny' }))
    expect(Object.fromEntries(parameters)).toMatchObject({ error: 'access_denied', iss: provider.issuer })
  })
})

describe('a redirect never takes a form along [F-14]', () => {
  /** Follows as a browser does and keeps every answer. */
  async function journey(browser: HttpBrowser, first: Page): Promise<readonly Page[]> {
    const pages = [first]
    for (let page = first; page.headers.get('location')?.startsWith('/'); ) {
      page = await browser.send(page.headers.get('location') ?? '')
      pages.push(page)
    }
    return pages
  }

  it('all are 303, after a GET and after a POST with a password [fapi.flow.no-307]', async () => {
    const browser = provider.system.newBrowser()
    const query = new URL(provider.issuer + provider.authorizationUrl({ prompt: 'consent' })).searchParams
    const toSignIn = await journey(
      browser,
      await browser.send('/oauth/v2/authorize', Object.fromEntries(query)),
    )
    const form = toSignIn.at(-1)?.body ?? ''
    const hidden = [...form.matchAll(/name="(request|csrf)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ])
    const signIn = { ...Object.fromEntries(hidden), login_name: 'alice', password: PASSWORD }
    const toConsent = await journey(browser, await browser.send('/ui/login', signIn))
    const answer = await browser.submit(toConsent.at(-1) ?? fail(), { decision: 'allow' })
    const toLogout = await journey(browser, await browser.send('/oidc/v1/end_session', { state: 'x' }))
    const redirects = [...toSignIn, ...toConsent, answer, ...toLogout].filter(({ headers }) =>
      headers.has('location'),
    )
    expect(redirects.length).toBeGreaterThan(5)
    expect([...new Set(redirects.map(({ status }) => status))]).toEqual([303])
  })
})

function fail(): never {
  throw new Error('no page came')
}
