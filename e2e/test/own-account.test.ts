import type { HttpBrowser } from '@signet/testing/http-browser'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import type { TestSystem } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let system: TestSystem

beforeAll(async () => {
  system = await startSystem({ mode: 'in-process' })
}, 60_000)
afterAll(() => system?.stop())

/** Signs in on the way to the account page, without an application. */
async function signedIn(loginName: string, password = PASSWORD): Promise<HttpBrowser> {
  const browser = system.newBrowser()
  const page = await browser.submit(await browser.open('/ui/account'), { login_name: loginName, password })
  expect([page.status, page.body]).toEqual([200, expect.stringContaining(`${loginName}@acme.localhost`)])
  return browser
}

describe('the sign-in to the account page', () => {
  it('leads from the account page to the sign-in page and back, without an application', async () => {
    const browser = system.newBrowser()
    const signIn = await browser.open('/ui/account')
    expect(signIn.body).toContain('id="login-name"')
    const page = await browser.submit(signIn, { login_name: 'alice', password: PASSWORD })
    expect(page.body).toContain('id="account-login-name">alice@acme.localhost')
    expect(page.body).toContain('href="/ui/applications"')
  })

  it('gives its client neither a code nor another redirect URI', async () => {
    const browser = await signedIn('alice')
    const query = new URLSearchParams({
      client_id: ':account',
      redirect_uri: `${system.issuer}/ui/account`,
      response_type: 'code',
      scope: 'openid offline_access',
    })
    const answer = await browser.send(`/oauth/v2/authorize?${query}`)
    expect(answer.headers.get('location')).toMatch(/\/ui\/account\?iss=[^&]*$/)
    query.set('redirect_uri', 'https://elsewhere.example/')
    expect((await browser.send(`/oauth/v2/authorize?${query}`)).status).toBe(400)
  })
})
