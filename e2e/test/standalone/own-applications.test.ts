import type { HttpBrowser } from '@signet/testing/http-browser'
import { ADMIN_TOKEN } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { basic, connectProvider, PROVIDER_SYSTEM, type Provider } from './provider.ts'

let provider: Provider
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
}, 60_000)
afterAll(() => provider?.stop())

const open = (browser: HttpBrowser) => browser.open('/ui/applications')

async function endAccess(browser: HttpBrowser, clientId: string): Promise<void> {
  const page = await browser.submit(await open(browser), { client_id: clientId })
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining('Your applications') })
}

const isActive = async (token: string) =>
  (await provider.post('/oauth/v2/introspect', { token })).json.active === true
const refresh = (refresh_token: string) =>
  provider.post('/oauth/v2/token', { grant_type: 'refresh_token', refresh_token })

it('ending the access of an application revokes its grants of that user before the response [F-38]', async () => {
  const { browser, tokens } = await provider.signIn({ scope: 'openid profile offline_access' })
  const { tokens: second } = await provider.signIn({ browser })
  const { tokens: others } = await provider.signIn({ browser, clientId: 'post' })
  const { tokens: ofCarol } = await provider.signIn({ loginName: 'carol+1', scope: 'openid offline_access' })
  expect((await open(browser)).body).toContain('value="web"')

  await endAccess(browser, 'web')
  expect(await Promise.all([tokens, second].map(({ access_token }) => isActive(access_token)))).toEqual([
    false,
    false,
  ])
  expect(await refresh(tokens.refresh_token ?? '')).toMatchObject({ status: 400 })
  const page = await open(browser)
  expect(page.body).not.toContain('value="web"')
  expect(page.body).toContain('value="post"')

  // The tokens of other users and of other applications stay.
  expect(await refresh(ofCarol.refresh_token ?? '')).toMatchObject({ status: 200 })
  const userinfo = { headers: { authorization: `Bearer ${others.access_token}` } }
  expect(await provider.system.fetch('/oidc/v1/userinfo', userinfo)).toMatchObject({ status: 200 })
})

it('the consent is removed with it, so that the application has to ask again [F-38]', async () => {
  const browser = provider.system.newBrowser()
  await provider.signIn({ browser })
  const asked = { prompt: 'consent', scope: 'openid email' }
  await browser.submit(await provider.open(browser, asked), { decision: 'allow' })
  expect((await provider.open(browser, asked)).body).toContain('(allowed before)')
  await endAccess(browser, 'web')
  expect((await provider.open(browser, asked)).body).not.toContain('(allowed before)')
})

it('both are on record, with the address of the person [F-47]', async () => {
  const { browser } = await provider.signIn()
  await browser.submit(await provider.open(browser, { prompt: 'consent' }), { decision: 'allow' })
  const since = new Date()
  await endAccess(browser, 'web')
  const path = `/management/v1/audit?actorId=alice&from=${since.toISOString()}`
  const { json } = await provider.system.fetch(path, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
  const event = { actor: { id: 'alice' }, target: { id: 'web' }, clientAddress: '127.0.0.1' }
  const items = json.items as readonly { readonly action: string }[]
  expect(items.toSorted((one, other) => (one.action < other.action ? -1 : 1))).toMatchObject([
    { ...event, action: 'access.end' },
    { ...event, action: 'consent.withdraw' },
  ])
})

it('a refresh that races the end of the access leaves no active token [F-20]', async () => {
  const { browser, tokens } = await provider.signIn({ scope: 'openid offline_access' })
  const page = await open(browser)
  const [, refreshed] = await Promise.all([
    browser.submit(page, { client_id: 'web' }),
    provider.post(
      '/oauth/v2/token',
      { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' },
      basic(),
    ),
  ])
  const { access_token, refresh_token } = refreshed.json
  if (refreshed.status === 200) {
    expect(await isActive(String(access_token))).toBe(false)
    expect(await refresh(String(refresh_token))).toMatchObject({ status: 400 })
  }
})
