// RFC 8705 from end to end over TLS: openid-client as an independent client, and requests that it does not send.

import { request } from 'node:http'
import { BlockList } from 'node:net'
import {
  type CertificateAuthority,
  createCertificateAuthority,
  createSelfSigned,
  type OwnCertificate,
} from '@signet/testing/client-certificates'
import { createProofKey } from '@signet/testing/dpop-proof'
import { createRunningClock } from '@signet/testing/fake-clock'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { oauthDirectory, REDIRECT_URI, SECRET } from '@signet/testing/system/oauth-directory'
import { createOAuthEnvironments, type OAuthEnvironment } from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { createTlsFetch, type TlsFetch } from '@signet/testing/tls-fetch'
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const BOUND_GRANTS = ['client_credentials', 'authorization_code', 'refresh_token', EXCHANGE]
const BY_NAME = { authMethod: 'tls_client_auth', tlsClientAuthSubjectDn: 'CN=payments,O=Example' } as const
const API = 'openid urn:service:iam:org:project:id:signet:aud'
const CREDENTIALS = { grant_type: 'client_credentials' } as const
const DAY_MS = 86_400_000

const clock = createRunningClock()
let system: InProcessSystem
let oauth: OAuthEnvironment
let server: CertificateAuthority
let authority: CertificateAuthority
let foreign: CertificateAuthority
let named: OwnCertificate
let selfSigned: OwnCertificate
let metadata: oidc.ServerMetadata

beforeAll(async () => {
  ;[server, authority, foreign] = await Promise.all([
    createCertificateAuthority('CN=Servers'),
    createCertificateAuthority('CN=Clients'),
    createCertificateAuthority('CN=Clients'),
  ])
  named = await authority.issue({ subject: 'O=Example, CN=payments' })
  selfSigned = await createSelfSigned()
  const trustedProxies = new BlockList()
  trustedProxies.addAddress('127.0.0.1')
  system = await startSystem({
    mode: 'in-process',
    document: directoryWithCertificates(),
    clock,
    trustedProxies,
    mutualTls: {
      server: await server.issue({ subject: 'CN=localhost', names: [{ type: 'dns', value: 'localhost' }] }),
      authorities: [authority.certificate],
    },
  })
  ;[oauth] = createOAuthEnvironments(system) as [OAuthEnvironment]
  metadata = (await oauth.call('/.well-known/openid-configuration')).json as unknown as oidc.ServerMetadata
}, 60_000)
afterAll(() => system?.stop())

function directoryWithCertificates() {
  const directory = oauthDirectory()
  const application = (clientId: string, settings: object) => ({
    id: clientId,
    clientId,
    name: clientId,
    type: 'web',
    responseTypes: ['code'],
    grantTypes: ['client_credentials', 'authorization_code'],
    redirectUris: [REDIRECT_URI],
    ...settings,
  })
  const applications = [
    application('named', { authMethod: 'tls_client_auth', tlsClientAuthSubjectDn: 'CN=payments,O=Example' }),
    application('self-signed', {
      authMethod: 'self_signed_tls_client_auth',
      keys: [{ id: 'k', publicKeyJwk: selfSigned.certificate.publicKey.export({ format: 'jwk' }) }],
    }),
    application('named-api', {
      type: 'api',
      responseTypes: [],
      grantTypes: [],
      redirectUris: [],
      authMethod: 'tls_client_auth',
      tlsClientAuthSubjectDn: 'CN=payments,O=Example',
    }),
    application('tls-bound', {
      ...BY_NAME,
      tlsClientCertificateBoundAccessTokens: true,
      grantTypes: BOUND_GRANTS,
    }),
    application('bound-jwt', {
      ...BY_NAME,
      tlsClientCertificateBoundAccessTokens: true,
      accessTokenType: 'jwt',
      mayCallApi: true,
    }),
    application('bound-public', {
      type: 'native',
      authMethod: 'none',
      tlsClientCertificateBoundAccessTokens: true,
      grantTypes: ['authorization_code', 'refresh_token'],
    }),
    application('fapi', {
      ...BY_NAME,
      fapi2: true,
      tlsClientCertificateBoundAccessTokens: true,
      idTokenSigningAlg: 'ES256',
      grantTypes: ['authorization_code'],
    }),
  ]
  return {
    ...directory,
    features: { oidcTokenExchange: true },
    organizations: directory.organizations?.map((organization) => ({
      ...organization,
      projects: organization.projects?.map((project) =>
        project.id === 'portal'
          ? { ...project, applications: [...(project.applications ?? []), ...applications] }
          : project,
      ),
    })),
  }
}

const tls = (own?: OwnCertificate, ...chain: OwnCertificate[]): TlsFetch =>
  createTlsFetch(server.cert, own, chain)

/** A stock client that uses the aliases of discovery. */
function client(clientId: string, auth: oidc.ClientAuth, own?: OwnCertificate): oidc.Configuration {
  const skew = Math.round((clock.now().getTime() - Date.now()) / 1000)
  const config = new oidc.Configuration(
    metadata,
    clientId,
    { use_mtls_endpoint_aliases: true, [oidc.clockSkew]: skew },
    auth,
  )
  const fetchTls = tls(own)
  config[oidc.customFetch] = (url, options) =>
    url.startsWith('https:') ? fetchTls(url, options as RequestInit) : fetch(url, options as RequestInit)
  oidc.allowInsecureRequests(config)
  return config
}

/** POSTs a form to an endpoint with a certificate. */
async function post(path: string, form: Record<string, string>, fetchTls: TlsFetch, headers = {}) {
  const origin = system.replicas[0]?.mutualTlsOrigin ?? ''
  const response = await fetchTls(origin + path, { method: 'POST', body: new URLSearchParams(form), headers })
  const text = await response.text()
  const json = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>
  return { status: response.status, json, text }
}

/** A request to the port of the issuer, as a proxy for the host of certificates sends it on; fetch does not set Host. */
function behindProxy(path: string, form: Record<string, string>, headers: Record<string, string>) {
  const { host } = new URL(system.replicas[0]?.mutualTlsOrigin ?? '')
  const method = Object.keys(form).length === 0 ? 'GET' : 'POST'
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const sent = request(new URL(path, system.issuer), {
    method,
    headers: { ...headers, ...(method === 'POST' && type), host },
  })
  return new Promise<{ status: number | undefined; json: Record<string, unknown> }>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode, json: text.startsWith('{') ? JSON.parse(text) : {} })
    })
    sent.end(method === 'POST' ? String(new URLSearchParams(form)) : undefined)
  })
}

const token = (clientId: string, fetchTls: TlsFetch, form: Record<string, string> = CREDENTIALS) =>
  post('/oauth/v2/token', { client_id: clientId, ...form }, fetchTls)

const refused = (description: string) => ({
  status: 401,
  json: { error: 'invalid_client', error_description: expect.stringContaining(description) },
})

describe('discovery', () => {
  it('names methods and aliases where certificates are on', () => {
    const { mutualTlsOrigin } = system.replicas[0] ?? {}
    expect(metadata).toMatchObject({
      token_endpoint_auth_methods_supported: expect.arrayContaining([
        'tls_client_auth',
        'self_signed_tls_client_auth',
      ]),
      mtls_endpoint_aliases: {
        token_endpoint: `${mutualTlsOrigin}/oauth/v2/token`,
        revocation_endpoint: `${mutualTlsOrigin}/oauth/v2/revoke`,
        introspection_endpoint: `${mutualTlsOrigin}/oauth/v2/introspect`,
        userinfo_endpoint: `${mutualTlsOrigin}/oidc/v1/userinfo`,
        pushed_authorization_request_endpoint: `${mutualTlsOrigin}/oauth/v2/par`,
      },
    })
  })
})

describe('client authentication by certificate', () => {
  it.each([
    ['named', () => named],
    ['self-signed', () => selfSigned],
  ])('openid-client as %s gets, introspects and revokes tokens', async (clientId, own) => {
    const config = client(clientId, oidc.TlsClientAuth(), own())
    const tokens = await oidc.clientCredentialsGrant(config)
    expect(tokens.token_type).toBe('bearer')
    const introspected = await oidc.tokenIntrospection(config, tokens.access_token)
    expect(introspected).toMatchObject({ active: true, client_id: clientId })
    await oidc.tokenRevocation(config, tokens.access_token)
    expect(await oidc.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false })
  })

  it('pushes an authorization request and introspects as an API', async () => {
    const config = client('named', oidc.TlsClientAuth(), named)
    const url = await oidc.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: REDIRECT_URI,
      scope: 'openid',
    })
    expect(url.searchParams.get('request_uri')).toMatch(/^urn:/)
    const api = client('named-api', oidc.TlsClientAuth(), named)
    const { access_token: accessToken } = await oidc.clientCredentialsGrant(config)
    expect(await oidc.tokenIntrospection(api, accessToken)).toMatchObject({ active: true })
  })

  it.each<[string, string, () => Promise<TlsFetch> | TlsFetch, string]>([
    ['no certificate', 'named', () => tls(), 'no certificate came with the request'],
    ['no certificate', 'self-signed', () => tls(), 'no certificate came with the request'],
    ['another name', 'named', async () => tls(await authority.issue()), 'does not have the registered name'],
    [
      'another authority of the same name',
      'named',
      async () => tls(await foreign.issue({ subject: 'O=Example, CN=payments' })),
      'no configured authority signed it',
    ],
    [
      'a certificate of its own',
      'named',
      async () => tls(await createSelfSigned({ subject: 'O=Example, CN=payments' })),
      'no configured authority signed it',
    ],
    [
      'the certificate of another client',
      'named',
      () => tls(selfSigned),
      'no configured authority signed it',
    ],
    ['the certificate of another client', 'self-signed', () => tls(named), 'its key is not registered'],
    [
      'one that is not valid yet',
      'named',
      async () =>
        tls(
          await authority.issue({
            subject: 'O=Example, CN=payments',
            notBefore: new Date(Date.now() + DAY_MS / 2),
          }),
        ),
      'not valid yet',
    ],
  ])('refuses %s of %s', async (_, clientId, fetchTls, description) => {
    expect(await token(clientId, await fetchTls())).toMatchObject(refused(description))
  })

  it('takes a chain over an authority that the client sends', async () => {
    const below = await authority.below()
    const own = await below.issue({ subject: 'O=Example, CN=payments' })
    expect(await token('named', tls(own, below))).toMatchObject({ status: 200 })
    expect(await token('named', tls(own))).toMatchObject(refused('no chain to one came with it'))
  })

  it('refuses other credentials of such a client, and a certificate instead of a secret', async () => {
    const basic = { authorization: `Basic ${Buffer.from(`named:${SECRET}`).toString('base64')}` }
    expect(await post('/oauth/v2/token', CREDENTIALS, tls(named), basic)).toMatchObject(
      refused('its authMethod is tls_client_auth'),
    )
    expect(await token('backend', tls(named))).toMatchObject(refused('its authMethod is client_secret_basic'))
  })

  it('refuses a certificate that expires while its connection lasts', async () => {
    const own = await authority.issue({
      subject: 'O=Example, CN=payments',
      notAfter: new Date(clock.now().getTime() + 3_600_000),
    })
    expect(await token('named', tls(own))).toMatchObject({ status: 200 })
    clock.advance(3_600_000)
    expect(await token('named', tls(own))).toMatchObject(refused('has expired'))
  })
})

describe('the port for certificates', () => {
  it.each(['/ui/login', '/oauth/v2/authorize', '/oidc/v1/end_session', '/console', '/', '/account'])(
    'does not serve %s',
    async (path) => {
      const response = await tls(named)(`${system.replicas[0]?.mutualTlsOrigin}${path}`)
      expect(response.status).toBe(404)
    },
  )

  it('prefers the certificate of the connection to a header of the same peer', async () => {
    const header = { 'client-cert': `:${named.certificate.raw.toString('base64')}:` }
    const form = { client_id: 'named', ...CREDENTIALS }
    expect(await post('/oauth/v2/token', form, tls(selfSigned), header)).toMatchObject(
      refused('no configured authority signed it'),
    )
  })
})

describe('the header of a trusted proxy', () => {
  const form = { client_id: 'named', ...CREDENTIALS }
  const header = () => ({ 'client-cert': `:${named.certificate.raw.toString('base64')}:` })

  it('authenticates in requests to the host for certificates alone', async () => {
    expect(await behindProxy('/oauth/v2/token', form, header())).toMatchObject({ status: 200 })
    const elsewhere = await oauth.post('/oauth/v2/token', form, undefined, header())
    expect(elsewhere).toMatchObject(refused('no certificate came with the request'))
  })

  it('counts for nothing on the port that asks for certificates itself: it is of the client', async () => {
    expect(await post('/oauth/v2/token', form, tls(), header())).toMatchObject(
      refused('no certificate came with the request'),
    )
  })

  it('is refused when it holds no certificate', async () => {
    const answer = await behindProxy('/oauth/v2/token', form, { 'client-cert': ':AAAA:' })
    expect(answer).toMatchObject({ status: 400, json: { error: 'invalid_request' } })
  })
})

describe('tokens that are bound to a certificate', () => {
  type Session = Parameters<OAuthEnvironment['code']>[0]

  async function redeem(clientId: string, own: OwnCertificate | undefined, session: Session = {}) {
    const code = await oauth.code({ clientId, ...session })
    return token(clientId, tls(own), { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI })
  }

  async function userinfo(accessToken: unknown, own?: OwnCertificate, headers: Record<string, string> = {}) {
    const response = await tls(own)(`${system.replicas[0]?.mutualTlsOrigin}/oidc/v1/userinfo`, {
      headers: { authorization: `Bearer ${String(accessToken)}`, ...headers },
    })
    return { status: response.status, challenge: response.headers.get('www-authenticate') ?? '' }
  }

  const bySameClient = async () => ({
    own: named,
    other: await authority.issue({ subject: 'O=Example, CN=payments' }),
  })

  it('say so in introspection and in a JWT, and stay of type Bearer', async () => {
    const opaque = await redeem('tls-bound', named)
    expect(opaque.json).toMatchObject({ token_type: 'Bearer' })
    const cnf = { 'x5t#S256': named.thumbprint }
    const { json } = await oauth.introspect(opaque.json.access_token)
    expect(json).toMatchObject({ active: true, token_type: 'Bearer', cnf })
    const jwt = await redeem('bound-jwt', named)
    expect(decodeJwt(String(jwt.json.access_token))).toMatchObject({ cnf })
    const unbound = await token('named', tls(named))
    expect((await oauth.introspect(unbound.json.access_token, { basic: 'api' })).json).not.toHaveProperty(
      'cnf',
    )
  })

  it.each(['tls-bound', 'bound-jwt'])(
    'count at userinfo with the certificate alone: %s',
    async (clientId) => {
      const { own, other } = await bySameClient()
      const { json } = await redeem(clientId, own)
      expect(await userinfo(json.access_token, own)).toMatchObject({ status: 200 })
      for (const wrong of [undefined, other, selfSigned]) {
        const answer = await userinfo(json.access_token, wrong)
        expect(answer).toEqual({
          status: 401,
          challenge: expect.stringMatching(/^Bearer .*error="invalid_token"/),
        })
      }
      expect((await oauth.userinfo(json.access_token)).status).toBe(401)
      const header = { 'client-cert': `:${own.certificate.raw.toString('base64')}:` }
      const authorization = `Bearer ${String(json.access_token)}`
      expect(await behindProxy('/oidc/v1/userinfo', {}, { authorization, ...header })).toMatchObject({
        status: 200,
      })
      expect(await userinfo(json.access_token, undefined, header)).toMatchObject({ status: 401 })
      expect(await userinfo(json.access_token, other, header)).toMatchObject({ status: 401 })
      const plain = { headers: { authorization, ...header } }
      expect((await oauth.call('/oidc/v1/userinfo', plain)).status).toBe(401)
    },
  )

  it('do not count by the scheme DPoP, with a proof and the certificate', async () => {
    const { json } = await redeem('tls-bound', named)
    const key = await createProofKey(clock.now)
    const url = `${system.issuer}/oidc/v1/userinfo`
    const dpop = await key.proof({ method: 'GET', url, accessToken: String(json.access_token) })
    const headers = { authorization: `DPoP ${String(json.access_token)}`, dpop }
    expect(await userinfo(json.access_token, named, headers)).toMatchObject({ status: 401 })
  })

  it('are refused to a request without a certificate, and to one with a DPoP proof', async () => {
    expect(await redeem('bound-public', undefined)).toMatchObject({
      status: 400,
      json: {
        error: 'invalid_request',
        error_description: expect.stringContaining('tlsClientCertificateBoundAccessTokens'),
      },
    })
    const key = await createProofKey(clock.now)
    const dpop = await key.proof({ method: 'POST', url: `${system.issuer}/oauth/v2/token` })
    const form = { client_id: 'tls-bound', ...CREDENTIALS }
    expect(await post('/oauth/v2/token', form, tls(named), { dpop })).toMatchObject({
      status: 400,
      json: { error: 'invalid_request', error_description: expect.stringContaining('no DPoP proof') },
    })
  })

  it('are refreshed by a public client with its certificate alone, and another one ends nothing', async () => {
    const own = await createSelfSigned()
    const { json } = await redeem('bound-public', own, { scope: 'openid offline_access' })
    const refresh = (value: unknown, by?: OwnCertificate) =>
      token('bound-public', tls(by), { grant_type: 'refresh_token', refresh_token: String(value) })
    expect(await refresh(json.refresh_token, selfSigned)).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    })
    expect(await refresh(json.refresh_token)).toMatchObject({
      status: 400,
      json: { error: 'invalid_request' },
    })
    const refreshed = await refresh(json.refresh_token, own)
    expect(refreshed.status).toBe(200)
    expect(await userinfo(refreshed.json.access_token, own)).toMatchObject({ status: 200 })
    expect((await oauth.introspect(refreshed.json.access_token)).json).toMatchObject({
      cnf: { 'x5t#S256': own.thumbprint },
    })
  })

  it('are refreshed by a client that authenticates with any of its certificates', async () => {
    const { own, other } = await bySameClient()
    const { json } = await redeem('tls-bound', own, { scope: 'openid offline_access' })
    const form = { grant_type: 'refresh_token', refresh_token: String(json.refresh_token) }
    const refreshed = await token('tls-bound', tls(other), form)
    expect(refreshed.status).toBe(200)
    expect(await userinfo(refreshed.json.access_token, other)).toMatchObject({ status: 200 })
    expect(await userinfo(refreshed.json.access_token, own)).toMatchObject({ status: 401 })
  })

  it.each([
    ['bound-jwt', '/management/v1/organizations'],
    ['bound-jwt', '/management/v1/keys'],
    ['bound-jwt', '/admin/v1/jobs'],
  ])('of %s count at %s with the certificate alone', async (clientId, path) => {
    const { json } = await redeem(clientId, named, { scope: API, userId: 'boss' })
    const call = async (own?: OwnCertificate) => {
      const headers = { authorization: `Bearer ${String(json.access_token)}` }
      return (await tls(own)(`${system.replicas[0]?.mutualTlsOrigin}${path}`, { headers })).status
    }
    expect([200, 403]).toContain(await call(named))
    expect(await call(selfSigned)).toBe(401)
    expect(await call()).toBe(401)
    const plain = await oauth.manage('GET', path, undefined, String(json.access_token))
    expect(plain.status).toBe(401)
  })

  it('are exchanged over a connection with the certificate alone', async () => {
    const { own, other } = await bySameClient()
    const { json } = await redeem('tls-bound', own)
    const exchange = (by: OwnCertificate) =>
      token('tls-bound', tls(by), {
        grant_type: EXCHANGE,
        subject_token: String(json.access_token),
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      })
    expect(await exchange(other)).toMatchObject({ status: 400, json: { error: 'invalid_request' } })
    expect(await exchange(own)).toMatchObject({ status: 200 })
  })

  it('end with a revocation at once', async () => {
    const { json } = await redeem('tls-bound', named)
    await post('/oauth/v2/revoke', { client_id: 'tls-bound', token: String(json.access_token) }, tls(named))
    expect(await userinfo(json.access_token, named)).toMatchObject({ status: 401 })
    expect((await oauth.introspect(json.access_token)).json).toEqual({ active: false })
  })

  it('serve FAPI 2.0 in place of DPoP', async () => {
    const config = client('fapi', oidc.TlsClientAuth(), named)
    const url = await oidc.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: REDIRECT_URI,
      scope: 'openid',
      code_challenge: await oidc.calculatePKCECodeChallenge(oidc.randomPKCECodeVerifier()),
      code_challenge_method: 'S256',
    })
    expect(url.searchParams.get('request_uri')).toMatch(/^urn:/)
    const tokens = await redeem('fapi', named)
    expect(tokens).toMatchObject({ status: 200, json: { token_type: 'Bearer' } })
    expect(await userinfo(tokens.json.access_token, named)).toMatchObject({ status: 200 })
    expect(await redeem('fapi', undefined)).toMatchObject({ status: 401 })
  })

  it('exclude dpopBoundAccessTokens, and tokens of the authorization endpoint', async () => {
    const change = await oauth.manage('PATCH', '/management/v1/applications/tls-bound', {
      dpopBoundAccessTokens: true,
    })
    expect([change.status, change.json.message]).toEqual([400, expect.stringContaining('excludes')])
    expect(metadata.tls_client_certificate_bound_access_tokens).toBe(true)
  })
})
