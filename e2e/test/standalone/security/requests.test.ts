import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic, connectProvider, PROVIDER_SYSTEM, type Provider } from '../provider.ts'

let provider: Provider
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
}, 60_000)
afterAll(() => provider?.stop())

describe('ignores a token in the query [F-12]', () => {
  it('at userinfo, by GET and by POST', async () => {
    const { tokens } = await provider.signIn()
    const path = `/oidc/v1/userinfo?access_token=${tokens.access_token}`
    for (const method of ['GET', 'POST']) {
      const answer = await provider.system.fetch(path, { method })
      expect([answer.status, answer.text.includes('alice')]).toEqual([401, false])
    }
  })

  it('at the token endpoint, introspection and revocation', async () => {
    const { tokens } = await provider.signIn({ scope: 'openid offline_access' })
    const { access_token, refresh_token = '' } = tokens
    const refresh = new URLSearchParams({ grant_type: 'refresh_token', refresh_token })
    for (const path of [
      `/oauth/v2/token?${refresh}`,
      `/oauth/v2/introspect?token=${access_token}`,
      `/oauth/v2/revoke?token=${access_token}`,
    ]) {
      const answer = await provider.post(path, {})
      expect(answer).toMatchObject({ status: 400, json: { error: 'invalid_request' } })
    }
    expect((await provider.introspect(access_token)).active).toBe(true)
  })
})

describe('responses with a secret are not stored [F-13]', () => {
  it('no-store on every response of authorize, token, introspection, userinfo and revocation, errors included', async () => {
    const { browser, tokens } = await provider.signIn({ scope: 'openid offline_access' })
    const bearer = { headers: { authorization: `Bearer ${tokens.access_token}` } }
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' }
    const answers = [
      await browser.send(provider.authorizationUrl()),
      await browser.send(provider.authorizationUrl({ response_mode: 'form_post' })),
      await browser.send(provider.authorizationUrl({ scope: 'profile' })),
      await browser.send(provider.authorizationUrl({ redirect_uri: 'https://evil.example/' })),
      await browser.open(provider.authorizationUrl({ prompt: 'login' })),
      await provider.post('/oauth/v2/token', refresh),
      await provider.post('/oauth/v2/token', {}),
      await provider.post('/oauth/v2/token', refresh, basic('nobody')),
      await provider.post('/oauth/v2/introspect', { token: tokens.access_token }, basic('api')),
      await provider.post('/oauth/v2/introspect', { token: tokens.access_token }, basic('nobody')),
      await provider.system.fetch('/oidc/v1/userinfo', bearer),
      await provider.system.fetch('/oidc/v1/userinfo'),
      await provider.post('/oauth/v2/revoke', { token: 'nonsense' }),
    ]
    for (const { headers } of answers) {
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    }
  })
})

describe('a response is bound to its request [F-37]', () => {
  it('at_hash is that of the access token beside it', async () => {
    const keys = createRemoteJWKSet(new URL('/oauth/v2/keys', provider.issuer))
    const implicit = { client_id: 'implicit', response_type: 'id_token token', nonce: 'n-7' }
    const { parameters } = await provider.authorize(implicit)
    const { payload } = await jwtVerify(parameters.get('id_token') ?? '', keys)
    const hash = createHash('sha256')
      .update(parameters.get('access_token') ?? '')
      .digest()
    expect(payload.at_hash).toBe(hash.subarray(0, 16).toString('base64url'))
    expect(payload.nonce).toBe('n-7')
  })

  it.each(['login', 'consent', 'select_account', 'create'])(
    'prompt=none is never a page, not with %s either',
    async (other) => {
      const browser = provider.system.newBrowser()
      const page = await browser.send(provider.authorizationUrl({ prompt: `none ${other}` }))
      expect([page.status, page.body]).toEqual([303, ''])
    },
  )
})

describe('no header of a client changes its identity [F-43]', () => {
  /** Sends a request with headers that `fetch` would not send. */
  const raw = (path: string, headers: Record<string, string>) =>
    new Promise<{ headers: Record<string, unknown>; body: string }>((resolve, reject) => {
      const url = new URL(path, provider.issuer)
      const options = { host: '127.0.0.1', port: url.port, path: url.pathname + url.search, headers }
      const req = request(options, (res) => {
        const chunks: Buffer[] = []
        res.on('data', (chunk: Buffer) => chunks.push(chunk))
        res.on('end', () => resolve({ headers: res.headers, body: Buffer.concat(chunks).toString() }))
      })
      req.on('error', reject).end()
    })

  it.each<[string, Record<string, string>]>([
    ['Host', { host: 'evil.example' }],
    ['X-Forwarded-Host', { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }],
    ['Forwarded', { forwarded: 'host=evil.example;proto=https' }],
    ['X-Original-URL', { 'x-original-url': '//evil.example/', 'x-rewrite-url': '//evil.example/' }],
  ])('%s changes neither discovery nor a response to a client', async (_name, headers) => {
    const { body } = await raw('/.well-known/openid-configuration', headers)
    expect(JSON.parse(body)).toEqual((await provider.system.fetch('/.well-known/openid-configuration')).json)
    const answer = await raw(provider.authorizationUrl({ prompt: 'none' }), headers)
    expect(new URL(String(answer.headers.location)).searchParams.get('iss')).toBe(provider.issuer)
    const page = await raw(provider.authorizationUrl(), headers)
    expect(page.headers.location).toMatch(/^\/ui\/login\?/)
  })

  it('a client certificate that a header claims authenticates no client', async () => {
    const claimed = {
      'x-forwarded-client-cert': 'By=spiffe://signet/token',
      'x-ssl-client-verify': 'SUCCESS',
    }
    const form = { grant_type: 'client_credentials', client_id: 'machine' }
    expect((await provider.post('/oauth/v2/token', form, claimed)).status).toBe(401)
  })
})

describe('a form that another site submits [F-15]', () => {
  it.each(['/ui/login', '/ui/consent', '/ui/accounts', '/ui/register', '/ui/totp', '/ui/logout'])(
    '%s takes none without the token of its page',
    async (path) => {
      const { browser } = await provider.signIn()
      const form = { request: 'x', csrf: 'x', login_name: 'alice', password: PASSWORD, decision: 'allow' }
      const page = await browser.send(path, form)
      expect([page.status, page.headers.get('location')]).toEqual([400, null])
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect((await provider.authorize({ prompt: 'none' }, { browser })).parameters.has('code')).toBe(true)
    },
  )
})
