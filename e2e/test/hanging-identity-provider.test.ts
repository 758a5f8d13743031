// An identity provider that takes calls and answers none: everything else goes on.
import type { HttpBrowser } from '@signet/testing/http-browser'
import { startHttpServer } from '@signet/testing/http-server'
import { startSystem } from '@signet/testing/system/start-system'
import { API_SECRET, PASSWORD, REDIRECT_URI } from '@signet/testing/system/test-directory'
import type { TestSystem } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, expect, it } from 'vitest'

let system: TestSystem
let provider: Awaited<ReturnType<typeof startHttpServer>>
let waiting = 0

beforeAll(async () => {
  provider = await startHttpServer((req, res) => {
    const issuer = `http://localhost:${provider.port}`
    const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` }
    if (req.url?.startsWith('/.well-known/')) {
      res.setHeader('content-type', 'application/json')
      const kinds = { response_types_supported: ['code'], subject_types_supported: ['public'] }
      const jwks_uri = `${issuer}/keys`
      res.end(JSON.stringify({ issuer, ...endpoints, jwks_uri, ...kinds }))
      return
    }
    waiting += 1
    res.on('close', () => {
      waiting -= 1
    })
  })
  system = await startSystem({ mode: 'in-process' })
  const settings = {
    issuer: `http://localhost:${provider.port}`,
    clientId: 'signet',
    clientSecret: 'a-secret',
  }
  const created = { id: 'hanging', organizationId: 'acme', name: 'Hanging', ...settings }
  expect((await system.manage('POST', '/identity-providers', created)).status).toBe(201)
}, 60_000)
afterAll(async () => {
  await system?.stop()
  await provider?.stop()
})

const request = new URLSearchParams({
  ...{ client_id: 'web', redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid' },
})

/** Goes to the provider, and returns the address with which it would send the browser back. */
async function begin(browser: HttpBrowser): Promise<string> {
  const page = await browser.open(`/oauth/v2/authorize?${request}`)
  const away = await browser.press(page, 'provider-1')
  const state = new URL(away.headers.get('location') ?? '').searchParams.get('state') ?? ''
  return `/ui/identity-providers/hanging/callback?${new URLSearchParams({ state, code: 'x' })}`
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now()
  await work()
  return performance.now() - before
}

it('lets people sign in by password and tokens be read while 60 sign-ins wait for it', async () => {
  const browsers = Array.from({ length: 60 }, () => system.newBrowser())
  const addresses: string[] = []
  for (const browser of browsers) addresses.push(await begin(browser))
  const answers = browsers.map((browser, n) => browser.open(addresses[n] ?? ''))
  await expect.poll(() => waiting).toBe(50)
  // The sign-ins above the bound are refused at once, and may be tried again.
  const refused = await Promise.race(answers)
  expect(refused.body).toContain('does not answer right now')
  expect(waiting).toBe(50)

  const signIns: number[] = []
  for (let count = 0; count < 10; count += 1) {
    signIns.push(
      await timed(async () => {
        expect((await system.tryPassword('alice', PASSWORD)).headers.get('location')).toContain('code=')
      }),
    )
  }
  const { access_token: token } = (await system.redeem(await system.code())).json
  const api = { form: {}, headers: { authorization: `Basic ${btoa(`api:${API_SECRET}`)}` } }
  const reads: number[] = []
  for (let count = 0; count < 50; count += 1) {
    reads.push(
      await timed(async () => {
        expect((await system.post('/oauth/v2/introspect', { token: String(token) }, api)).json.active).toBe(
          true,
        )
      }),
    )
  }
  // The first ones fill caches. A wait for the provider would take seconds.
  expect(Math.max(...signIns.slice(1))).toBeLessThan(1_500)
  expect(Math.max(...reads.slice(1))).toBeLessThan(500)
  expect(waiting).toBe(50)

  // Each that waited ends within the bound of its calls.
  const pages = await Promise.all(answers)
  for (const { body } of pages) expect(body).toContain('does not answer right now')
}, 90_000)
