import type { HttpBrowser } from '@signet/testing/http-browser'
import { REDIRECT_URI } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuthorizationResponse, readResponse } from '../authorization-response.ts'
import { connectProvider, type Parameters, PROVIDER_SYSTEM, type Provider } from '../provider.ts'

let provider: Provider
let signedIn: HttpBrowser
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
  signedIn = (await provider.signIn()).browser
}, 60_000)
afterAll(() => provider?.stop())

const answerTo = (parameters: Parameters): Promise<AuthorizationResponse> =>
  provider.authorize(parameters, { browser: signedIn })
const implicit = { client_id: 'implicit', response_type: 'id_token', nonce: 'n-1' }
const fields = ({ parameters }: AuthorizationResponse) => Object.fromEntries(parameters)

describe('authorization endpoint', () => {
  it('shares its origin and cookie with the sign-in page [authorize.one-origin] [methods.authorize]', async () => {
    const browser = provider.system.newBrowser()
    const page = await browser.send(provider.authorizationUrl())
    expect(page.headers.get('location')).toMatch(/^\/ui\/login\?/)
    expect(browser.cookies.size).toBeGreaterThan(0)
    for (const line of page.headers.getSetCookie()) expect(line).toMatch(/; Path=\/(;|$)/)
  })
})

describe('response_mode', () => {
  it('query is the default for code; the fragment stays empty [authorize.response_mode.query]', async () => {
    for (const response_mode of ['', 'query']) {
      const response = await answerTo({ response_mode })
      expect([response.mode, response.redirectUri]).toEqual(['query', REDIRECT_URI])
    }
  })

  it('fragment is the default for id_token, and may be requested with code [authorize.response_mode.fragment]', async () => {
    for (const parameters of [
      implicit,
      { ...implicit, response_mode: 'fragment' },
      { response_mode: 'fragment' },
    ]) {
      const response = await answerTo(parameters)
      expect(response.mode).toBe('fragment')
      expect((response.received() as URL).search).toBe('')
    }
  })

  it('form_post: a page whose script posts, with a button where scripts do not run [authorize.response_mode.form_post]', async () => {
    for (const parameters of [{}, implicit]) {
      const page = await provider.open(signedIn, { ...parameters, response_mode: 'form_post', state: 'st' })
      expect(page.status).toBe(200)
      expect(page.body).toMatch(/<script nonce="[\w+/=-]+">[^<]*submit\(\)/)
      expect(page.body).toContain('<button')
      expect(fields(readResponse(page)).state).toBe('st')
    }
    const response = await answerTo({ response_mode: 'form_post' })
    const tokens = await oidc.authorizationCodeGrant(await provider.client(), response.received())
    expect(tokens.access_token).not.toBe('')
  })

  it('an invalid one is ignored, as is query for tokens [authorize.response_mode.invalid]', async () => {
    expect((await answerTo({ response_mode: 'carrier-pigeon' })).mode).toBe('query')
    expect((await answerTo({ ...implicit, response_mode: 'carrier-pigeon' })).mode).toBe('fragment')
    expect((await answerTo({ ...implicit, response_mode: 'query' })).mode).toBe('fragment')
  })
})

describe('authorization response objects', () => {
  it('returns code, state and iss [authorize-response.code]', async () => {
    expect(fields(await answerTo({ state: 'st' }))).toEqual({
      code: expect.stringMatching(/^[\w.-]{40,2000}$/),
      state: 'st',
      iss: provider.issuer,
    })
  })

  it('implicit: an access token and its members only with token [authorize-response.implicit] [token-response.expires_in]', async () => {
    const plain = { id_token: expect.any(String), scope: 'openid', state: 'st', iss: provider.issuer }
    expect(fields(await answerTo({ ...implicit, state: 'st' }))).toEqual(plain)
    const both = await answerTo({ ...implicit, response_type: 'id_token token', state: 'st' })
    const described = { access_token: expect.any(String), token_type: 'Bearer', expires_in: '3600' }
    expect(fields(both)).toEqual({ ...plain, ...described })
    const introspected = await provider.introspect(both.parameters.get('access_token') ?? '')
    expect(introspected).toMatchObject({ active: true, client_id: 'implicit' })
    expect((introspected.exp ?? 0) - (introspected.iat ?? 0)).toBe(3600)
  })

  it('a stock client takes an implicit response [authorize.start]', async () => {
    const config = await provider.client('implicit')
    oidc.useIdTokenResponseType(config)
    const response = await answerTo({ ...implicit, state: 'st' })
    const checks = { expectedState: 'st' }
    const claims = await oidc.implicitAuthentication(config, response.received(), 'n-1', checks)
    expect(claims.sub).toBe('alice')
  })

  it('error, its description and state, in the requested mode [authorize-response.error] [authorize.error.to-client]', async () => {
    for (const [request, mode] of [
      [{}, 'query'],
      [{ response_mode: 'form_post' }, 'form_post'],
      [implicit, 'fragment'],
    ] as const) {
      const response = await answerTo({ ...request, scope: 'profile', state: 'st' })
      expect([response.mode, response.redirectUri]).toEqual([mode, REDIRECT_URI])
      expect(fields(response)).toEqual({
        error: 'invalid_scope',
        error_description: expect.stringContaining('openid'),
        state: 'st',
        iss: provider.issuer,
      })
    }
  })
})

describe('authorization endpoint errors', () => {
  it.each<[string, Parameters]>([
    ['a missing response_type', { response_type: '' }],
    ['a missing scope', { scope: '' }],
    ['a bad max_age', { max_age: 'soon' }],
    ['an unknown prompt', { prompt: 'maybe' }],
    ['claims that are no JSON', { claims: '{' }],
    ['a method without a challenge', { code_challenge_method: 'S256' }],
  ])('invalid_request: %s [authorize.error.invalid_request]', async (_what, parameters) => {
    expect(fields(await answerTo(parameters))).toMatchObject({ error: 'invalid_request' })
  })

  it('invalid_request: a repeated parameter [authorize.error.invalid_request]', async () => {
    const page = await signedIn.open(`${provider.authorizationUrl({ state: 'st' })}&prompt=none&prompt=login`)
    expect(fields(readResponse(page))).toMatchObject({ error: 'invalid_request', state: 'st' })
  })

  it('unauthorized_client: a response_type that the application is not registered for [authorize.error.unauthorized_client]', async () => {
    for (const parameters of [
      { response_type: 'id_token', nonce: 'n' },
      { response_type: 'id_token token', nonce: 'n' },
      { client_id: 'implicit', nonce: 'n' },
      { client_id: 'no-code', response_type: 'id_token token', nonce: 'n' },
    ]) {
      expect(fields(await answerTo(parameters))).toMatchObject({ error: 'unauthorized_client' })
    }
  })

  it('unsupported_response_type: one that does not exist [authorize.error.unsupported_response_type]', async () => {
    for (const response_type of ['token', 'code id_token', 'none', 'code token']) {
      expect(fields(await answerTo({ response_type }))).toMatchObject({ error: 'unsupported_response_type' })
    }
  })

  it.each<[string, Parameters]>([
    ['missing', { redirect_uri: '' }],
    ['unregistered', { redirect_uri: 'https://app.example.com/callback/' }],
    ['relative', { redirect_uri: '/callback' }],
    ['of another client', { client_id: 'api' }],
    ['for an unknown client', { client_id: 'nobody' }],
  ])(
    'a redirect_uri that is %s is reported to the user in words [authorize.error.page]',
    async (_what, parameters) => {
      const page = await provider.open(signedIn, { ...parameters, state: 'st' })
      expect([page.status, page.headers.get('location')]).toEqual([400, null])
      expect(page.headers.get('content-type')).toMatch(/^text\/html/)
      expect(page.body).toContain('This application’s sign-in request has a mistake')
      expect(page.body).not.toContain('app.example.com')
    },
  )
})

// The last one, because nothing that needs a code works after it.
describe('authorization endpoint without a working token service', () => {
  it('server_error: an internal error is reported to the client without details [authorize.error.server_error]', async () => {
    const { browser } = await provider.signIn()
    // A token service without methods, which exists in no release.
    provider.system.network.serve('token', [])
    const { parameters } = await provider.authorize({ state: 'st' }, { browser })
    const told = { error: 'server_error', state: 'st', iss: provider.issuer }
    expect(Object.fromEntries(parameters)).toMatchObject(told)
    expect(parameters.get('error_description') ?? '').not.toMatch(/IssueCode|UNIMPLEMENTED|token/)
  })
})
