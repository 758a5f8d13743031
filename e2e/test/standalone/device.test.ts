// The Device Authorization Grant (RFC 8628) from end to end, with two stock clients and two replicas.

import { connectRedis, createRedis } from '@signet/platform/redis/client'
import type { Redis } from '@signet/platform/redis/connection'
import { createProofKey } from '@signet/testing/dpop-proof'
import { createRunningClock } from '@signet/testing/fake-clock'
import type { HttpBrowser, Page } from '@signet/testing/http-browser'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { ADMIN_TOKEN, SECRET } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import { type Answer, fetchAnswer } from '@signet/testing/system/test-system'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { basic, connectProvider, type Parameters, type Provider } from './provider.ts'
import { providerDirectory, withDeviceGrant } from './provider-directory.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const ENDPOINT = '/oauth/v2/device_authorization'
const TOKEN = '/oauth/v2/token'
const API_SCOPE = 'urn:service:iam:org:project:id:signet:aud'
const WITH_GRANT = ['web', 'post', 'keyed', 'spa']

const clock = createRunningClock()
let provider: Provider
let system: InProcessSystem
let redis: Redis

beforeAll(async () => {
  system = await startSystem({
    mode: 'in-process',
    document: withDeviceGrant(providerDirectory(), WITH_GRANT),
    replicas: 2,
    clock,
  })
  // The keys service looks at the settings each second.
  await vi.waitFor(
    async () => {
      const { json } = await system.fetch('/.well-known/openid-configuration')
      expect(json.device_authorization_endpoint).toBe(`${system.issuer}${ENDPOINT}`)
    },
    { timeout: 10_000, interval: 100 },
  )
  provider = await connectProvider(system)
  redis = createRedis({ url: system.redisUrl, name: 'test' })
  await connectRedis(redis)
}, 60_000)
afterAll(async () => {
  redis?.disconnect()
  await provider?.stop()
})
// Device authorizations of other tests.
beforeEach(forgetDevices)

async function forgetDevices(): Promise<void> {
  for (const key of await redis.keys('signet:*:device:*')) await redis.del(key)
}

const asOwner = (text: string) => system.database.query({ name: '', text, values: [] })

interface Begun {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri_complete: string
}

async function begin(form: Parameters = {}, headers = basic()): Promise<Begun> {
  const { status, json } = await provider.post(ENDPOINT, { scope: 'openid', ...form }, headers)
  expect(status, JSON.stringify(json)).toBe(200)
  return json as unknown as Begun
}

const poll = (deviceCode: string, headers: Parameters = basic(), base = system.base): Promise<Answer> =>
  fetchAnswer(new URL(TOKEN, base), {
    method: 'POST',
    headers,
    body: new URLSearchParams({ grant_type: GRANT, device_code: deviceCode }),
  })

const errorOf = ({ status, json }: Answer) => ({ status, error: json.error })

async function enter(userCode: string, browser: HttpBrowser): Promise<Page> {
  return browser.submit(await browser.open('/ui/device'), { user_code: userCode })
}

/** Enters a code, signs in where the page asks for it, and returns the consent page. */
async function consentPage(
  userCode: string,
  browser = system.newBrowser(),
  loginName = 'alice',
): Promise<Page> {
  const page = await enter(userCode, browser)
  const next = page.body.includes('id="login-name"')
    ? await browser.submit(page, { login_name: loginName, password: PASSWORD })
    : page
  return next.body.includes('id="account-1"')
    ? browser.submit(next, { sid: /name="sid" value="([^"]+)"/.exec(next.body)?.[1] ?? '' })
    : next
}

async function approve(userCode: string, browser = system.newBrowser()): Promise<Page> {
  const page = await browser.submit(await consentPage(userCode, browser), { decision: 'allow' })
  expect(page.body).toContain('The device has access')
  return page
}

describe('stock clients', () => {
  it.each(WITH_GRANT)('openid-client gets tokens for a device of %s', async (clientId) => {
    const config = await provider.client(clientId)
    const begun = await oidc.initiateDeviceAuthorization(config, { scope: 'openid email offline_access' })
    expect(begun).toMatchObject({
      expires_in: 600,
      interval: 5,
      verification_uri: `${system.issuer}/ui/device`,
    })
    await approve(begun.user_code)
    const tokens = await oidc.pollDeviceAuthorizationGrant(config, { ...begun, interval: 0 })
    expect(tokens.claims()).toMatchObject({ sub: 'alice', aud: clientId })
    expect(tokens.scope).toBe('openid email offline_access')
    const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(refreshed.access_token).toBeTypeOf('string')
  })

  it('oauth4webapi waits, and hears that the person refused', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true }
    const discovered = await oauth.discoveryRequest(new URL(system.issuer), insecure)
    const server = await oauth.processDiscoveryResponse(new URL(system.issuer), discovered)
    expect(server.grant_types_supported).toContain(GRANT)
    const client = { client_id: 'web' }
    const auth = oauth.ClientSecretBasic(SECRET)
    const parameters = new URLSearchParams({ scope: 'openid' })
    const begun = await oauth.processDeviceAuthorizationResponse(
      server,
      client,
      await oauth.deviceAuthorizationRequest(server, client, auth, parameters, insecure),
    )
    const ask = async () => {
      clock.advance(5_000)
      const { device_code: deviceCode } = begun
      const response = await oauth.deviceCodeGrantRequest(server, client, auth, deviceCode, insecure)
      return oauth.processDeviceCodeResponse(server, client, response)
    }
    await expect(ask()).rejects.toMatchObject({ error: 'authorization_pending', status: 400 })
    const browser = system.newBrowser()
    const page = await browser.submit(await consentPage(begun.user_code, browser), { decision: 'deny' })
    expect(page.body).toContain('The device has no access')
    await expect(ask()).rejects.toMatchObject({ error: 'access_denied', status: 400 })
  })
})

describe('the endpoint', () => {
  it('answers the members of section 3.2 to a client that proved itself, and stores nothing for another', async () => {
    const answer = await provider.post(ENDPOINT, { scope: 'openid' })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.json).toEqual({
      device_code: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${system.issuer}/ui/device`,
      verification_uri_complete: `${system.issuer}/ui/device?user_code=${String(answer.json.user_code)}`,
      expires_in: 600,
      interval: 5,
    })
    const keys = async () => (await redis.keys('signet:*:device:*')).sort()
    const before = await keys()
    for (const [form, headers, expected] of [
      [{}, basic('web', 'wrong'), { status: 401, error: 'invalid_client' }],
      [{ client_id: 'nobody' }, {}, { status: 401, error: 'invalid_client' }],
      [{}, basic('other'), { status: 400, error: 'unauthorized_client' }],
      [{ scope: 'openid email email2' }, basic('machine'), { status: 400, error: 'unauthorized_client' }],
      [{ scope: '' }, basic(), { status: 400, error: 'invalid_request' }],
      [{ scope: 'email' }, basic(), { status: 400, error: 'invalid_scope' }],
      [
        { scope: 'openid urn:service:iam:org:project:id:nowhere:aud' },
        basic(),
        { status: 400, error: 'invalid_scope' },
      ],
      [{ max_age: 'soon' }, basic(), { status: 400, error: 'invalid_request' }],
    ] as const) {
      expect(
        errorOf(await provider.post(ENDPOINT, { scope: 'openid', ...form }, headers)),
        JSON.stringify(form),
      ).toEqual(expected)
    }
    expect(await keys()).toEqual(before)
  })

  it('refuses the APIs of Signet also to an application that may call them', async () => {
    await asOwner(`UPDATE directory.application SET may_call_api = true WHERE application_id = 'web'`)
    const asked = (scope: string) => provider.authorize({ scope, prompt: 'none' })
    await expect
      .poll(async () => (await asked(`openid ${API_SCOPE}`)).parameters.get('error'))
      .toBe('login_required')
    const alias = API_SCOPE.replace('service', 'zitadel').replace(':signet:', ':zitadel:')
    for (const api of [API_SCOPE, alias]) {
      const { status, json } = await provider.post(ENDPOINT, { scope: `openid ${api}` })
      expect({ status, ...json }).toMatchObject({
        ...{ status: 400, error: 'invalid_scope' },
        error_description: expect.stringContaining('no access to the APIs of Signet'),
      })
    }
    await asOwner(`UPDATE directory.application SET may_call_api = false WHERE application_id = 'web'`)
  })

  it('refuses an application with fapi2 by name', async () => {
    const changed = await system.fetch('/management/v1/applications/keyed', {
      method: 'PATCH',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ fapi2: true, idTokenSigningAlg: 'ES256' }),
    })
    expect(changed.status).toBe(400)
    expect(changed.text).toContain('has no device authorization grant')
    await asOwner(`UPDATE directory.application SET fapi2 = true WHERE application_id = 'keyed'`)
    const form = async () => ({
      ...{ scope: 'openid', client_id: 'keyed' },
      ...(await provider.assertion({ aud: system.issuer })),
    })
    await expect
      .poll(async () => (await provider.post(ENDPOINT, await form(), {})).json)
      .toMatchObject({ error: 'unauthorized_client', error_description: expect.stringContaining('fapi2') })
    await asOwner(`UPDATE directory.application SET fapi2 = false WHERE application_id = 'keyed'`)
  })

  it('refuses an application that signs its requests by name', async () => {
    const set = (value: boolean) =>
      asOwner(
        `UPDATE directory.application SET require_signed_requests = ${value} WHERE application_id = 'web'`,
      )
    await set(true)
    await expect
      .poll(async () => (await provider.post(ENDPOINT, { scope: 'openid' }, basic())).json)
      .toMatchObject({
        error: 'unauthorized_client',
        error_description: expect.stringContaining('requireSignedRequests'),
      })
    await set(false)
    await expect
      .poll(async () => (await provider.post(ENDPOINT, { scope: 'openid' }, basic())).status)
      .toBe(200)
  })
})

describe('the person', () => {
  it('is always asked, reads where the request came from, and leaves events', async () => {
    const browser = system.newBrowser()
    for (let time = 0; time < 2; time += 1) {
      const { user_code: code } = await begin()
      const page = await consentPage(code.toLowerCase().replace('-', ' '), browser)
      expect(page.body).toContain('id="consent-allow"')
      expect(page.body).toContain('id="device-warning"')
      expect(page.body).toContain('127.0.0.1')
      await browser.submit(page, { decision: time === 0 ? 'allow' : 'deny' })
    }
    const { rows } = await system.database.query({
      name: '',
      text: `SELECT actor_id, action, target_id, details FROM grants_read.audit_event_v1
              WHERE action LIKE 'device.%' ORDER BY at DESC LIMIT 2`,
      values: [],
    })
    expect(rows).toMatchObject([
      { actor_id: 'alice', action: 'device.deny', target_id: 'web' },
      { actor_id: 'alice', action: 'device.approve', target_id: 'web', details: { scopes: ['openid'] } },
    ])
  })

  it('finds the code of an address in the field, and nothing else happens', async () => {
    const { device_code: deviceCode, user_code: code, verification_uri_complete: address } = await begin()
    const browser = system.newBrowser()
    const page = await browser.open(address)
    expect(page.body).toContain(`value="${code}"`)
    expect(page.body).toContain('id="device-submit"')
    expect(errorOf(await poll(deviceCode))).toEqual({ status: 400, error: 'authorization_pending' })
    const odd = await browser.open(`/ui/device?user_code=${encodeURIComponent('"><script>')}`)
    expect(odd.body).toContain('name="user_code" type="text" value=""')
  })

  it('answers once: a second browser with the same code comes too late', async () => {
    const { device_code: deviceCode, user_code: code } = await begin()
    const [first, second] = [system.newBrowser(), system.newBrowser()]
    const pages = [await consentPage(code, first), await consentPage(code, second, 'carol+1')] as const
    const ends = await Promise.all([
      first.submit(pages[0], { decision: 'allow' }),
      second.submit(pages[1], { decision: 'allow' }),
    ])
    const won = ends.filter(({ body }) => body.includes('The device has access'))
    expect(won).toHaveLength(1)
    const { json } = await poll(deviceCode)
    const { sub } = await provider.introspect(String(json.access_token), 'web')
    expect(sub).toBe(won[0] === ends[0] ? 'alice' : 'carol')
    expect((await enter(code, system.newBrowser())).status).toBe(400)
  })

  it('gives the device nothing before the second factor', async () => {
    // The second factor of bob: the password alone leads no further.
    const bob = await begin()
    const browser = system.newBrowser()
    const page = await consentPage(bob.user_code, browser, 'bob')
    expect(page.body).not.toContain('id="consent-allow"')
    expect(errorOf(await poll(bob.device_code))).toEqual({ status: 400, error: 'authorization_pending' })
  })
})

describe('the device', () => {
  it('hears slow_down when it asks too often, and waits five seconds more from then on', async () => {
    const { device_code: deviceCode } = await begin()
    const errors = [errorOf(await poll(deviceCode)), errorOf(await poll(deviceCode))]
    // Ten seconds are the interval from now on.
    clock.advance(6_000)
    errors.push(errorOf(await poll(deviceCode)))
    clock.advance(15_000)
    errors.push(errorOf(await poll(deviceCode)))
    expect(errors.map(({ error }) => error)).toEqual([
      ...['authorization_pending', 'slow_down', 'slow_down', 'authorization_pending'],
    ])
  })

  it('gets its tokens once, of any number of requests at two replicas; a repetition ends them', async () => {
    const { device_code: deviceCode, user_code: code } = await begin({ scope: 'openid offline_access' })
    await approve(code)
    const bases = system.replicas.map(({ base }) => base)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => poll(deviceCode, basic(), bases[n % bases.length])),
    )
    const [won, ...others] = answers.filter(({ status }) => status === 200)
    expect(others).toEqual([])
    const token = String(won?.json.access_token)
    expect(await provider.introspect(token, 'web')).toMatchObject({ active: true })
    clock.advance(200_000)
    expect(errorOf(await poll(deviceCode))).toEqual({ status: 400, error: 'invalid_grant' })
    expect(await provider.introspect(token, 'web')).toEqual({ active: false })
  })

  it('of another client hears invalid_grant, and takes nothing away', async () => {
    const { device_code: deviceCode, user_code: code } = await begin()
    await approve(code)
    const posted = await provider.post(
      TOKEN,
      { grant_type: GRANT, device_code: deviceCode, client_id: 'post', client_secret: SECRET },
      {},
    )
    expect(errorOf(posted)).toEqual({ status: 400, error: 'invalid_grant' })
    expect((await poll(deviceCode)).status).toBe(200)
  })

  it('hears expired_token when the ten minutes are over, approved or not, and after a loss of Redis', async () => {
    const [waiting, approved, lost] = [await begin(), await begin(), await begin()]
    await approve(approved.user_code)
    const browser = system.newBrowser()
    const page = await consentPage(waiting.user_code, browser)
    clock.advance(600_000)
    const expired = { status: 400, error: 'expired_token' }
    expect(errorOf(await poll(waiting.device_code))).toEqual(expired)
    expect(errorOf(await poll(approved.device_code))).toEqual(expired)
    const end = await browser.submit(page, { decision: 'allow' })
    expect(end.body).toContain('The code was answered before, or has expired')
    const again = await begin()
    await approve(again.user_code)
    await forgetDevices()
    expect(errorOf(await poll(again.device_code))).toEqual(expired)
    expect(errorOf(await poll(lost.device_code))).toEqual(expired)
    expect(errorOf(await poll('x'))).toEqual({ status: 400, error: 'invalid_grant' })
  })

  it('loses its tokens when the person signs out in the browser that approved it', async () => {
    const browser = system.newBrowser()
    const { device_code: deviceCode, user_code: code } = await begin()
    await approve(code, browser)
    const { json } = await poll(deviceCode)
    const token = String(json.access_token)
    expect(await provider.introspect(token, 'web')).toMatchObject({ active: true })
    await browser.submit(await browser.open('/oidc/v1/end_session'), {})
    expect(await provider.introspect(token, 'web')).toEqual({ active: false })
  })

  it('gets nothing when the person signed out before it asked', async () => {
    const browser = system.newBrowser()
    const { device_code: deviceCode, user_code: code } = await begin()
    await approve(code, browser)
    await browser.submit(await browser.open('/oidc/v1/end_session'), {})
    expect(errorOf(await poll(deviceCode))).toEqual({ status: 400, error: 'invalid_grant' })
  })

  it('gets tokens that are bound to the key of its proof', async () => {
    const key = await createProofKey(clock.now)
    const { device_code: deviceCode, user_code: code } = await begin({ client_id: 'spa' }, {})
    await approve(code)
    const dpop = await key.proof({ method: 'POST', url: `${system.issuer}${TOKEN}` })
    const { json } = await provider.post(
      TOKEN,
      { grant_type: GRANT, device_code: deviceCode, client_id: 'spa' },
      { dpop },
    )
    expect(json.token_type).toBe('DPoP')
    expect(await provider.introspect(String(json.access_token), 'web')).toMatchObject({
      cnf: { jkt: key.jkt },
    })
  })

  it('cannot redeem what the approval is sealed in', async () => {
    const { user_code: code } = await begin()
    await approve(code)
    const [key = ''] = await redis.keys('signet:token:device:*')
    const sealed = String(await redis.hget(key, 'code'))
    const { json } = await provider.post(TOKEN, {
      ...{ grant_type: 'authorization_code', code: sealed, redirect_uri: `${system.issuer}/ui/device/done` },
    })
    expect(json.error).toBe('invalid_grant')
    // Nor may a writer of Redis move it to another device.
    const other = await begin()
    const otherKey = (await redis.keys('signet:token:device:*')).find((found) => found !== key) ?? ''
    await redis.hset(otherKey, { state: 'approved', code: sealed })
    expect(errorOf(await poll(other.device_code))).toEqual({ status: 400, error: 'expired_token' })
  })
})
