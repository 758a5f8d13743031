import * as oidc from 'openid-client'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { RelyingParty } from './relying-party.ts'
import { API_SECRET, PASSWORD, WEB_SECRET } from './test-directory.ts'

/** The configuration of one client, from the discovery document. */
export async function discover(
  issuer: string,
  clientId: string,
  auth: oidc.ClientAuth,
): Promise<oidc.Configuration> {
  return oidc.discovery(new URL(issuer), clientId, undefined, auth, { execute: [oidc.allowInsecureRequests] })
}

/** Signs alice in and answers the tokens, the way a stock client does it. Asks for a password only when the page does. */
export async function signInWithBrowser(
  page: Page,
  config: oidc.Configuration,
  party: RelyingParty,
  scope: string,
) {
  const verifier = oidc.randomPKCECodeVerifier()
  const state = oidc.randomState()
  const nonce = oidc.randomNonce()
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: party.redirectUri,
    scope,
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const callback = party.nextCallback()
  await page.goto(url.href)
  if ((await page.locator('#login-name').count()) > 0) {
    await page.fill('#login-name', 'alice')
    await page.fill('#password', PASSWORD)
    await page.click('#login-submit')
  }
  return oidc.authorizationCodeGrant(config, await callback, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  })
}

/**
 * The steps of a person and the application `web` from the first visit to the sign-out: authorize, userinfo,
 * introspection, refresh, revocation, a second sign-in without a password, RP-initiated logout. Every step is
 * expected to succeed.
 */
export async function signInJourney(issuer: string, page: Page, app: RelyingParty): Promise<void> {
  const config = await discover(issuer, 'web', oidc.ClientSecretBasic(WEB_SECRET))
  const api = await discover(issuer, 'api', oidc.ClientSecretBasic(API_SECRET))
  const isActive = async (token: string) => (await oidc.tokenIntrospection(api, token)).active

  const tokens = await signInWithBrowser(page, config, app, 'openid profile email offline_access')
  expect(tokens.claims()).toMatchObject({ iss: issuer, sub: 'alice', aud: 'web' })
  expect(await oidc.fetchUserInfo(config, tokens.access_token, 'alice')).toMatchObject({
    name: 'Alice Example',
    email: 'alice@acme.localhost',
  })
  expect(await isActive(tokens.access_token)).toBe(true)

  const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
  expect(await isActive(refreshed.access_token)).toBe(true)
  await oidc.tokenRevocation(config, tokens.access_token)
  expect(await isActive(tokens.access_token)).toBe(false)
  await oidc.tokenRevocation(config, refreshed.refresh_token ?? '')
  expect(await isActive(refreshed.access_token)).toBe(false)

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
  await page.goto(oidc.buildAuthorizationUrl(config, { redirect_uri: app.redirectUri, scope: 'openid' }).href)
  expect(await page.locator('#login-name').count()).toBe(1)
}
