import { openChromium } from '@signet/testing/system/chromium'
import { type RelyingParty, startRelyingParty } from '@signet/testing/system/relying-party'
import { discover, signInWithBrowser } from '@signet/testing/system/sign-in-journey'
import type { StandaloneSystem } from '@signet/testing/system/standalone-system'
import { startSystem } from '@signet/testing/system/start-system'
import { API_SECRET, bootstrapDocument, WEB_SECRET } from '@signet/testing/system/test-directory'
import * as oidc from 'openid-client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let app: RelyingParty
let thirdOrigin: RelyingParty
let hopping: RelyingParty
let signet: StandaloneSystem
let browser: Browser

beforeAll(async () => {
  app = await startRelyingParty()
  thirdOrigin = await startRelyingParty()
  hopping = await startRelyingParty({ redirectOnTo: `${thirdOrigin.origin}/welcome` })
  const document = bootstrapDocument({
    redirectUris: [app.redirectUri, hopping.redirectUri],
    postLogoutRedirectUris: [`${app.origin}/goodbye`],
  })
  signet = await startSystem({ mode: 'standalone', document })
  browser = await openChromium()
}, 120_000)

afterAll(async () => {
  await browser?.close()
  await signet?.stop()
  await Promise.all([app, thirdOrigin, hopping].map((party) => party?.close()))
})

describe.each([
  ['with JavaScript', true],
  ['without JavaScript', false],
])('a stock client signs a person in %s', (_, javaScriptEnabled) => {
  it('discovers, authorizes, reads the user, introspects, refreshes, revokes and signs out [authorize.start]', async () => {
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    const config = await discover(signet.issuer, 'web', oidc.ClientSecretBasic(WEB_SECRET))
    const api = await discover(signet.issuer, 'api', oidc.ClientSecretBasic(API_SECRET))
    const isActive = async (token: string) => (await oidc.tokenIntrospection(api, token)).active

    const tokens = await signInWithBrowser(page, config, app, 'openid profile email offline_access')
    expect(tokens).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'openid profile email offline_access',
    })
    const claims = tokens.claims()
    expect(claims).toMatchObject({ iss: signet.issuer, sub: 'alice', aud: 'web', azp: 'web', amr: ['pwd'] })
    expect(claims?.name).toBeUndefined()

    expect(await oidc.fetchUserInfo(config, tokens.access_token, 'alice')).toMatchObject({
      sub: 'alice',
      name: 'Alice Example',
      given_name: 'Alice',
      preferred_username: 'alice@acme.localhost',
      email: 'alice@acme.localhost',
      email_verified: true,
    })
    expect(await oidc.tokenIntrospection(api, tokens.access_token)).toMatchObject({
      active: true,
      sub: 'alice',
      client_id: 'web',
      username: 'alice@acme.localhost',
      token_type: 'Bearer',
    })

    const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
    expect(await isActive(refreshed.access_token)).toBe(true)
    expect(await isActive(tokens.access_token)).toBe(true)

    await oidc.tokenRevocation(config, tokens.access_token)
    expect(await isActive(tokens.access_token)).toBe(false)
    expect(await isActive(refreshed.access_token)).toBe(true)

    await oidc.tokenRevocation(config, refreshed.refresh_token ?? '')
    expect(await isActive(refreshed.access_token)).toBe(false)
    await expect(oidc.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })

    // The browser session is still there: the second sign-in asks for nothing.
    const again = await signInWithBrowser(page, config, app, 'openid offline_access')
    const logout = oidc.buildEndSessionUrl(config, {
      post_logout_redirect_uri: `${app.origin}/goodbye`,
      id_token_hint: again.id_token ?? '',
      state: 'after-logout',
    })
    await page.goto(logout.href)
    await page.waitForURL(`${app.origin}/goodbye?state=after-logout`)
    expect(await isActive(again.access_token)).toBe(false)
    await expect(oidc.refreshTokenGrant(config, again.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })

    await page.goto(
      oidc.buildAuthorizationUrl(config, { redirect_uri: app.redirectUri, scope: 'openid' }).href,
    )
    expect(await page.locator('#login-name').count()).toBe(1)
    await context.close()
  })

  it('reaches an application on another origin that redirects on to a third [F-15]', async () => {
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    const config = await discover(signet.issuer, 'spa', oidc.None())
    const tokens = await signInWithBrowser(page, config, hopping, 'openid')
    await page.waitForURL(`${thirdOrigin.origin}/welcome`)
    expect(tokens.claims()?.sub).toBe('alice')
    await context.close()
  })
})
