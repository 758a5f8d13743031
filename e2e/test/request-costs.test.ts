import { createRequestCounter } from '@signet/testing/request-costs'
import { type RoundTripCounter, startRoundTripCounter } from '@signet/testing/round-trips'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { startSystem } from '@signet/testing/system/start-system'
import {
  bootstrapDocument,
  PASSWORD,
  POST_LOGOUT_URI,
  REDIRECT_URI,
  WEB_SECRET,
} from '@signet/testing/system/test-directory'
import { tokensOf } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, expect, it } from 'vitest'

const counter = createRequestCounter()
let redis: RoundTripCounter
let system: InProcessSystem
beforeAll(async () => {
  system = await startSystem({
    mode: 'in-process',
    tracing: counter.tracing,
    // The counter holds each response of Redis, and a busy machine stops for longer than a real Redis is silent.
    redisSilenceMs: 10_000,
    // Redis of the same machine responds before a process has sent what it sends without waiting.
    async redisThrough(url) {
      redis = await startRoundTripCounter(url)
      return redis.url
    },
  })
})
afterAll(async () => {
  await system?.stop()
  await redis?.stop()
})

const scope = 'openid offline_access'

/** Signs out as the application of an ID token asks for. */
async function signOut(browser: ReturnType<InProcessSystem['newBrowser']>, idToken: string) {
  const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: POST_LOGOUT_URI })
  const { status } = await browser.send(`/oidc/v1/end_session?${query}`)
  expect(status).toBe(303)
}

/** Visits everything once, and until the services follow the log of revocations instead of asking PostgreSQL. */
async function fillCaches(): Promise<void> {
  const browser = system.newBrowser()
  const { id_token } = await system.tokens({ browser })
  const asksDatabase = async () => {
    await counter.take()
    await system.signIn({ browser })
    return (await counter.take()).some(({ postgres }) => postgres.waits > 0)
  }
  await expect.poll(asksDatabase, { timeout: 10_000 }).toBe(false)
  await signOut(browser, id_token)
  await counter.take()
}

/** A line for each request: waits for Redis (commands), for PostgreSQL (statements), gRPC calls, and all waits in a row. */
async function costs(): Promise<readonly string[]> {
  return (await counter.take()).map(({ request, redis, postgres, calls, waitsInARow }) => {
    const stores = [redis, postgres].map(({ waits, sent }) => `${waits} (${sent.length})`)
    return [request, ...stores, calls.join(', ') || '0', waitsInARow].join(' | ')
  })
}

/** The line of the last request. */
const cost = async () => (await costs()).at(-1)

it('waits for stores and services as often as the table of hot paths in ARCHITECTURE.md says', async () => {
  await fillCaches()
  const browser = system.newBrowser()
  const { id_token } = await system.tokens({ browser, scope })
  expect(await costs()).toEqual([
    'GET /oauth/v2/authorize | 1 (1) | 0 (0) | 0 | 1',
    'GET /ui/login | 1 (1) | 0 (0) | 0 | 1',
    'POST /ui/login | 3 (8) | 3 (6) | FindAttemptKey, VerifyPassword, IssueCode | 9',
    'POST /oauth/v2/token | 0 (0) | 1 (5) | 0 | 1',
  ])
  await system.signIn({ browser, scope })
  expect(await costs()).toEqual(['GET /oauth/v2/authorize | 1 (2) | 0 (0) | IssueCode | 2'])
  await signOut(browser, id_token)
  expect(await costs()).toEqual(['GET /oidc/v1/end_session | 3 (5) | 1 (6) | EndSession | 5'])
})

it('waits for stores as often as that table says when a token is used, renewed and revoked', async () => {
  await fillCaches()
  const { access_token, refresh_token } = await system.tokens()
  const userinfo = () =>
    system.fetch('/oidc/v1/userinfo', { headers: { authorization: `Bearer ${access_token}` } })
  await Promise.all([system.introspect(access_token), userinfo()])
  await counter.take()
  await system.introspect(access_token)
  expect(await cost()).toBe('POST /oauth/v2/introspect | 1 (1) | 0 (0) | 0 | 1')
  await userinfo()
  expect(await cost()).toBe('GET /oidc/v1/userinfo | 1 (1) | 0 (0) | 0 | 1')
  await system.revoke('web', access_token)
  expect(await cost()).toBe('POST /oauth/v2/revoke | 1 (1) | 1 (3) | 0 | 2')
  const refreshed = tokensOf(await system.refresh('web', refresh_token))
  expect(await cost()).toBe('POST /oauth/v2/token | 0 (0) | 1 (1) | 0 | 1')
  await system.revoke('web', refreshed.refresh_token)
  expect(await cost()).toBe('POST /oauth/v2/revoke | 1 (1) | 1 (4) | 0 | 2')
  await system.fetch('/oauth/v2/keys')
  expect(await cost()).toBe('GET /oauth/v2/keys | 0 (0) | 0 (0) | 0 | 0')
})

it('waits for stores as often as that table says when a person signs in by an identity provider', async () => {
  const callback = `${system.issuer}/ui/identity-providers/corporate/callback`
  const upstream = await startSystem({
    mode: 'in-process',
    document: bootstrapDocument({ redirectUris: [callback] }),
  })
  try {
    const created = await system.manage('POST', '/identity-providers', {
      ...{ id: 'corporate', organizationId: 'acme', name: 'Corporate', issuer: upstream.issuer },
      ...{ clientId: 'web', clientSecret: WEB_SECRET, creationAllowed: true },
    })
    expect(created.status).toBe(201)
    const request = { client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid' }
    const signIn = async () => {
      const browser = system.newBrowser()
      const open = () => browser.open(`/oauth/v2/authorize?${new URLSearchParams(request)}`)
      await expect.poll(async () => (await open()).body).toContain('provider-1')
      const page = await open()
      await counter.take()
      const away = await browser.press(page, 'provider-1')
      const other = upstream.newBrowser()
      const back = await other.submit(await other.open(away.headers.get('location') ?? ''), {
        ...{ login_name: 'bob', password: PASSWORD },
      })
      const answer = await browser.open(back.headers.get('location') ?? '')
      expect(answer.headers.get('location')).toContain(`${REDIRECT_URI}?`)
    }
    await signIn()
    // The account is there now.
    await signIn()
    expect(await costs()).toEqual([
      'POST /ui/login/identity-provider | 1 (1) | 2 (2) | Begin, FindProvider | 5',
      'GET /ui/identity-providers/:providerId/callback | 4 (10) | 3 (8) | Complete, FindProvider, ResolveUpstream, IssueCode | 10',
    ])
  } finally {
    await upstream.stop()
  }
})
