import { ACR_PASSWORD } from '@signet/protocol/authorization-parameters'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PageView } from './browser.ts'
import { startTestEnvironment, type TestEnvironment, WEB_REQUEST } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
})
afterAll(() => env.stop())

/** The parameters in the fragment, or in the query without a fragment. */
function parametersOf(location: string): Record<string, string> {
  const { search, hash } = new URL(location)
  return Object.fromEntries(new URLSearchParams(hash === '' ? search : hash.slice(1)))
}
/** A request object with alg none, as the OpenID conformance suite sends it. */
const unsigned = (payload: unknown) =>
  `${[{ alg: 'none' }, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`
const manyScopes = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`).join(' ')
/** A claims parameter of exactly this many characters. */
const claimsOf = (characters: number) => JSON.stringify({ x: 'y'.repeat(characters - 8) })
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

describe('code flow', () => {
  it('signs in and returns code, unchanged state and iss (OIDC Core section 3.1.2)', async () => {
    const browser = env.newBrowser()
    const page = await env.authorize(browser, {
      nonce: 'n-1',
      scope: 'openid bogus email',
      extra: 'foobar',
    })
    expect(page.status).toBe(200)
    expect(page.text).toContain('Sign in')

    const answer = Object.fromEntries(await env.signIn(browser, page))
    expect(answer).toEqual({ code: expect.stringMatching(/^code-/), state: 'st&te=1', iss: env.issuer })
    const issued = env.fakes.codeRequests.at(-1)
    expect(issued).toMatchObject({
      clientId: 'web',
      redirectUri: WEB_REQUEST.redirect_uri,
      scopes: ['openid', 'email'],
      nonce: 'n-1',
      session: { userId: 'user1', organizationId: 'acme', amr: ['pwd'], userEpoch: 0n },
    })
    expect(issued?.codeChallenge).toBeUndefined()
    expect(Number(issued?.session?.authTime?.seconds) * 1000).toBe(env.clock.now().getTime())
  })

  it('responds at once while the session is live, with the same sid', async () => {
    const browser = env.newBrowser()
    await env.signIn(browser, await env.authorize(browser))
    const sid = env.fakes.codeRequests.at(-1)?.session?.sid
    const answer = await env.authorize(browser, { redirect_uri: 'https://rp.localhost/callback?tenant=1' })
    expect(answer.status).toBe(303)
    expect(answer.location).toMatch(/^https:\/\/rp\.localhost\/callback\?tenant=1&code=code-/)
    expect(env.fakes.codeRequests.at(-1)?.session?.sid).toBe(sid)
  })

  it('accepts a cross-site POST, which carries no cookies (OIDC Core section 3.1.2.1)', async () => {
    const browser = env.newBrowser()
    await env.signIn(browser, await env.authorize(browser))
    const posted = await browser.post('/oauth/v2/authorize', WEB_REQUEST, { withCookies: false })
    expect(posted.status).toBe(303)
    expect(posted.location).toMatch(/^\/oauth\/v2\/authorize\?posted=[\w-]{43}$/)
    expect(parametersOf((await browser.get(posted.location)).location)).toMatchObject({
      state: WEB_REQUEST.state,
    })

    const again = await browser.get(posted.location)
    expect(again.status).toBe(400)
    expect(again.text).toContain('This page is no longer needed')
  })

  it('passes claims and the supported acr to the token service', async () => {
    const browser = env.newBrowser()
    const claims = '{"userinfo":{"name":{"essential":true}}}'
    await env.signIn(browser, await env.authorize(browser, { claims, acr_values: '1 2' }))
    expect(env.fakes.codeRequests.at(-1)).toMatchObject({ claims, acr: ACR_PASSWORD })
    await env.authorize(browser)
    expect(env.fakes.codeRequests.at(-1)).toMatchObject({ acr: ACR_PASSWORD })
    expect(env.fakes.codeRequests.at(-1)?.claims).toBeUndefined()
  })

  it('passes the code_challenge of a public client on (RFC 7636 section 4.3)', async () => {
    const browser = env.newBrowser()
    const page = await env.authorize(browser, {
      client_id: 'spa',
      redirect_uri: 'https://spa.localhost/callback',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    })
    await env.signIn(browser, page)
    expect(env.fakes.codeRequests.at(-1)?.codeChallenge).toBe(CHALLENGE)
  })

  it('accepts any loopback port and a private-use scheme of a native application (RFC 8252 section 7.3)', async () => {
    const browser = env.newBrowser()
    const native = { client_id: 'native', redirect_uri: 'http://127.0.0.1:49152/callback' }
    const answer = await env.signIn(browser, await env.authorize(browser, native))
    expect(answer.get('code')).toMatch(/^code-/)
    const named = await env.authorize(browser, { ...native, redirect_uri: 'http://localhost:49152/callback' })
    expect(named.location).toMatch(/^http:\/\/localhost:49152\/callback\?code=/)
    const custom = await env.authorize(browser, { ...native, redirect_uri: 'com.example.app:/callback' })
    expect(custom.location).toMatch(/^com\.example\.app:\/callback\?code=/)
  })

  it('responds with a form that has a button and a script nonce (OAuth 2.0 Form Post Response Mode)', async () => {
    const browser = env.newBrowser()
    await env.signIn(browser, await env.authorize(browser))
    const page = await env.authorize(browser, { response_mode: 'form_post', state: '"><script>' })
    expect(page.status).toBe(200)
    expect(page.body).toContain('<form id="form-post" method="post" action="https://rp.localhost/callback">')
    expect(page.body).toContain('name="state" value="&quot;&gt;&lt;script&gt;"')
    expect(page.body).toMatch(/<button [^>]*type="submit"/)
    const nonce = /<script nonce="([^"]+)">/.exec(page.body)?.[1]
    expect(page.headers['content-security-policy']).toContain(`script-src 'nonce-${nonce}'`)
  })

  it('ignores an unknown response_mode', async () => {
    const browser = env.newBrowser()
    const answer = await env.authorize(browser, { response_mode: 'smoke', prompt: 'none' })
    expect(parametersOf(answer.location)).toMatchObject({ error: 'login_required' })
  })
})

describe('before the redirect URI is proven', () => {
  const uri = WEB_REQUEST.redirect_uri
  it.each([
    ['a longer path', `${uri}/x`],
    ['a prefix', 'https://rp.localhost/call'],
    ['another case', 'https://rp.localhost/Callback'],
    ['an added query', `${uri}?x=1`],
    ['a fragment', `${uri}#x`],
    ['an encoded letter', 'https://rp.localhost/%63allback'],
    ['a trailing slash', `${uri}/`],
    ['a port', 'https://rp.localhost:443/callback'],
    ['user information', 'https://rp.localhost@evil.localhost/callback'],
    ['another scheme', 'http://rp.localhost/callback'],
    ['a loopback port for a web application', 'http://127.0.0.1:1/callback'],
    ['a scheme that runs in the browser, even registered', 'javascript:alert(1)'],
  ])('rejects %s on a page of this service [F-01]', async (_what, redirectUri) => {
    const page = await env.authorize(env.newBrowser(), { redirect_uri: redirectUri })
    expect(page).toMatchObject({ status: 400, location: '' })
    expect(page.text).toContain('This application’s sign-in request has a mistake')
    expect(page.text).toContain('redirect_uri')
  })

  it.each([
    ['an unknown client', 'client_id=unknown&redirect_uri=https://rp.localhost/callback'],
    ['an inactive client', 'client_id=asleep&redirect_uri=https://rp.localhost/callback'],
    ['no client', 'redirect_uri=https://rp.localhost/callback'],
    ['no redirect URI', 'client_id=web'],
    ['a repeated client_id', `client_id=web&client_id=web&redirect_uri=${uri}`],
    ['a repeated redirect_uri', `client_id=web&redirect_uri=${uri}&redirect_uri=${uri}`],
    [
      'a bad redirect URI although a request object is there',
      'client_id=web&redirect_uri=https://evil.localhost&request=x',
    ],
    ['a zero character', 'client_id=web%00&redirect_uri=https://rp.localhost/callback'],
    ['nothing', ''],
  ])('shows the user an error for %s (RFC 6749 section 4.1.2.1)', async (_what, query) => {
    const page = await env.newBrowser().get(`/oauth/v2/authorize?${query}`)
    expect(page).toMatchObject({ status: 400, location: '' })
    expect(page.text).toContain('This application’s sign-in request has a mistake')
  })
})

describe('after the redirect URI is proven', () => {
  const spa = { client_id: 'spa', redirect_uri: 'https://spa.localhost/callback' }
  const cases: [string, Record<string, string>, string][] = [
    ['response_type missing', { response_type: '' }, 'invalid_request'],
    ['response_type unknown', { response_type: 'token' }, 'unsupported_response_type'],
    ['response_type not of this client', { response_type: 'id_token token' }, 'unauthorized_client'],
    ['grant type not of this client', { client_id: 'codeless' }, 'unauthorized_client'],
    ['scope missing', { scope: '' }, 'invalid_request'],
    ['scope without openid', { scope: 'email' }, 'invalid_scope'],
    ['more than 100 scopes', { scope: `openid ${manyScopes(100)}` }, 'invalid_scope'],
    ['a scope of 1001 characters', { scope: `openid ${'x'.repeat(1001)}` }, 'invalid_scope'],
    ['scope malformed', { scope: 'openid "x"' }, 'invalid_scope'],
    ['public client without PKCE', spa, 'invalid_request'],
    ['PKCE plain', { ...spa, code_challenge: CHALLENGE, code_challenge_method: 'plain' }, 'invalid_request'],
    ['PKCE without a method', { ...spa, code_challenge: CHALLENGE }, 'invalid_request'],
    [
      'PKCE challenge malformed',
      { code_challenge: 'short', code_challenge_method: 'S256' },
      'invalid_request',
    ],
    ['PKCE method alone', { code_challenge_method: 'S256' }, 'invalid_request'],
    ['nonce of 513 characters', { nonce: 'n'.repeat(513) }, 'invalid_request'],
    ['claims of 1001 characters', { claims: claimsOf(1001) }, 'invalid_request'],
    ['claims that are no JSON object', { claims: 'name' }, 'invalid_request'],
    [
      'claims that require another acr',
      { claims: '{"id_token":{"acr":{"essential":true,"value":"2"}}}' },
      'unmet_authentication_requirements',
    ],
    ['prompt unknown', { prompt: 'maybe' }, 'invalid_request'],
    ['prompt none beside another', { prompt: 'none login' }, 'invalid_request'],
    ['max_age not a number', { max_age: '-1' }, 'invalid_request'],
    ['prompt none without a session', { prompt: 'none' }, 'login_required'],
    ['request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['request_uri', { request_uri: 'https://rp.localhost/request' }, 'request_uri_not_supported'],
  ]
  it.each(cases)('%s is sent to the client (RFC 6749 section 4.1.2.1)', async (_what, parameters, error) => {
    const answer = await env.authorize(env.newBrowser(), parameters)
    expect(answer.status).toBe(303)
    const expected = {
      error,
      error_description: expect.any(String),
      state: WEB_REQUEST.state,
      iss: env.issuer,
    }
    expect(parametersOf(answer.location)).toEqual(expected)
  })

  const methods: [string, (query: string) => Promise<PageView>][] = [
    ['GET', (query) => env.newBrowser().get(`/oauth/v2/authorize?${query}`)],
    ['POST', (query) => env.newBrowser().post('/oauth/v2/authorize', query, { withCookies: false })],
  ]
  const { state, ...withoutState } = WEB_REQUEST
  const unusable: [string, Record<string, string>, string][] = [
    ['a repeated state', WEB_REQUEST, 'state=two'],
    ['a state with a zero character', withoutState, 'state=a%00b'],
  ]
  const harmless: [string, Record<string, string>, string][] = [
    ['a repeated scope', WEB_REQUEST, 'scope=openid'],
    ['an unknown parameter with a zero character', WEB_REQUEST, 'extra=a%00b'],
    ['a name with a zero character', WEB_REQUEST, 'ex%00tra=1'],
    ['a login_hint with a zero character', WEB_REQUEST, 'login_hint=%00'],
  ]
  describe.each(methods)('by %s', (_method, send) => {
    it.each([
      ...unusable.map((row) => [...row, {}] as const),
      ...harmless.map((row) => [...row, { state }] as const),
    ])(
      '%s sends an error to the client without choosing a value [F-09]',
      async (_what, request, more, echoed) => {
        const answer = await send(`${new URLSearchParams(request)}&${more}`)
        expect(answer.status).toBe(303)
        expect(parametersOf(answer.location)).toEqual({
          error: 'invalid_request',
          error_description: expect.any(String),
          iss: env.issuer,
          ...echoed,
        })
      },
    )

    it.each(['extra=1&extra=2', 'utm_source=a&utm_source=b'])(
      'ignores %s, which Signet does not read',
      async (more) => {
        const answer = await send(`${new URLSearchParams(WEB_REQUEST)}&${more}`)
        expect(answer.location).toMatch(/^\/(ui\/login|oauth\/v2\/authorize)\?(request|posted)=/)
      },
    )

    const form = [
      ['code', 'form_post', 200, /action="https:\/\/rp\.localhost\/callback"/],
      ['code', 'fragment', 303, /callback#error=request_not_supported/],
      ['code', 'smoke', 303, /callback\?error=request_not_supported/],
    ] as const
    it.each(form)(
      'refuses a %s request whose object asks for %s in that mode (OAuth 2.0 Form Post Response Mode section 2)',
      async (responseType, responseMode, status, sent) => {
        const inner = { nonce: 'n', state: 'inside', response_mode: responseMode }
        const answer = await send(
          `${new URLSearchParams({ ...withoutState, response_type: responseType, request: unsigned(inner) })}`,
        )
        expect(answer.status).toBe(status)
        expect(answer.location + answer.body).toMatch(sent)
        expect(answer.location + answer.body).toContain('request_not_supported')
      },
    )

    it.each([
      'no object',
      'e30',
      'e30.e30',
      'e30.bm90IEpTT04.',
      unsigned('text'),
      unsigned({ response_mode: 1 }),
    ])('refuses the request object %j of an application without a key', async (request) => {
      const answer = await send(`${new URLSearchParams({ ...WEB_REQUEST, request })}`)
      expect(parametersOf(answer.location)).toMatchObject({ error: 'request_not_supported', state })
    })

    it('prefers the response_mode beside the object to the one inside', async () => {
      const request = unsigned({ response_mode: 'form_post' })
      const answer = await send(`${new URLSearchParams({ ...WEB_REQUEST, request, response_mode: 'query' })}`)
      expect(parametersOf(answer.location)).toMatchObject({ error: 'request_not_supported', state })
    })
  })

  it('shows a page while a response cannot be signed, and sends the signed one afterwards', async () => {
    const browser = env.newBrowser()
    await env.signIn(browser, await env.authorize(browser))
    env.fakes.away.add('keys')
    const signed = { response_mode: 'jwt' }
    for (const more of [{}, { prompt: 'none' }, { response_type: '' }]) {
      const answer = await env.authorize(browser, { ...signed, ...more })
      expect([answer.status, answer.location]).toEqual([503, ''])
    }
    env.fakes.away.delete('keys')
    const { response } = parametersOf((await env.authorize(browser, signed)).location)
    expect(JSON.parse(response ?? '')).toEqual({ code: expect.any(String), state: WEB_REQUEST.state })
  })

  it('does not return a state of more than 2000 characters', async () => {
    const longest = await env.authorize(env.newBrowser(), { state: 's'.repeat(2000), prompt: 'none' })
    expect(parametersOf(longest.location)).toMatchObject({ error: 'login_required', state: 's'.repeat(2000) })
    const longer = await env.authorize(env.newBrowser(), { state: 's'.repeat(2001), prompt: 'none' })
    expect(parametersOf(longer.location)).toEqual({
      error: 'invalid_request',
      error_description: expect.stringContaining('state'),
      iss: env.issuer,
    })
  })

  it('accepts state, nonce and claims at their limits, an unknown login_hint and unknown locales [fapi.identity.nonce]', async () => {
    const page = await env.authorize(env.newBrowser(), {
      nonce: 'n'.repeat(512),
      claims: claimsOf(1000),
      login_hint: 'unknown+x@example.org',
      ui_locales: 'se',
      claims_locales: 'se',
      acr_values: '1 2',
      display: 'popup',
      prompt: 'consent',
    })
    expect(page.status).toBe(200)
    expect(page.body).toContain('value="unknown+x@example.org"')
  })
})
