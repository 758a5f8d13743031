// Pushed authorization requests (RFC 9126) as two stock clients send them.

import { ADMIN_TOKEN, REDIRECT_URI, SECRET } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readResponse } from './authorization-response.ts'
import { connectProvider, PROVIDER_SYSTEM, type Provider, SIGNING_KEY } from './provider.ts'

let provider: Provider
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
}, 60_000)
afterAll(() => provider?.stop())

/** Opens an address as a new browser, and signs alice in. */
async function signIn(url: URL): Promise<URL> {
  const browser = provider.system.newBrowser()
  const page = await browser.open(`${url.pathname}${url.search}`)
  const response = readResponse(await browser.submit(page, { login_name: 'alice', password: PASSWORD }))
  return response.received() as URL
}

it.each(['web', 'post', 'keyed', 'spa'])(
  'openid-client signs in with a pushed request of %s',
  async (clientId) => {
    const config = await provider.client(clientId)
    const verifier = oidc.randomPKCECodeVerifier()
    const state = oidc.randomState()
    const url = await oidc.buildAuthorizationUrlWithPAR(config, {
      ...{ redirect_uri: REDIRECT_URI, scope: 'openid email', state },
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
    const tokens = await oidc.authorizationCodeGrant(config, await signIn(url), {
      ...{ expectedState: state, pkceCodeVerifier: verifier, idTokenExpected: true },
    })
    expect(tokens.claims()).toMatchObject({ sub: 'alice', aud: clientId })
  },
)

it('oauth4webapi signs in with a pushed request, and reads a refusal', async () => {
  const issuer = new URL(provider.issuer)
  const insecure = { [oauth.allowInsecureRequests]: true }
  const discovered = await oauth.discoveryRequest(issuer, insecure)
  const server = await oauth.processDiscoveryResponse(issuer, discovered)
  expect(server).toMatchObject({
    pushed_authorization_request_endpoint: `${provider.issuer}/oauth/v2/par`,
    require_pushed_authorization_requests: false,
  })
  const client = { client_id: 'web', [oauth.clockSkew]: provider.now() - Math.floor(Date.now() / 1000) }
  const auth = oauth.ClientSecretBasic(SECRET)
  const push = async (parameters: Readonly<Record<string, string>>) => {
    const form = { redirect_uri: REDIRECT_URI, response_type: 'code', ...parameters }
    const answer = await oauth.pushedAuthorizationRequest(
      server,
      client,
      auth,
      new URLSearchParams(form),
      insecure,
    )
    return oauth.processPushedAuthorizationResponse(server, client, answer)
  }
  await expect(push({ scope: 'email' })).rejects.toMatchObject({ error: 'invalid_scope', status: 400 })

  const verifier = oauth.generateRandomCodeVerifier()
  const { request_uri: requestUri, expires_in: expiresIn } = await push({
    ...{ scope: 'openid', state: 's-1', code_challenge_method: 'S256' },
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  })
  expect(expiresIn).toBe(90)
  const url = new URL(server.authorization_endpoint ?? '')
  url.search = `${new URLSearchParams({ client_id: 'web', request_uri: requestUri })}`
  const received = oauth.validateAuthResponse(server, client, await signIn(url), 's-1')
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(
      server,
      client,
      auth,
      received,
      REDIRECT_URI,
      verifier,
      insecure,
    ),
  )
  expect(tokens.id_token).toBeTypeOf('string')
})

it('openid-client signs in with a signed request object, in the address and pushed (RFC 9101)', async () => {
  const config = await provider.client('keyed')
  const verifier = oidc.randomPKCECodeVerifier()
  const parameters = {
    ...{ redirect_uri: REDIRECT_URI, scope: 'openid', code_challenge_method: 'S256' },
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
  }
  const inAddress = await oidc.buildAuthorizationUrlWithJAR(config, parameters, SIGNING_KEY)
  const pushed = await oidc.buildAuthorizationUrlWithPAR(config, inAddress.searchParams)
  for (const url of [inAddress, pushed]) {
    const tokens = await oidc.authorizationCodeGrant(config, await signIn(url), {
      pkceCodeVerifier: verifier,
    })
    expect(tokens.claims()).toMatchObject({ sub: 'alice', aud: 'keyed' })
  }
})

it('an instance takes pushed requests only, and says so in discovery, within a second or two', async () => {
  const set = (requirePushedAuthorization: boolean) =>
    provider.system.fetch('/v2/policies/security', {
      method: 'PATCH',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ requirePushedAuthorization }),
    })
  const required = async () =>
    (await provider.system.fetch('/.well-known/openid-configuration')).json
      .require_pushed_authorization_requests
  expect(await set(true)).toMatchObject({ status: 200 })
  await expect.poll(required, { timeout: 10_000, interval: 100 }).toBe(true)
  await expect
    .poll(async () => (await provider.authorize().catch(() => undefined))?.parameters.get('error'), {
      timeout: 10_000,
      interval: 100,
    })
    .toBe('invalid_request')
  await set(false)
  await expect.poll(required, { timeout: 10_000, interval: 100 }).toBe(false)
})
