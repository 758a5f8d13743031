import { createLogger } from '@signet/platform/logger/logger'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestEnvironment, type TestEnvironment } from './setup.ts'

const lines: Record<string, unknown>[] = []
const logger = createLogger({
  service: 'login',
  level: 'info',
  destination: { write: (line) => void lines.push(JSON.parse(line)) },
})

let env: TestEnvironment
beforeAll(async () => {
  env = await startTestEnvironment({ logger })
})
afterAll(() => env?.stop())
beforeEach(() => {
  lines.length = 0
})

const refused = () => lines.find(({ event }) => event === 'request_refused')

it('logs the client and both redirect URIs of a refusal, without their queries', async () => {
  await env.authorize(env.newBrowser(), {
    redirect_uri: 'https://rp.localhost/other?email=user1@acme.example',
  })
  expect(refused()).toMatchObject({
    reason: 'redirect_uri_unregistered',
    clientId: 'web',
    received: 'https://rp.localhost/other?…',
    registered: ['https://rp.localhost/callback', 'https://rp.localhost/callback?…'],
  })
  expect(JSON.stringify(lines)).not.toContain('user1')
})

it('logs an unknown client_id as it was received', async () => {
  await env.authorize(env.newBrowser(), { client_id: 'wbe' })
  expect(refused()).toMatchObject({ reason: 'client_unknown', received: 'wbe' })
})

it('shows the request id of the log line on the page of a refusal', async () => {
  const page = await env.authorize(env.newBrowser(), { client_id: 'unknown' })
  expect(page.text).toContain(`Request: ${refused()?.requestId}`)
  expect(page.headers['x-request-id']).toBe(refused()?.requestId)
})

it('shows the compared values for an application in devMode only', async () => {
  const redirectUri = 'https://rp.localhost/<b>callback'
  const shown = await env.authorize(env.newBrowser(), {
    client_id: 'web-in-development',
    redirect_uri: redirectUri,
  })
  expect(shown.status).toBe(400)
  expect(shown.body).toContain('<dt>Received</dt><dd><bdi>https://rp.localhost/&lt;b&gt;callback</bdi></dd>')
  expect(shown.body).toContain('<dt>Registered</dt><dd><bdi>https://rp.localhost/callback</bdi></dd>')
  const hidden = await env.authorize(env.newBrowser(), { redirect_uri: redirectUri })
  expect(hidden.status).toBe(400)
  expect(hidden.body).not.toContain('rp.localhost')
})

it('logs and shows the URIs of a refused sign-out in the same way', async () => {
  const query = new URLSearchParams({
    client_id: 'web-in-development',
    post_logout_redirect_uri: 'https://rp.localhost/bye/',
  })
  const page = await env.newBrowser().get(`/oidc/v1/end_session?${query}`)
  expect(page.body).toContain('<dd><bdi>https://rp.localhost/bye/</bdi></dd>')
  expect(refused()).toMatchObject({
    reason: 'post_logout_redirect_uri_unregistered',
    clientId: 'web-in-development',
    received: 'https://rp.localhost/bye/',
    registered: ['https://rp.localhost/bye'],
  })
})

it('logs the client of a refusal that is sent to its redirect URI', async () => {
  await env.authorize(env.newBrowser(), { scope: 'email' })
  expect(refused()).toMatchObject({ reason: expect.any(String), clientId: 'web' })
})

it('says at the issuer itself what the service is, and links to existing pages', async () => {
  const page = await env.newBrowser().get('/')
  expect(page.status).toBe(200)
  expect(page.text).toContain(env.issuer)
  expect([...page.body.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
    '/ui/account',
    '/ui/applications',
    '/ui/account/factors',
    '/ui/passkeys',
    '/.well-known/openid-configuration',
    '/management/v1/reference',
    // The samples of a loopback issuer.
    'http://localhost:3000',
    'http://localhost:8090',
  ])
})
