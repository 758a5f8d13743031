import { createPrivateKey } from 'node:crypto'
import { HttpBrowser, type Page } from '@signet/testing/http-browser'
import { basic } from '@signet/testing/system/client-credentials'
import { discover } from '@signet/testing/system/sign-in-journey'
import type { StandaloneSystem } from '@signet/testing/system/standalone-system'
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import { expect } from 'vitest'
import { type OldClient, SERVICE_ROLE } from './keycloak-clients.ts'
import { DEPARTMENT } from './keycloak-people.ts'

// How each kind of client gets its tokens, as the application behind it does.

/** Secrets and keys that commands of the checklist printed, by client id. */
export interface Credentials {
  readonly secrets: Map<string, string>
  readonly keys: Map<string, string>
}

export interface SigningIn extends Credentials {
  readonly signet: StandaloneSystem
  /** The scopes that the checklist says to ask for. */
  readonly scopes: ReadonlyMap<string, string>
  readonly person: { readonly username: string; readonly password: string }
}

/** The URI that the application sends, where it is not `/cb` of its host. */
const SENT_URIS: Readonly<Record<string, (name: string) => string>> = {
  wildcard: (name) => `https://${name}.old.example/callback`,
  relative: (name) => `https://${name}.old.example/app/callback`,
  spa: (name) => `https://${name}.old.example/`,
  oldspa: (name) => `https://${name}.old.example/`,
  native: () => 'http://127.0.0.1:51004/callback',
  bare: (name) => `https://${name}.old.example/in`,
}

const WAYS: Readonly<Record<string, (client: OldClient, signingIn: SigningIn) => Promise<void>>> = {
  api: introspect,
  service: serviceToken,
  device: deviceFlow,
  implicit: implicitFlow,
  bye: signOut,
  oldspa: async (client, signingIn) => void (await codeFlow(client, signingIn, { hasPkce: false })),
  mapped: mappedClaims,
  backend: async (client, signingIn) => {
    await codeFlow(client, signingIn)
    await serviceToken({ ...client, clientId: `service-account-${client.clientId}` }, signingIn)
  },
}

/** Throws when the client does not get what it got from Keycloak. */
export async function signInClient(client: OldClient, signingIn: SigningIn): Promise<void> {
  const way = WAYS[client.kind]
  if (way === undefined) await codeFlow(client, signingIn)
  else await way(client, signingIn)
}

async function configurationOf(
  { clientId, representation }: OldClient,
  { signet, secrets, keys }: SigningIn,
): Promise<oidc.Configuration> {
  const key = keys.get(clientId)
  if (key !== undefined) return discover(signet.issuer, clientId, await keyAuthentication(key))
  const secret = secrets.get(clientId)
  if (representation.publicClient === true || secret === undefined)
    return discover(signet.issuer, clientId, oidc.None())
  return discover(signet.issuer, clientId, oidc.ClientSecretBasic(secret))
}

async function keyAuthentication(keyFile: string) {
  const { key, keyId } = JSON.parse(keyFile) as { readonly key: string; readonly keyId: string }
  const pkcs8 = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' })
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const privateKey = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign'])
  return oidc.PrivateKeyJwt({ key: privateKey, kid: keyId })
}

/** The page after the sign-in of a person, or the redirect to the application. */
async function signInPerson(
  url: URL,
  { signet, person }: SigningIn,
  browser = new HttpBrowser(signet.issuer),
) {
  const form = await browser.open(`${url.pathname}${url.search}`)
  const page = isSignInPage(form) ? await browser.submit(form, loginOf(person)) : form
  const location = page.headers.get('location')
  if (location === null) throw new Error(said(page))
  return new URL(location)
}

const isSignInPage = ({ body }: Page) => body.includes('id="login-name"')
const loginOf = ({ username, password }: SigningIn['person']) => ({
  login_name: `${username}@old.example`,
  password,
})
const said = ({ status, body }: Page) =>
  `${status} ${/role="alert"[^>]*>([^<]*)/.exec(body)?.[1] ?? body.slice(0, 300)}`

async function codeFlow(
  client: OldClient,
  signingIn: SigningIn,
  { hasPkce = true, browser = new HttpBrowser(signingIn.signet.issuer) } = {},
) {
  const { clientId, kind } = client
  const config = await configurationOf(client, signingIn)
  const verifier = oidc.randomPKCECodeVerifier()
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: SENT_URIS[kind]?.(clientId) ?? `https://${clientId}.old.example/cb`,
    scope: ['openid', 'profile', signingIn.scopes.get(clientId)].filter(Boolean).join(' '),
    ...(hasPkce && {
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }),
  })
  const callback = await signInPerson(url, signingIn, browser)
  const tokens = await oidc.authorizationCodeGrant(config, callback, {
    ...(hasPkce && { pkceCodeVerifier: verifier }),
  })
  return { config, tokens }
}

async function mappedClaims(client: OldClient, signingIn: SigningIn): Promise<void> {
  const { config, tokens } = await codeFlow(client, signingIn)
  const claims = decodeJwt(tokens.access_token)
  expect(claims).toMatchObject({ department: DEPARTMENT, roles: ['reader', 'writer'] })
  expect(await oidc.fetchUserInfo(config, tokens.access_token, claims.sub ?? '')).toMatchObject({
    preferred_username: signingIn.person.username,
    department: DEPARTMENT,
  })
}

async function implicitFlow({ clientId }: OldClient, signingIn: SigningIn): Promise<void> {
  const { issuer } = signingIn.signet
  const query = new URLSearchParams({
    ...{ client_id: clientId, response_type: 'id_token', scope: 'openid', nonce: 'n-0S6_WzA2Mj' },
    redirect_uri: `https://${clientId}.old.example/cb`,
  })
  const callback = await signInPerson(new URL(`/oauth/v2/authorize?${query}`, issuer), signingIn)
  const token = new URLSearchParams(callback.hash.slice(1)).get('id_token')
  expect(decodeJwt(token ?? '').aud).toBe(clientId)
}

async function serviceToken({ clientId, kind }: OldClient, { signet, secrets, scopes }: SigningIn) {
  const config = await discover(signet.issuer, clientId, oidc.ClientSecretBasic(secrets.get(clientId) ?? ''))
  const rolesOf = [...scopes.values()].find((text) => text.includes('projects:roles'))
  const scope = ['openid', scopes.get(clientId) ?? rolesOf].filter(Boolean).join(' ')
  const tokens = await oidc.clientCredentialsGrant(config, { scope })
  expect(JSON.stringify(decodeJwt(tokens.access_token)), kind).toContain(`api-0:${SERVICE_ROLE}`)
}

async function introspect({ clientId }: OldClient, { signet, secrets }: SigningIn): Promise<void> {
  const credentials = basic(clientId, secrets.get(clientId) ?? '')
  const { status } = await signet.post('/oauth/v2/introspect', { token: 'unknown' }, credentials)
  expect(status).toBe(200)
}

async function deviceFlow(client: OldClient, signingIn: SigningIn): Promise<void> {
  const config = await configurationOf(client, signingIn)
  const begun = await oidc.initiateDeviceAuthorization(config, { scope: 'openid' })
  const browser = new HttpBrowser(signingIn.signet.issuer)
  const entered = await browser.submit(await browser.open('/ui/device'), { user_code: begun.user_code })
  const signedIn = await browser.submit(entered, loginOf(signingIn.person))
  const allowed = await browser.submit(signedIn, { decision: 'allow' })
  expect(allowed.body).toContain('The device has access')
  const tokens = await oidc.pollDeviceAuthorizationGrant(config, { ...begun, interval: 0 })
  expect(tokens.claims()?.aud).toBe(client.clientId)
}

/** Signs in and out, and comes back to the application. */
async function signOut(client: OldClient, signingIn: SigningIn): Promise<void> {
  const browser = new HttpBrowser(signingIn.signet.issuer)
  const { config, tokens } = await codeFlow(client, signingIn, { browser })
  const back = `https://${client.clientId}.old.example/bye`
  const url = oidc.buildEndSessionUrl(config, {
    id_token_hint: tokens.id_token ?? '',
    post_logout_redirect_uri: back,
  })
  const page = await browser.open(`${url.pathname}${url.search}`)
  expect(page.headers.get('location') ?? said(page)).toBe(back)
}
