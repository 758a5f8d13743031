import { createFakeClock } from '@signet/testing/fake-clock'
import {
  createOAuthEnvironment,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// It stands still, so that nothing is forgiven while a slow machine makes its requests.
const clock = createFakeClock(new Date())
const LIMITS = { public: 30, token: 5, revocation: 5, introspection: 5, userinfo: 5 }

let oauth: OAuthEnvironment
beforeAll(async () => {
  oauth = createOAuthEnvironment(await startSystem({ ...OAUTH_SYSTEM, clock, rateLimits: LIMITS }))
}, 60_000)
afterAll(() => oauth?.stop())

const WRONG = 'wrong-wrong-wrong-wrong-wrong-wrong-wrong-wrong'
type Call = () => ReturnType<OAuthEnvironment['post']>

async function statusesOf(times: number, call: Call): Promise<readonly number[]> {
  const statuses: number[] = []
  for (let time = 0; time < times; time += 1) statuses.push((await call()).status)
  return statuses
}

async function expectLimited(call: Call): Promise<void> {
  const { status, headers, json } = await call()
  expect([status, headers.get('retry-after'), headers.get('cache-control')]).toEqual([429, '1', 'no-store'])
  expect(json).toEqual({ error: 'temporarily_unavailable', error_description: expect.any(String) })
}

describe('throttling: failed client authentications', () => {
  it.each([
    ['token', '/oauth/v2/token', { grant_type: 'client_credentials' }, 'robot-client'],
    ['revoke', '/oauth/v2/revoke', { token: 'x' }, 'web'],
    ['introspect', '/oauth/v2/introspect', { token: 'x' }, 'api'],
  ])('%s returns 429 with Retry-After after 20 in a second [F-48]', async (_, path, form, clientId) => {
    clock.advance(10_000)
    const wrong = () => oauth.post(path, form, { basic: clientId, secret: WRONG })
    expect(new Set(await statusesOf(20, wrong))).toEqual(new Set([401]))
    await expectLimited(wrong)
    // Wrong secrets of a neighbour never refuse the right one.
    expect((await oauth.post(path, form, { basic: clientId })).status).toBe(200)
    await expectLimited(wrong)
    clock.advance(1_000)
    expect((await wrong()).status).toBe(401)
  })
})

describe('throttling: limits that were configured', () => {
  it('token, by client [F-48]', async () => {
    clock.advance(10_000)
    const ask = (basic: string) => () => oauth.token({ grant_type: 'client_credentials' }, { basic })
    expect(await statusesOf(5, ask('robot-client'))).toEqual([200, 200, 200, 200, 200])
    await expectLimited(ask('robot-client'))
    expect((await ask('jwt-robot')()).status).toBe(200)
    clock.advance(200)
    expect((await ask('robot-client')()).status).toBe(200)
    await expectLimited(ask('robot-client'))
  })

  it('token, by address where the assertion names the client [F-48]', async () => {
    clock.advance(10_000)
    const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'x' }
    const ask = () => oauth.post('/oauth/v2/token', form)
    expect(await statusesOf(5, ask)).toEqual([400, 400, 400, 400, 400])
    await expectLimited(ask)
  })

  it('token, by network for clients that do not authenticate, without delaying others [F-48]', async () => {
    clock.advance(10_000)
    let made = 0
    const unknown = () => {
      made += 1
      const form = { grant_type: 'client_credentials', client_id: `nobody-${made}` }
      return oauth.post('/oauth/v2/token', form)
    }
    expect(await statusesOf(30, unknown)).toEqual(Array(30).fill(401))
    await expectLimited(unknown)
    expect((await oauth.token({ grant_type: 'client_credentials' }, { basic: 'robot-client' })).status).toBe(
      200,
    )
  })

  it('introspection, revocation and userinfo, by client [F-48]', async () => {
    clock.advance(10_000)
    const { json } = await oauth.tokens()
    for (const ask of [
      () => oauth.introspect(json.access_token),
      () => oauth.userinfo(json.access_token),
      () => oauth.revoke('x'),
    ]) {
      expect(await statusesOf(5, ask)).toEqual([200, 200, 200, 200, 200])
      await expectLimited(ask)
    }
  })

  it('the key set and discovery never [F-48]', async () => {
    for (const path of ['/oauth/v2/keys', '/.well-known/openid-configuration']) {
      expect(new Set(await statusesOf(50, () => oauth.call(path)))).toEqual(new Set([200]))
    }
  })
})
