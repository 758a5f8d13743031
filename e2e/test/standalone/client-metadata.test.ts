// OAuth Client ID Metadata Document (draft-ietf-oauth-client-id-metadata-document): openid-client as an independent client.

import { generateKeyPairSync } from 'node:crypto'
import { LOOPBACK } from '@signet/platform/outbound-http/address-policy'
import type { HttpBrowser, Page } from '@signet/testing/http-browser'
import { openChromium } from '@signet/testing/system/chromium'
import { ADMIN_TOKEN } from '@signet/testing/system/oauth-directory'
import { discover } from '@signet/testing/system/sign-in-journey'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readResponse } from './authorization-response.ts'
import { type DocumentServer, startDocumentServer } from './client-documents.ts'
import { connectProvider, type Parameters, PROVIDER_SYSTEM, type Provider } from './provider.ts'

const ORDERS = 'https://orders.example.com/v1'
const CLOSED = 'https://closed.example.com/v1'

let provider: Provider
let documents: DocumentServer
/** The client secret of the API `orders`. */
let secret: string

const manage = (method: string, path: string, body: object) =>
  provider.system.fetch(`/management/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function create(path: string, body: object) {
  const { status, text, json } = await manage('POST', path, body)
  expect(status, text).toBe(201)
  return json
}

beforeAll(async () => {
  documents = await startDocumentServer()
  const clientMetadata = { projectId: 'agents', hosts: { allowed: [], refused: ['bad.localhost'] } }
  provider = await connectProvider(
    await startSystem({ ...PROVIDER_SYSTEM, clientMetadata, trustedProxies: LOOPBACK }),
  )
  await create('/organizations', { id: 'agents', name: 'Agents', primaryDomain: 'agents.localhost' })
  await create('/projects', { id: 'agents', name: 'Agents', organizationId: 'agents' })
  await create('/projects', { id: 'orders', name: 'Orders', organizationId: 'acme', resourceUri: ORDERS })
  await create('/projects', { id: 'closed', name: 'Closed', organizationId: 'agents', resourceUri: CLOSED })
  await create('/projects/orders/project-grants', { organizationId: 'agents' })
  const api = { name: 'Orders', projectId: 'orders', type: 'api', clientId: 'orders-api' }
  secret = (await create('/applications', api)).clientSecret as string
}, 60_000)
afterAll(async () => {
  await documents?.stop()
  await provider?.stop()
})

interface Request {
  readonly page: Page
  readonly browser: HttpBrowser
  readonly verifier: string
}

let networks = 0

/** A browser in a network of its own. */
function newBrowser(): HttpBrowser {
  const browser = provider.system.newBrowser()
  networks += 1
  browser.forwardedFor = `203.0.113.${networks}`
  return browser
}

/** Opens an authorization request of a client and signs alice in. */
async function begin(
  clientId: string,
  { login = 'alice', ...parameters }: Parameters = {},
  browser = newBrowser(),
): Promise<Request> {
  const verifier = oidc.randomPKCECodeVerifier()
  const page = await provider.open(browser, {
    ...{
      client_id: clientId,
      redirect_uri: `${documents.url}/callback`,
      scope: 'openid email offline_access',
    },
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  })
  const asked = page.body.includes('id="login-name"')
  const credentials = { login_name: login, password: PASSWORD }
  return { page: asked ? await browser.submit(page, credentials) : page, browser, verifier }
}

/** Allows what the consent page names and redeems the code. */
async function allow(clientId: string, { page, browser, verifier }: Request, more: Parameters = {}) {
  const response = readResponse(await browser.submit(page, { decision: 'allow' }))
  const config = await discover(provider.issuer, clientId, oidc.None())
  const checks = { pkceCodeVerifier: verifier, idTokenExpected: true }
  return { config, tokens: await oidc.authorizationCodeGrant(config, response.received(), checks, more) }
}

async function applicationsOf(clientId: string) {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const { json } = await provider.system.fetch('/management/v1/applications?projectId=agents', { headers })
  const { items } = json as { items: readonly { readonly id: string; readonly clientId: string }[] }
  return items.filter((one) => one.clientId === clientId)
}

/** The error behind the link of a page. Requires that the browser is not redirected: anyone may publish a document. */
function errorOf(page: Page): string | null {
  expect(page.headers.get('location')).toBeNull()
  expect(page.body).not.toContain('<script')
  const link = /id="client-return" href="([^"]+)"/.exec(page.body)?.[1] ?? ''
  expect(link).toContain(`${documents.url}/callback?`)
  return new URL(link.replaceAll('&amp;', '&')).searchParams.get('error')
}

const refusal = (page: Page) => ({ status: page.status, body: page.body.replaceAll(/<[^>]+>/g, '') })

describe('a client that its document describes', () => {
  it('signs a person in after consent, and refreshes', async () => {
    const clientId = documents.publish('/agent.json')
    const request = await begin(clientId, { resource: ORDERS })
    const text = request.page.body
    expect(text).toContain('id="consent-unregistered"')
    expect(text).toContain('id="consent-loopback"')
    expect(text).toContain(`127.0.0.1:${documents.port} (Agent)`)
    expect(text).not.toContain('id="consent-owner"')
    const { config, tokens } = await allow(clientId, request)
    expect(tokens.claims()).toMatchObject({ sub: 'alice', aud: clientId })
    const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '', { resource: ORDERS })
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
    const api = await discover(provider.issuer, 'orders-api', oidc.ClientSecretBasic(secret))
    expect(await oidc.tokenIntrospection(api, refreshed.access_token)).toMatchObject({
      ...{ active: true, client_id: clientId, sub: 'alice', aud: ['orders', ORDERS] },
    })
    expect(await provider.introspect(refreshed.access_token)).toEqual({ active: false })
    expect((await oidc.fetchUserInfo(config, tokens.access_token, 'alice')).sub).toBe('alice')
  })

  it('is named by discovery, and not without the setting', async () => {
    const config = await discover(provider.issuer, 'web', oidc.None())
    expect(config.serverMetadata()).toMatchObject({ client_id_metadata_document_supported: true })
  })

  it('asks again each time, and gets no response without a page', async () => {
    const clientId = documents.publish('/again.json')
    const first = await begin(clientId)
    await allow(clientId, first)
    const second = await begin(clientId, {}, first.browser)
    expect(second.page.body).toContain('id="consent-allow"')
    const silent = await begin(clientId, { prompt: 'none' }, first.browser)
    expect(errorOf(silent.page)).toBe('consent_required')
  })

  it('returns at once when the person denies access, and by a button for form_post', async () => {
    const clientId = documents.publish('/denied.json')
    const { page, browser } = await begin(clientId)
    const { parameters } = readResponse(await browser.submit(page, { decision: 'deny' }))
    expect(parameters.get('error')).toBe('access_denied')
    const posted = await begin(clientId, { response_mode: 'form_post', prompt: 'none' })
    expect(posted.page.headers.get('location')).toBeNull()
    expect(posted.page.body).toContain('id="client-return"')
    expect(posted.page.body).not.toContain('<script')
  })

  it('needs PKCE, and gets only open scopes', async () => {
    const clientId = documents.publish('/scopes.json')
    const { page } = await begin(clientId, { code_challenge: '', code_challenge_method: '' })
    expect(errorOf(page)).toBe('invalid_request')
    const scope = 'email phone urn:service:iam:user:metadata urn:service:iam:org:projects:roles groups'
    const { tokens } = await allow(clientId, await begin(clientId, { scope }))
    expect(tokens.scope).toBe('openid email')
    const none = await allow(clientId, await begin(clientId, { scope: '' }))
    expect(none.tokens.scope).toBe('openid')
  })

  it('gets only the claims of open scopes when it names claims', async () => {
    const clientId = documents.publish('/claims.json')
    const claims = JSON.stringify({
      id_token: { phone_number: null, address: null, nickname: null },
      userinfo: { phone_number: { essential: true }, address: null },
    })
    const request = await begin(clientId, { scope: 'openid email', claims })
    expect(request.page.body).not.toMatch(/<li>[^<]*(phone|postal)/i)
    const { config, tokens } = await allow(clientId, request)
    const told = { ...tokens.claims(), ...(await oidc.fetchUserInfo(config, tokens.access_token, 'alice')) }
    expect(told).toMatchObject({ sub: 'alice', email: expect.any(String) })
    expect(told).not.toHaveProperty('phone_number')
    expect(told).not.toHaveProperty('address')
  })

  it('reaches no API of its own organization, and not the APIs of Signet', async () => {
    const clientId = documents.publish('/reach.json')
    for (const resource of [CLOSED, `${provider.issuer}/management/v1`]) {
      const { page } = await begin(clientId, { resource })
      expect(errorOf(page)).toMatch(/^invalid_(target|scope)$/)
    }
  })

  it('is shown at the account, where its access ends', async () => {
    const clientId = documents.publish('/ended.json')
    const request = await begin(clientId)
    const { browser } = request
    const { config, tokens } = await allow(clientId, request)
    const page = await browser.open('/ui/applications')
    expect(page.body).toContain(`value="${clientId}"`)
    await browser.submit(page, { client_id: clientId })
    await expect(oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toThrow()
    expect((await browser.open('/ui/applications')).body).not.toContain(`value="${clientId}"`)
  })

  it('is blocked when an administrator deactivates its application', async () => {
    const clientId = documents.publish('/blocked.json')
    const { config, tokens } = await allow(clientId, await begin(clientId))
    const [application] = await applicationsOf(clientId)
    const { status, text } = await manage('PATCH', `/applications/${application?.id}`, { state: 'inactive' })
    expect(status, text).toBe(200)
    await expect(oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toThrow()
    await expect
      .poll(async () => (await begin(clientId)).page.body)
      .toContain('client_id is not the client id')
  })

  it('keeps tokens ended when its deleted application comes back', async () => {
    const clientId = documents.publish('/deleted.json')
    const { config, tokens } = await allow(clientId, await begin(clientId))
    const [application] = await applicationsOf(clientId)
    const { status, text } = await manage('DELETE', `/applications/${application?.id}`, {})
    expect(status, text).toBe(204)
    await expect(oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toThrow()
    // A code of the first second may still name the deleted application.
    const again = async () => allow(clientId, await begin(clientId, { login: 'carol+1' }))
    const isBack = () =>
      again().then(
        () => true,
        () => false,
      )
    await expect.poll(isBack).toBe(true)
    expect(await applicationsOf(clientId)).toHaveLength(1)
    await expect(oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toThrow()
    await expect(oidc.fetchUserInfo(config, tokens.access_token, 'alice')).rejects.toThrow()
  })

  it('pushes its request', async () => {
    const clientId = documents.publish('/pushed.json')
    const config = await discover(provider.issuer, clientId, oidc.None())
    const verifier = oidc.randomPKCECodeVerifier()
    const url = await oidc.buildAuthorizationUrlWithPAR(config, {
      ...{ redirect_uri: `${documents.url}/callback`, scope: 'openid', code_challenge_method: 'S256' },
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    })
    const browser = provider.system.newBrowser()
    const page = await browser.submit(await browser.open(url.pathname + url.search), {
      ...{ login_name: 'alice', password: PASSWORD },
    })
    expect((await allow(clientId, { page, browser, verifier })).tokens.claims()?.aud).toBe(clientId)
  })

  it('becomes one application when people consent at once', async () => {
    const clientId = documents.publish('/race.json')
    const requests = await Promise.all(
      ['alice', 'carol+1', 'alice', 'carol+1'].map((login) => begin(clientId, { login })),
    )
    await Promise.all(requests.map((request) => allow(clientId, request)))
    expect(await applicationsOf(clientId)).toHaveLength(1)
  })
})

describe('a client with keys', () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { kid: 'k1', ...key.publicKey.export({ format: 'jwk' }) }
  const withKeys = (members: object) => ({ token_endpoint_auth_method: 'private_key_jwt', ...members })

  /** Publishes a document with the keys at a URL of its host. */
  function publishWithKeys(name: string): string {
    const jwks_uri = documents.answer(`/${name}-keys`, (res) =>
      res.writeHead(200, { 'content-type': 'application/jwk-set+json' }).end(JSON.stringify({ keys: [jwk] })),
    )
    return documents.publish(`/${name}.json`, withKeys({ jwks_uri }))
  }

  /** Authentication by a private key. */
  async function proof(by = key.privateKey, kid = 'k1') {
    const pkcs8 = by.export({ format: 'der', type: 'pkcs8' })
    const parameters = { name: 'ECDSA', namedCurve: 'P-256' }
    const signing = await crypto.subtle.importKey('pkcs8', new Uint8Array(pkcs8), parameters, false, ['sign'])
    return oidc.PrivateKeyJwt({ key: signing, kid })
  }

  async function redeem(clientId: string, request: Request, by: oidc.ClientAuth) {
    const response = readResponse(await request.browser.submit(request.page, { decision: 'allow' }))
    const config = await discover(provider.issuer, clientId, by)
    const checks = { pkceCodeVerifier: request.verifier, idTokenExpected: true }
    return { config, tokens: await oidc.authorizationCodeGrant(config, response.received(), checks) }
  }

  it('authenticates by them with a code, a refresh token and a revocation', async () => {
    for (const clientId of [
      publishWithKeys('keyed'),
      documents.publish('/inline.json', withKeys({ jwks: { keys: [jwk] } })),
    ]) {
      const { config, tokens } = await redeem(clientId, await begin(clientId), await proof())
      expect(tokens.claims()).toMatchObject({ sub: 'alice', aud: clientId })
      const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
      expect((await oidc.fetchUserInfo(config, refreshed.access_token, 'alice')).sub).toBe('alice')
      await oidc.tokenRevocation(config, refreshed.refresh_token ?? '')
      await expect(oidc.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toThrow()
    }
    expect(documents.readings('/keyed-keys')).toBe(1)
  })

  it('gets nothing without them, with other keys, or with keys that an administrator adds', async () => {
    const clientId = publishWithKeys('proven')
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { config, tokens } = await redeem(clientId, await begin(clientId), await proof())
    const [application] = await applicationsOf(clientId)
    const added = { publicKeyJwk: other.publicKey.export({ format: 'jwk' }) }
    const { id: kid } = await create(`/applications/${application?.id}/keys`, added)
    const byOther = [await proof(other.privateKey), await proof(other.privateKey, String(kid))]
    for (const by of [oidc.None(), ...byOther]) {
      await expect(redeem(clientId, await begin(clientId), by)).rejects.toMatchObject({
        error: 'invalid_client',
      })
      const without = await discover(provider.issuer, clientId, by)
      await expect(oidc.refreshTokenGrant(without, tokens.refresh_token ?? '')).rejects.toMatchObject({
        error: 'invalid_client',
      })
    }
    expect((await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')).access_token).toBeDefined()
  })

  it('pushes its request with them before anyone consented, and needs PKCE afterwards, too', async () => {
    const clientId = publishWithKeys('pushing')
    const verifier = oidc.randomPKCECodeVerifier()
    const parameters = {
      ...{ redirect_uri: `${documents.url}/callback`, scope: 'openid', code_challenge_method: 'S256' },
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    }
    const asPublic = await discover(provider.issuer, clientId, oidc.None())
    await expect(oidc.buildAuthorizationUrlWithPAR(asPublic, parameters)).rejects.toMatchObject({
      error: 'invalid_client',
    })
    const config = await discover(provider.issuer, clientId, await proof())
    const url = await oidc.buildAuthorizationUrlWithPAR(config, parameters)
    const browser = newBrowser()
    const page = await browser.submit(await browser.open(url.pathname + url.search), {
      ...{ login_name: 'alice', password: PASSWORD },
    })
    const { tokens } = await redeem(clientId, { page, browser, verifier }, await proof())
    expect(tokens.claims()?.aud).toBe(clientId)
    const { page: refused } = await begin(clientId, { code_challenge: '', code_challenge_method: '' })
    expect(errorOf(refused)).toBe('invalid_request')
  })

  it('has the broken rule among its refusals when its document is gone', async () => {
    const clientId = publishWithKeys('gone')
    const request = await begin(clientId)
    documents.answer('/gone.json', (res) => res.writeHead(404).end())
    await expect(redeem(clientId, request, await proof())).rejects.toMatchObject({ error: 'invalid_client' })
    const refusals = async () => {
      const path = `/management/v1/refusals?application=${encodeURIComponent(clientId)}`
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
      return (await provider.system.fetch(path, { headers })).json.items
    }
    await expect
      .poll(refusals)
      .toMatchObject([
        { reason: 'client_document_refused', values: { rule: 'it is not there, or no JSON object' } },
      ])
  })

  it('does not introspect tokens', async () => {
    const clientId = publishWithKeys('asking')
    const { config, tokens } = await redeem(clientId, await begin(clientId), await proof())
    await expect(oidc.tokenIntrospection(config, tokens.access_token)).rejects.toMatchObject({
      error: 'invalid_client',
    })
  })

  it('is refused for as long as its host does not answer with keys', async () => {
    const clientId = publishWithKeys('away')
    const request = await begin(clientId)
    documents.answer('/away-keys', (res) => res.writeHead(500).end())
    const error = await redeem(clientId, request, await proof()).catch((refused: oidc.ClientError) => refused)
    expect(error).toBeInstanceOf(oidc.ClientError)
    expect(((error as oidc.ClientError).cause as Response).status).toBe(503)
  })
})

describe('documents that are refused', () => {
  it.each([
    ['of another client', { client_id: 'https://other.example/agent.json' }, 'client_id must equal'],
    ['with a secret', { client_secret: 'x' }, 'no client_secret'],
    ['with a symmetric method', { token_endpoint_auth_method: 'client_secret_basic' }, 'must be none'],
    ['with keys of nowhere', { token_endpoint_auth_method: 'private_key_jwt' }, 'jwks or jwks_uri'],
    [
      'with keys at another host',
      { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://other.example/keys' },
      'host of the document',
    ],
    ['without redirect_uris', { redirect_uris: [] }, 'redirect_uris'],
    ['with a redirect to http', { redirect_uris: ['http://app.example/'] }, 'redirect_uris'],
    ['with a script', { redirect_uris: ['javascript:alert(1)'] }, 'redirect_uris'],
    ['with another flow', { grant_types: ['implicit'] }, 'grant_types'],
    ['of more than 5 KiB', { filler: 'x'.repeat(10_000_000) }, 'could not be read'],
  ])('one %s', async (what, members, message) => {
    const clientId = documents.publish(`/${what.replaceAll(/\W/g, '-')}.json`, members)
    const { page } = await begin(clientId)
    expect(refusal(page)).toMatchObject({ status: 400, body: expect.stringContaining(message) })
    expect(page.body).not.toContain('id="login-name"')
  })

  it('one behind a redirect, of another media type, or absent', async () => {
    const target = documents.publish('/target.json')
    const moved = documents.answer('/moved.json', (res) => res.writeHead(302, { location: target }).end())
    const html = documents.answer('/page.json', (res) =>
      res.writeHead(200, { 'content-type': 'text/html' }).end('{}'),
    )
    for (const clientId of [moved, html, `${documents.url}/absent.json`])
      expect(refusal((await begin(clientId)).page).status).toBe(400)
    expect(documents.readings('/target.json')).toBe(0)
  })

  it('one that never ends within three seconds', async () => {
    const clientId = documents.answer('/slow.json', (res) => {
      res.writeHead(200, { 'content-type': 'application/json' })
      const trickle = setInterval(() => res.write(' '), 100)
      res.on('close', () => clearInterval(trickle))
    })
    expect(refusal((await begin(clientId)).page).body).toContain('could not be read')
  })

  it.each([
    ['a private address', 'https://10.0.0.1/agent.json', 'not an IP address'],
    ['a name of a private address', 'https://10.0.0.1.nip.invalid/agent.json', 'could not be read'],
    ['the metadata service', 'https://169.254.169.254/latest', 'not an IP address'],
    ['plain http', 'http://app.example/agent.json', 'must be an https URL'],
    ['no path', 'https://app.example/', 'must have a path'],
    ['dot segments', 'https://app.example/a/../agent.json', 'normal form'],
    ['a refused host', 'http://bad.localhost/agent.json', 'does not admit'],
    ['a refused host with a dot at its end', 'https://bad.localhost./agent.json', 'a dot at its end'],
  ])('URLs of %s are never read', async (_what, clientId, message) => {
    expect(refusal((await begin(clientId)).page)).toMatchObject({
      status: 400,
      body: expect.stringContaining(message),
    })
  })

  it('a document that loses its redirect URI while the person decides', async () => {
    const clientId = documents.publish('/swapped.json', {}, { 'cache-control': 'no-store' })
    const request = await begin(clientId)
    documents.publish('/swapped.json', { redirect_uris: ['https://attacker.example/'] })
    // The code goes where the consent page said, and to no other URI; the document is kept for 30 seconds.
    const response = readResponse(await request.browser.submit(request.page, { decision: 'allow' }))
    expect(response.redirectUri).toBe(`${documents.url}/callback`)
    expect(response.parameters.get('iss')).toBe(provider.issuer)
    const { page } = await begin(clientId, { redirect_uri: 'https://attacker.example/' })
    expect(refusal(page)).toMatchObject({ status: 400, body: expect.stringContaining('redirect_uri') })
  })

  it('a redirect URI that is not in the document', async () => {
    const clientId = documents.publish('/exact.json')
    const { page } = await begin(clientId, { redirect_uri: `${documents.url}/callback/more` })
    expect(refusal(page)).toMatchObject({ status: 400, body: expect.stringContaining('redirect_uri') })
  })

  it('is read once for concurrent requests', async () => {
    const clientId = documents.publish('/once.json')
    await Promise.all(Array.from({ length: 5 }, () => begin(clientId)))
    expect(documents.readings('/once.json')).toBe(1)
  })

  it('made-up clients of one network are limited', async () => {
    const browser = newBrowser()
    const statuses: number[] = []
    for (let at = 0; at < 60; at += 1)
      statuses.push((await begin(`${documents.url}/flood-${at}.json`, {}, browser)).page.status)
    expect(statuses).toContain(429)
  })
})

it('exports leave these clients out', async () => {
  const clientId = documents.publish('/exported.json')
  await allow(clientId, await begin(clientId))
  const { status, text } = await provider.system.fetch('/admin/v1/export', {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ org_ids: ['agents', 'acme'], response_output: true, timeout: '1m' }),
  })
  expect(status, text).toBe(200)
  expect(text).toContain('"orgId":"agents"')
  expect(text).not.toContain(documents.url)
})

it('a person consents in a browser without scripts', async () => {
  const clientId = documents.publish('/plain.json', { client_name: 'Signet \u202e(id.example)' })
  documents.answer('/callback', (res) => res.end('done'))
  const chrome = await openChromium()
  try {
    const page = await (await chrome.newContext({ javaScriptEnabled: false })).newPage()
    const verifier = oidc.randomPKCECodeVerifier()
    const parameters = {
      ...{
        client_id: clientId,
        redirect_uri: `${documents.url}/callback`,
        scope: 'openid',
        resource: ORDERS,
      },
      ...{ code_challenge: await oidc.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    }
    await page.goto(provider.issuer + provider.authorizationUrl(parameters))
    await page.fill('#login-name', 'alice')
    await page.fill('#password', PASSWORD)
    await page.click('#login-submit')
    const host = `127.0.0.1:${documents.port}`
    expect(await page.textContent('#consent-asks')).toBe(`${host} (Signet id.example) asks for:`)
    expect(await page.textContent('#consent-unregistered')).toContain(`its address ${host} is known`)
    expect(await page.textContent('#consent-loopback')).toContain(`claim to be ${host}`)
    expect(await page.textContent('#consent-host')).toContain(host)
    await page.click('#consent-allow')
    await page.waitForURL(`${documents.url}/callback?**`)
    const config = await discover(provider.issuer, clientId, oidc.None())
    const checks = { pkceCodeVerifier: verifier, idTokenExpected: true }
    const tokens = await oidc.authorizationCodeGrant(config, new URL(page.url()), checks)
    expect(decodeJwt(tokens.id_token ?? '').aud).toBe(clientId)
  } finally {
    await chrome.close()
  }
}, 30_000)
