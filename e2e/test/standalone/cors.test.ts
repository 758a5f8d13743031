import { PAGE_ORIGIN } from '@signet/testing/system/oauth-directory'
import {
  createOAuthEnvironment,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let oauth: OAuthEnvironment
beforeAll(async () => {
  oauth = createOAuthEnvironment(await startSystem(OAUTH_SYSTEM))
}, 60_000)
afterAll(() => oauth?.stop())

const ENDPOINTS = ['/oauth/v2/token', '/oauth/v2/revoke', '/oidc/v1/userinfo']
const allowOrigin = 'access-control-allow-origin'

const preflight = (path: string, origin: string) =>
  oauth.call(path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    },
  })

describe.each(ENDPOINTS)('CORS at %s', (path) => {
  it('a registered origin passes the preflight, without credentials', async () => {
    const { status, headers } = await preflight(path, PAGE_ORIGIN)
    expect(status).toBe(204)
    expect(headers.get(allowOrigin)).toBe(PAGE_ORIGIN)
    expect(headers.get('access-control-allow-methods')).toContain('POST')
    expect(headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(headers.get('vary')).toContain('Origin')
  })

  it.each(['https://evil.example.com', `${PAGE_ORIGIN}.evil.com`, 'http://app.example.com', 'null', '*'])(
    '%s does not',
    async (origin) => {
      const { headers } = await preflight(path, origin)
      expect(headers.get(allowOrigin)).toBeNull()
      expect(headers.get('vary')).toContain('Origin')
    },
  )

  it('a page may read a refusal too; others may not read anything', async () => {
    const call = (origin: string) => oauth.call(path, { method: 'POST', headers: { origin } })
    const refused = await call(PAGE_ORIGIN)
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(refused.headers.get(allowOrigin)).toBe(PAGE_ORIGIN)
    expect((await call('https://evil.example.com')).headers.get(allowOrigin)).toBeNull()
  })
})

describe('CORS elsewhere', () => {
  it('introspection is not for pages', async () => {
    expect((await preflight('/oauth/v2/introspect', PAGE_ORIGIN)).headers.get(allowOrigin)).toBeNull()
  })

  it('an origin that is registered later counts within a second', async () => {
    const origin = 'https://later.example.com'
    expect((await preflight('/oauth/v2/token', origin)).headers.get(allowOrigin)).toBeNull()
    await oauth.database.query({
      name: 'test.origin',
      text: `UPDATE directory.application SET allowed_origins = ARRAY[$1] WHERE client_id = 'asserted'`,
      values: [origin],
    })
    await expect
      .poll(async () => (await preflight('/oauth/v2/token', origin)).headers.get(allowOrigin), {
        timeout: 3_000,
      })
      .toBe(origin)
  })
})
