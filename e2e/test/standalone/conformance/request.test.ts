import type { HttpBrowser } from '@signet/testing/http-browser'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readResponse } from '../authorization-response.ts'
import { connectProvider, PROVIDER_SYSTEM, type Provider } from '../provider.ts'
import { complete, expectErrorPage, FLOWS, finish, requestOf, STATE } from './flows.ts'

let provider: Provider
let signedIn: HttpBrowser
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
  signedIn = (await provider.signIn()).browser
}, 60_000)
afterAll(() => provider?.stop())

/** The claims that an ID token may have without a request for more. */
const STANDARD_CLAIMS = new Set(
  'iss sub aud exp iat nbf jti auth_time nonce acr amr azp at_hash c_hash s_hash sid txn'.split(' '),
)

describe.each(FLOWS)('$clientId, $responseType by $mode', (flow) => {
  const withAccessToken = flow.responseType !== 'id_token'

  /** The error that a request is answered with, by the response mode of the flow. */
  async function errorOf(parameters: Record<string, string>): Promise<string | null> {
    const request = await requestOf(flow, parameters)
    const response = await provider.authorize(request, { browser: signedIn })
    expect(response.mode).toBe(flow.mode)
    expect(response.parameters.get('state')).toBe(STATE)
    expect(response.parameters.get('iss')).toBe(provider.issuer)
    expect(response.parameters.has('code') || response.parameters.has('id_token')).toBe(false)
    return response.parameters.get('error')
  }

  it('oidcc-server: returns a code or tokens, and an ID token with standard claims only', async () => {
    const { response, idToken, expiresIn } = await complete(provider, flow, {}, signedIn)
    expect(Object.keys(idToken).filter((claim) => !STANDARD_CLAIMS.has(claim))).toEqual([])
    expect(expiresIn).toBe(withAccessToken ? 3600 : undefined)
    if (flow.responseType === 'code')
      expect(entropyOf(response.parameters.get('code') ?? '')).toBeGreaterThan(128)
    if (flow.responseType === 'id_token token') {
      expect(response.parameters.get('token_type')).toBe('Bearer')
      expect(idToken.at_hash).toBeTypeOf('string')
    }
  })

  it('oidcc-alternate-happy-flow: takes scopes and parameters in another order', async () => {
    const request = await requestOf(flow, { scope: 'email openid' })
    const reversed = [...new URLSearchParams(provider.authorizationUrl(request).split('?')[1])].reverse()
    const page = await signedIn.send(`/oauth/v2/authorize?${new URLSearchParams(reversed)}`)
    await finish(provider, flow, readResponse(page), request)
  })

  it('oidcc-ensure-request-without-nonce-succeeds-for-code-flow, oidcc-ensure-request-without-nonce-fails: a code needs none, tokens of the authorization endpoint do [authorize.nonce.implicit]', async () => {
    if (flow.responseType === 'code') await complete(provider, flow, { nonce: '' }, signedIn)
    else expect(await errorOf({ nonce: '' })).toBe('invalid_request')
  })

  it.each([
    ['oidcc-display-page', { display: 'page' }],
    ['oidcc-display-popup', { display: 'popup' }],
    ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
    ['oidcc-login-hint', { login_hint: 'nobody@nowhere.example' }],
    ['oidcc-ui-locales', { ui_locales: 'se' }],
    ['oidcc-claims-locales', { claims_locales: 'se' }],
  ])('%s: has no effect', async (_module, parameters) => {
    await complete(provider, flow, parameters, signedIn)
  })

  it('oidcc-ensure-request-with-acr-values-succeeds: returns the published value', async () => {
    const [acr = ''] = (await provider.client()).serverMetadata().acr_values_supported ?? []
    expect((await complete(provider, flow, { acr_values: acr }, signedIn)).idToken.acr).toBe(acr)
    await complete(provider, flow, { acr_values: '1 2' }, signedIn)
  })

  it('oidcc-ensure-registered-redirect-uri, oidcc-redirect-uri-query-added: our own error page [authorize.redirect_uri] [authorize.error.page]', async () => {
    for (const redirect_uri of ['https://app.example.com/other', 'https://app.example.com/callback?x=1']) {
      expectErrorPage(await provider.open(signedIn, await requestOf(flow, { redirect_uri })))
    }
  })

  it('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: request_not_supported', async () => {
    const request = unsigned({ iss: flow.clientId, client_id: flow.clientId, nonce: 'inner' })
    expect(await errorOf({ request })).toBe('request_not_supported')
    expect(await errorOf({ request_uri: 'https://app.example.com/request' })).toBe(
      'request_uri_not_supported',
    )
  })

  it('oidcc-ensure-request-object-with-redirect-uri: a wrong redirect URI beside it is an error page', async () => {
    const request = unsigned({ redirect_uri: 'https://app.example.com/callback' })
    const wrong = { request, redirect_uri: 'https://app.example.com/wrong' }
    expectErrorPage(await provider.open(signedIn, await requestOf(flow, wrong)))
  })

  it('oidcc-response-type-missing: reports it to the client, in the query or by the requested mode', async () => {
    const response = await provider.authorize(await requestOf(flow, { response_type: '' }), {
      browser: signedIn,
    })
    expect(response.mode).toBe(flow.mode === 'form_post' ? 'form_post' : 'query')
    expect(response.parameters.get('error')).toBe('invalid_request')
    expect(response.parameters.get('state')).toBe(STATE)
  })

  it('oidcc-ensure-post-request-succeeds: the request may be a form', async () => {
    const request = await requestOf(flow)
    const form = Object.fromEntries(new URLSearchParams(provider.authorizationUrl(request).split('?')[1]))
    const posted = await signedIn.send('/oauth/v2/authorize', form)
    expect(posted.status).toBe(303)
    const page = await signedIn.open(posted.headers.get('location') ?? '')
    await finish(provider, flow, readResponse(page), request)
  })
})

function unsigned(payload: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none' })}.${part(payload)}.`
}

/** Bits by Shannon: the number of characters times the mean information of one. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - count * Math.log2(count / text.length), 0)
}
