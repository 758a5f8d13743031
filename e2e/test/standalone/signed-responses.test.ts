// JWT Secured Authorization Response Mode (JARM): openid-client as an independent client, jose for what it does not look at.
import { REDIRECT_URI } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectProvider, type Parameters, PROVIDER_SYSTEM, type Provider } from './provider.ts'

let provider: Provider
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
}, 60_000)
afterAll(() => provider?.stop())

/** The claims of a signed response for `web`, which has no other parameter. */
async function claimsOf(parameters: URLSearchParams, audience = 'web') {
  expect([...parameters.keys()]).toEqual(['response'])
  const keySet = createRemoteJWKSet(new URL(`${provider.issuer}/oauth/v2/keys`))
  const { issuer } = provider
  return (await jwtVerify(parameters.get('response') ?? '', keySet, { issuer, audience })).payload
}

it.each([
  ['jwt', 'query'],
  ['query.jwt', 'query'],
  ['fragment.jwt', 'fragment'],
  ['form_post.jwt', 'form_post'],
])(
  'sends a code as %s by %s, which a stock client redeems [fapi.response.signed]',
  async (responseMode, mode) => {
    const verifier = oidc.randomPKCECodeVerifier()
    const state = `state of ${responseMode}&=`
    const response = await provider.authorize({
      response_mode: responseMode,
      state,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    expect([response.mode, response.redirectUri]).toEqual([mode, REDIRECT_URI])
    const claims = await claimsOf(response.parameters)
    expect(claims).toEqual({
      ...{ iss: provider.issuer, aud: 'web', code: expect.any(String), state },
      exp: expect.any(Number),
    })
    expect((claims.exp ?? 0) - provider.now()).toBeLessThanOrEqual(600)
    const config = await provider.client('web')
    oidc.useJwtResponseMode(config)
    const checks = { expectedState: state, pkceCodeVerifier: verifier, idTokenExpected: true }
    // A browser keeps the fragment: the page of the client hands its parameters over.
    const received =
      mode === 'fragment' ? new URL(`${REDIRECT_URI}?${response.parameters}`) : response.received()
    const tokens = await oidc.authorizationCodeGrant(config, received, checks)
    expect(tokens.claims()?.sub).toBe('alice')
  },
)

it.each<[error: string, more: Parameters]>([
  ['login_required', { prompt: 'none' }],
  ['invalid_scope', { scope: 'urn:service:iam:org:project:id:nowhere:aud openid' }],
  ['invalid_request', { prompt: 'none login' }],
])('signs the error %s', async (error, more) => {
  const response = await provider.authorize({ response_mode: 'query.jwt', state: 's', ...more })
  expect(await claimsOf(response.parameters)).toEqual({
    ...{ iss: provider.issuer, aud: 'web', state: 's', error },
    ...{ exp: expect.any(Number), error_description: expect.any(String) },
  })
})

it('signs tokens in the fragment, also where query.jwt was asked for', async () => {
  const parameters = { client_id: 'implicit', response_type: 'id_token token', nonce: 'n' }
  for (const mode of ['jwt', 'query.jwt']) {
    const response = await provider.authorize({ ...parameters, response_mode: mode })
    expect(response.mode).toBe('fragment')
    const claims = await claimsOf(response.parameters, 'implicit')
    expect(Object.keys(claims).sort()).toEqual(
      ['access_token', 'aud', 'exp', 'expires_in', 'id_token', 'iss', 'scope', 'token_type'].sort(),
    )
    expect(decodeJwt(String(claims.id_token))).toMatchObject({ sub: 'alice', nonce: 'n' })
  }
})

it('signs with the algorithm of ID tokens of the application, and the signature is no token [fapi.response.algorithm]', async () => {
  const { parameters, browser } = await (async () => {
    const browser = provider.system.newBrowser()
    const sent = { response_mode: 'jwt', client_id: 'web' }
    return { browser, parameters: (await provider.authorize(sent, { browser })).parameters }
  })()
  const jwt = parameters.get('response') ?? ''
  // No id_token_hint: the response is answered for the person of the session.
  const hinted = await provider.authorize({ prompt: 'none', id_token_hint: jwt }, { browser })
  expect([...hinted.parameters.keys()]).toContain('error')
  const introspected = await provider.introspect(jwt)
  expect(introspected).toEqual({ active: false })
  const userinfo = await provider.system.fetch('/oidc/v1/userinfo', {
    headers: { authorization: `Bearer ${jwt}` },
  })
  expect(userinfo.status).toBe(401)
})
