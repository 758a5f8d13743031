// Resource Indicators for OAuth 2.0 (RFC 8707): openid-client as an independent client.
import { ADMIN_TOKEN } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic, connectProvider, type Parameters, PROVIDER_SYSTEM, type Provider } from './provider.ts'

const ORDERS = 'https://orders.example.com/v1'
const STOCK = 'https://stock.example.com'
/** The URI of a project of another organization. */
const FOREIGN = 'urn:example:foreign'

let provider: Provider

const manage = (method: string, path: string, body: object) =>
  provider.system.fetch(`/management/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function addProject(id: string, resourceUri: string, organizationId = 'acme') {
  const project = { id, name: id, organizationId, resourceUri }
  const { status, text } = await manage('POST', '/projects', project)
  expect(status, text).toBe(201)
}

beforeAll(async () => {
  provider = await connectProvider(await startSystem({ ...PROVIDER_SYSTEM, oauthMetadata: true }))
  const organization = { id: 'else', name: 'Else', primaryDomain: 'else.localhost' }
  expect((await manage('POST', '/organizations', organization)).status).toBe(201)
  await addProject('orders', ORDERS)
  await addProject('stock', STOCK)
  await addProject('foreign', FOREIGN, 'else')
}, 60_000)
afterAll(() => provider?.stop())

const audience = (token: string) => [...[decodeJwt(token).aud ?? []].flat()].sort()
const token = (form: Parameters, client = 'jwt') => provider.post('/oauth/v2/token', form, basic(client))
const several = (...uris: readonly string[]) => uris.map((uri) => ['resource', uri] as [string, string])

/** Signs in with both APIs named, and returns the tokens of a request for one of them or for all. */
async function signIn(more: Parameters = {}) {
  const verifier = oidc.randomPKCECodeVerifier()
  const code_challenge = await oidc.calculatePKCECodeChallenge(verifier)
  const parameters = {
    ...{ client_id: 'jwt', scope: 'openid offline_access', code_challenge, code_challenge_method: 'S256' },
    resource: `${ORDERS} ${STOCK}`,
  }
  const response = await provider.authorize(parameters)
  const config = await provider.client('jwt')
  const checks = { pkceCodeVerifier: verifier, idTokenExpected: true }
  return { config, tokens: await oidc.authorizationCodeGrant(config, response.received(), checks, more) }
}

describe('RFC 8707 section 2: requests that name an API', () => {
  it('get an access token whose audience has it, and an ID token for the client alone', async () => {
    const { tokens } = await signIn()
    expect(audience(tokens.access_token)).toEqual(['jwt', 'portal', 'orders', 'stock', ORDERS, STOCK].sort())
    expect(audience(tokens.id_token ?? '')).not.toContain(ORDERS)
  })

  it('take the parameter repeated, in a pushed request too', async () => {
    const browser = provider.system.newBrowser()
    const url = new URL(provider.authorizationUrl({ client_id: 'jwt' }), provider.issuer)
    for (const [name, value] of several(ORDERS, STOCK)) url.searchParams.append(name, value)
    expect((await browser.open(url.pathname + url.search)).body).toContain('id="login-name"')
    url.searchParams.append('resource', 'https://unknown.example')
    expect((await browser.open(url.pathname + url.search)).headers.get('location')).toContain(
      'error=invalid_target',
    )
    const pushed = await provider.post('/oauth/v2/par', url.searchParams, basic('jwt'))
    expect(pushed.json.error).toBe('invalid_target')
    url.searchParams.delete('resource', 'https://unknown.example')
    expect((await provider.post('/oauth/v2/par', url.searchParams, basic('jwt'))).status).toBe(201)
  })

  it('are refused in the same words for an unknown API and for one that does not allow the client', async () => {
    const answers = [
      'https://unknown.example',
      FOREIGN,
      'orders',
      'https://orders.example.com/v1/',
      '#x',
    ].map(async (resource) => {
      const { parameters } = await provider.authorize({ client_id: 'jwt', resource })
      const { status, json } = await token({ grant_type: 'client_credentials', resource }, 'machine')
      expect([status, json.error]).toEqual([400, 'invalid_target'])
      expect(json.error_description).toBe(parameters.get('error_description'))
      return [parameters.get('error'), json.error_description]
    })
    expect(new Set((await Promise.all(answers)).map(String)).size).toBe(1)
    const many = Array.from({ length: 21 }, (_, index) => `urn:example:${index}`).join(' ')
    const tooMany = await token({ grant_type: 'client_credentials', resource: many }, 'machine')
    expect(tooMany.json.error).toBe('invalid_target')
    await manage('PATCH', '/projects/foreign', { allowedAudiences: ['machine'] })
    const allowed = () => token({ grant_type: 'client_credentials', resource: FOREIGN }, 'machine')
    await expect.poll(async () => (await allowed()).status).toBe(200)
  })
})

describe('RFC 8707 section 2.2: requests for tokens', () => {
  it('narrow the access token to the named APIs, and not the grant', async () => {
    const { config, tokens } = await signIn({ resource: ORDERS })
    expect(audience(tokens.access_token)).toEqual(['orders', ORDERS].sort())
    expect(audience(tokens.id_token ?? '')).toContain('jwt')
    const stock = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '', { resource: STOCK })
    expect(audience(stock.access_token)).toEqual(['stock', STOCK].sort())
    const own = { resource: ORDERS, scope: 'openid offline_access' }
    const orders = await oidc.refreshTokenGrant(config, stock.refresh_token ?? '', own)
    expect(audience(orders.access_token)).toEqual(['orders', ORDERS].sort())
    const all = await oidc.refreshTokenGrant(config, orders.refresh_token ?? '', { resource: ' ' })
    expect(audience(all.access_token)).toContain('jwt')
  })

  it('are refused for an API beyond the grant, and spend neither the code nor the refresh token', async () => {
    await addProject('later', 'https://later.example.com')
    const { parameters } = await provider.authorize({
      client_id: 'jwt',
      scope: 'openid offline_access',
      resource: ORDERS,
    })
    const code = { grant_type: 'authorization_code', code: parameters.get('code') ?? '' }
    const redirect_uri = String(
      new URL(provider.authorizationUrl(), provider.issuer).searchParams.get('redirect_uri'),
    )
    const redeem = (resource: string) => token({ ...code, redirect_uri, resource })
    for (const resource of ['https://later.example.com', STOCK]) {
      expect((await redeem(resource)).json.error).toBe('invalid_target')
    }
    const { status, json } = await redeem(ORDERS)
    expect(status).toBe(200)
    const refresh = (resource: string) =>
      token({ grant_type: 'refresh_token', refresh_token: String(json.refresh_token), resource })
    expect((await refresh(STOCK)).json.error).toBe('invalid_target')
    expect((await refresh(ORDERS)).status).toBe(200)
  })

  it('without an authorization are for the named API alone, as an exchange is', async () => {
    const form = new URLSearchParams([['grant_type', 'client_credentials'], ...several(ORDERS, STOCK)])
    const machine = await provider.post('/oauth/v2/token', form, basic('machine'))
    const introspected = await provider.introspect(String(machine.json.access_token))
    expect(introspected).toEqual({ active: false })
    expect(machine.json.scope).toContain('orders')
    const { tokens } = await signIn()
    const exchanged = (more: Parameters) =>
      token(
        {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          subject_token: tokens.access_token,
          subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
          requested_token_type: 'urn:ietf:params:oauth:token-type:jwt',
          ...more,
        },
        'exchanger',
      )
    for (const more of [{ resource: ORDERS }, { audience: ORDERS }, { audience: 'orders' }]) {
      const { status, json, text } = await exchanged(more)
      expect(status, text).toBe(200)
      expect(audience(String(json.access_token))).toEqual(['orders', ORDERS].sort())
    }
    const beyond = await exchanged({ resource: 'https://later.example.com' })
    expect(beyond.json.error).toBe('invalid_target')
  })
})

describe('the metadata of the issuer and its own APIs', () => {
  const metadata = (path: string) => provider.system.fetch(`/.well-known/${path}`)

  it('RFC 8414 section 3: is the discovery document', async () => {
    const { status, text } = await metadata('oauth-authorization-server')
    expect([status, text]).toEqual([200, (await metadata('openid-configuration')).text])
  })

  it('RFC 9728 section 3: names each API by the URI that resource takes', async () => {
    for (const path of ['/management/v1', '/admin/v1']) {
      const { status, json } = await metadata(`oauth-protected-resource${path}`)
      expect([status, json]).toMatchObject([200, { authorization_servers: [provider.issuer] }])
      expect(json.resource).toBe(`${provider.issuer}${path}`)
    }
    expect((await metadata('oauth-protected-resource')).status).toBe(404)
    const form = { grant_type: 'client_credentials', resource: `${provider.issuer}/management/v1` }
    const robot = await provider.post('/oauth/v2/token', form, basic('robot'))
    const answer = await provider.system.fetch('/management/v1/organizations', {
      headers: { authorization: `Bearer ${robot.json.access_token}` },
    })
    // 403, since it has no role; a token that is not for the API gets 401.
    expect([robot.status, answer.status]).toEqual([200, 403])
    // An application without mayCallApi.
    expect((await token(form, 'machine')).json.error).toBe('invalid_scope')
    const { parameters } = await provider.authorize({ resource: form.resource })
    expect(parameters.get('error')).toBe('invalid_scope')
  })
})

it('one URI belongs to one project, whichever organization asks', async () => {
  const taken = await manage('PATCH', '/projects/foreign', { resourceUri: ORDERS })
  expect([taken.status, taken.text]).toEqual([409, expect.stringContaining('resourceUri')])
  for (const resourceUri of [
    'https://a.example/admin/v1',
    'orders',
    'https://a.example/#f',
    'https://a.example/ b',
    '/v1',
    'https://',
    '',
  ]) {
    expect((await manage('PATCH', '/projects/foreign', { resourceUri })).status).toBe(400)
  }
  expect((await manage('PATCH', '/projects/foreign', { resourceUri: null })).status).toBe(200)
})
