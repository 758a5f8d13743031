// Clients that register themselves (RFC 7591, RFC 7592): openid-client and oauth4webapi as independent clients.
import { generateKeyPairSync } from 'node:crypto'
import { ADMIN_TOKEN } from '@signet/testing/system/oauth-directory'
import { discover } from '@signet/testing/system/sign-in-journey'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readResponse } from './authorization-response.ts'
import { connectProvider, PROVIDER_SYSTEM, type Provider } from './provider.ts'

const CALLBACK = 'https://agent.example/callback'

let provider: Provider
let initialAccessToken: string

async function manage(method: string, path: string, body?: object) {
  return provider.system.fetch(`/management/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

beforeAll(async () => {
  provider = await connectProvider(await startSystem({ ...PROVIDER_SYSTEM, clientRegistration: true }))
  const policy = {
    redirectHosts: ['agent.example'],
    loopbackRedirects: true,
    authMethods: ['none', 'client_secret_basic'],
    mostClients: 100,
  }
  // The project of the organization of alice: its applications ask their own people for no consent, unless they registered.
  const { status, json } = await manage('POST', '/projects/portal/registration-tokens', policy)
  expect(status).toBe(201)
  initialAccessToken = json.token as string
}, 60_000)
afterAll(() => provider?.stop())

const register = (metadata: Partial<oauth.OmitSymbolProperties<oauth.Client>>) =>
  oidc.dynamicClientRegistration(
    new URL(provider.issuer),
    { redirect_uris: [CALLBACK], client_name: 'Agent', ...metadata },
    undefined,
    { initialAccessToken, execute: [oidc.allowInsecureRequests] },
  )

/** Signs alice in at a client and returns the page behind the password. */
async function begin(clientId: string, redirectUri: string, browser = provider.system.newBrowser()) {
  const verifier = oidc.randomPKCECodeVerifier()
  const page = await provider.open(browser, {
    ...{ client_id: clientId, redirect_uri: redirectUri, scope: 'openid offline_access' },
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const asked = page.body.includes('id="login-name"')
  return {
    ...{ browser, verifier },
    page: asked ? await browser.submit(page, { login_name: 'alice', password: PASSWORD }) : page,
  }
}

describe('a client that openid-client registers', () => {
  it('signs a person of its own organization in after consent, and refreshes', async () => {
    const config = await register({ grant_types: ['authorization_code', 'refresh_token'] })
    const { client_id: clientId, client_secret: secret } = config.clientMetadata()
    expect(secret).toMatch(/^sgcs_/)
    const { browser, page, verifier } = await begin(clientId, CALLBACK)
    expect(page.body).toMatch(/id="consent-self-registered">This application chose its name itself/)
    expect(page.body).toMatch(/id="consent-asks"><bdi>Agent<[\s\S]*id="consent-host">[\s\S]*agent\.example/)
    const response = readResponse(await browser.submit(page, { decision: 'allow' }))
    const checks = { pkceCodeVerifier: verifier, idTokenExpected: true }
    const client = await discover(provider.issuer, clientId, oidc.ClientSecretBasic(String(secret)))
    const tokens = await oidc.authorizationCodeGrant(client, response.received(), checks)
    expect(tokens.claims()).toMatchObject({ sub: 'alice', aud: clientId })
    const refreshed = await oidc.refreshTokenGrant(client, tokens.refresh_token ?? '')
    expect((await oidc.fetchUserInfo(client, refreshed.access_token, 'alice')).sub).toBe('alice')

    const { registration_client_uri: uri, registration_access_token: token } = config.clientMetadata()
    const deleted = await fetch(String(uri), {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    })
    expect(deleted.status).toBe(204)
    expect(await provider.introspect(refreshed.access_token)).toEqual({ active: false })
    await expect(oidc.refreshTokenGrant(client, refreshed.refresh_token ?? '')).rejects.toThrow()
  })

  it('reaches its own project, and another one of the organization only where that names it', async () => {
    const uri = 'https://orders.example.com/v1'
    const project = { id: 'orders', name: 'Orders', organizationId: 'acme', resourceUri: uri }
    expect((await manage('POST', '/projects', project)).status).toBe(201)
    const { client_id: clientId } = (await register({ token_endpoint_auth_method: 'none' })).clientMetadata()
    const ask = async (resource: string) => {
      const code_challenge = await oidc.calculatePKCECodeChallenge(oidc.randomPKCECodeVerifier())
      const parameters = { client_id: clientId, redirect_uri: CALLBACK, resource, code_challenge }
      return provider.open(provider.system.newBrowser(), { ...parameters, code_challenge_method: 'S256' })
    }
    const refused = await ask(uri)
    expect(readResponse(refused).parameters.get('error')).toBe('invalid_target')
    const allowed = { allowedAudiences: [clientId] }
    expect((await manage('PATCH', '/projects/orders', allowed)).status).toBe(200)
    await expect.poll(async () => (await ask(uri)).body).toContain('id="login-name"')
  })

  it('needs PKCE with its secret too', async () => {
    const config = await register({})
    const { parameters } = await provider.authorize({
      client_id: config.clientMetadata().client_id,
      redirect_uri: CALLBACK,
    })
    expect(parameters.get('error')).toBe('invalid_request')
  })

  it('asks each time on a loopback redirect URI, with any port', async () => {
    const metadata = { redirect_uris: ['http://127.0.0.1/callback'], token_endpoint_auth_method: 'none' }
    const config = await register(metadata)
    expect(config.clientMetadata().client_secret).toBeUndefined()
    const { client_id: clientId } = config.clientMetadata()
    const first = await begin(clientId, 'http://127.0.0.1:49152/callback')
    await first.browser.submit(first.page, { decision: 'allow' })
    const second = await begin(clientId, 'http://127.0.0.1:49153/callback', first.browser)
    expect(second.page.body).toContain('name="decision"')
  })
})

describe('the plan of the conformance suite for a login that a third party initiates', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  /** The members that the suite sends with each registration of a client with client_secret_basic. */
  const usual = {
    ...{ client_name: 'Suite', contacts: ['certification@example.org'], redirect_uris: [CALLBACK] },
    ...{ grant_types: ['authorization_code'], response_types: ['code'] },
    token_endpoint_auth_method: 'client_secret_basic',
    jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'suite', use: 'sig', alg: 'RS256' }] },
  }
  const registerAs = (initiate_login_uri: string) =>
    fetch(`${provider.issuer}/oauth/v2/register`, {
      method: 'POST',
      headers: { authorization: `Bearer ${initialAccessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...usual, initiate_login_uri }),
    })

  it('oidcc-3rd_party-init-login: the registration and its URI return initiate_login_uri', async () => {
    const initiate_login_uri = 'https://agent.example/start'
    const made = await registerAs(initiate_login_uri)
    const client = await made.json()
    const { contacts: _, ...kept } = usual
    expect([made.status, client]).toMatchObject([201, { ...kept, initiate_login_uri }])
    const headers = { authorization: `Bearer ${client.registration_access_token}` }
    const read = await fetch(client.registration_client_uri, { headers })
    expect([read.status, read.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^application\/json/),
    ])
    expect(await read.json()).toMatchObject({ client_id: client.client_id, initiate_login_uri })
    // OpenID Connect Core section 4: a link of Signet leads there, and the client sends the person to the issuer that it names.
    const { browser, page } = await begin(client.client_id, CALLBACK)
    await browser.submit(page, { decision: 'allow' })
    const { body } = await browser.open(`${provider.issuer}/ui/applications`)
    expect(body).toContain(`${initiate_login_uri}?iss=${encodeURIComponent(provider.issuer)}`)
  })

  it('oidcc-3rd_party-init-login-nohttps: a URI without https is refused', async () => {
    const refused = await registerAs('http://agent.example/start')
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      400,
      expect.stringMatching(/^application\/json/),
    ])
    expect(await refused.json()).toMatchObject({
      error: 'invalid_client_metadata',
      error_description: expect.stringContaining('initiate_login_uri: must use https'),
    })
  })
})

describe('oauth4webapi', () => {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const registerBy = async (metadata: Partial<oauth.OmitSymbolProperties<oauth.Client>>, token: string) => {
    const server = { issuer: provider.issuer, registration_endpoint: `${provider.issuer}/oauth/v2/register` }
    const options = { ...insecure, initialAccessToken: token }
    const response = await oauth.dynamicClientRegistrationRequest(server, metadata, options)
    return oauth.processDynamicClientRegistrationResponse(response)
  }

  it('reads the response and the refusals', async () => {
    const metadata = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'client_secret_basic' }
    expect(await registerBy(metadata, initialAccessToken)).toMatchObject(metadata)
    const elsewhere = { redirect_uris: ['https://evil.example/callback'] }
    await expect(registerBy(elsewhere, initialAccessToken)).rejects.toMatchObject({
      ...{ error: 'invalid_redirect_uri', status: 400 },
    })
    await expect(registerBy(metadata, 'wrong')).rejects.toBeInstanceOf(oauth.WWWAuthenticateChallengeError)
  })
})

it('discovery names the endpoint, and not without the setting', async () => {
  const config = await discover(provider.issuer, 'web', oidc.None())
  expect(config.serverMetadata().registration_endpoint).toBe(`${provider.issuer}/oauth/v2/register`)
  const off = await startSystem(PROVIDER_SYSTEM)
  try {
    expect((await discover(off.issuer, 'web', oidc.None())).serverMetadata()).not.toHaveProperty(
      'registration_endpoint',
    )
    expect((await off.fetch('/oauth/v2/register', { method: 'POST' })).status).toBe(404)
  } finally {
    await off.stop()
  }
})

it('exports leave these applications out', async () => {
  const { client_id: clientId } = (await register({ client_name: 'Left out' })).clientMetadata()
  const { status, text } = await provider.system.fetch('/admin/v1/export', {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ org_ids: ['acme'], response_output: true, timeout: '1m' }),
  })
  expect(status, text).toBe(200)
  expect(text).toContain('"orgId":"acme"')
  expect(text).not.toContain(clientId)
  expect(text).not.toContain('Left out')
})
