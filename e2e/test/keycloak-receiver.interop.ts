// A realm of a real Keycloak takes identity assertions of Signet (Identity Assertion JWT Authorization Grant), by its experimental
// feature. `npm run test:interop` runs it where Java and Maven are installed.

import { type Keycloak, startKeycloak } from '@signet/testing/keycloak-server'
import { application, oauthDirectory } from '@signet/testing/system/oauth-directory'
import { createOAuthEnvironment, type OAuthEnvironment } from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

const programs = process.env.SIGNET_TEST_INTEROP?.split(',') ?? []
const canRun = ['java', 'mvn'].every((program) => programs.includes(program))

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const TYPE = 'urn:ietf:params:oauth:token-type:'
const REALM = 'chat'
const SECRET = 'a-secret-of-the-realm'
const CLIENTS = ['wiki-at-chat', 'second-at-chat']

describe.runIf(canRun)('a realm of Keycloak that receives identity assertions', () => {
  const opened = new AsyncDisposableStack()
  let home: OAuthEnvironment
  let keycloak: Keycloak
  let realm: string

  beforeAll(async () => {
    const document = oauthDirectory()
    document.organizations?.[0]?.projects?.[0]?.applications?.push(
      application('wiki', { grantTypes: ['authorization_code', EXCHANGE] }),
    )
    const system = await startSystem({ mode: 'in-process', document })
    opened.defer(async () => void (await system.stop()))
    home = createOAuthEnvironment(system)
    keycloak = await startKeycloak({ features: ['identity-assertion-jwt'] })
    opened.defer(() => keycloak.remove())
    realm = `${keycloak.origin}/realms/${REALM}`
    await createRealm()
    await home.manage('PUT', '/v2/features/instance', { oidcTokenExchange: true })
    const targets = [realm, 'https://else.example'].map((issuer) => [
      issuer,
      { clientId: 'wiki-at-chat', scopes: ['profile'] },
    ])
    const { status } = await home.manage('PATCH', '/management/v1/applications/wiki', {
      crossAppAccess: Object.fromEntries(targets),
    })
    expect(status).toBe(200)
    await vi.waitFor(() => assertionOf('alice'), 10_000)
  }, 600_000)
  afterAll(() => opened.disposeAsync())

  /** The realm trusts Signet, and knows the person whom Signet calls alice as ann. */
  async function createRealm(): Promise<void> {
    const ann = { username: 'ann', enabled: true, email: 'ann@chat.example', firstName: 'A', lastName: 'N' }
    await keycloak.call('POST', '/realms', {
      ...{ realm: REALM, enabled: true, sslRequired: 'none' },
      users: [{ ...ann, emailVerified: true }],
    })
    const { issuer } = home.system
    await keycloak.call('POST', `/realms/${REALM}/identity-provider/instances`, {
      ...{ alias: 'signet', providerId: 'oidc', enabled: true },
      config: {
        ...{ issuer, clientId: 'chat', clientSecret: SECRET, useJwksUrl: 'true', validateSignature: 'true' },
        ...{ authorizationUrl: `${issuer}/oauth/v2/authorize`, tokenUrl: `${issuer}/oauth/v2/token` },
        ...{ jwksUrl: `${issuer}/oauth/v2/keys`, jwtAuthorizationGrantEnabled: 'true' },
        ...{ jwtAuthorizationGrantAssertionReuseAllowed: 'false' },
        jwtAuthorizationGrantMaxAllowedAssertionExpiration: '300',
      },
    })
    for (const clientId of CLIENTS)
      await keycloak.call('POST', `/realms/${REALM}/clients`, {
        ...{ clientId, secret: SECRET, publicClient: false, serviceAccountsEnabled: true },
        attributes: {
          'oauth2.jwt.authorization.grant.enabled': 'true',
          'oauth2.jwt.authorization.grant.idp': 'signet',
        },
      })
    const [user] = (await keycloak.call('GET', `/realms/${REALM}/users?username=ann`)) as [{ id: string }]
    await keycloak.call('POST', `/realms/${REALM}/users/${user.id}/federated-identity/signet`, {
      ...{ userId: 'alice', userName: 'alice' },
    })
  }

  /** An assertion of Signet about a person who signed in at the wiki. */
  async function assertionOf(userId: string, audience = realm): Promise<string> {
    const signedIn = await home.tokens({ clientId: 'wiki', userId, scope: 'openid profile' })
    const { status, json } = await home.token(
      {
        ...{ grant_type: EXCHANGE, requested_token_type: `${TYPE}id-jag`, audience },
        ...{ subject_token: String(signedIn.json.id_token), subject_token_type: `${TYPE}id_token` },
      },
      { basic: 'wiki' },
    )
    expect([status, json.error_description]).toEqual([200, undefined])
    return String(json.access_token)
  }

  async function present(assertion: string, clientId = 'wiki-at-chat') {
    const response = await fetch(`${realm}/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: JWT_BEARER, assertion, client_id: clientId, client_secret: SECRET },
      }),
    })
    const { access_token: token, ...answer } = (await response.json()) as { readonly access_token?: string }
    return { status: response.status, token, answer }
  }

  it('gives the client a token of the person, once for each assertion', async () => {
    const assertion = await assertionOf('alice')
    const { status, token = '', answer } = await present(assertion)
    expect([status, answer]).toEqual([200, expect.objectContaining({ token_type: 'Bearer' })])
    expect(decodeJwt(token)).toMatchObject({
      ...{ iss: realm, azp: 'wiki-at-chat', preferred_username: 'ann' },
    })
    expect((await present(assertion)).status).toBe(400)
    expect((await present(await assertionOf('alice'))).status).toBe(200)
  })

  it.each<[what: string, ask: () => ReturnType<typeof present>]>([
    ['for another audience', async () => present(await assertionOf('alice', 'https://else.example'))],
    ['presented by another client', async () => present(await assertionOf('alice'), 'second-at-chat')],
    ['about a person whom the realm does not know', async () => present(await assertionOf('bob'))],
    ['with another signature', async () => present(await tampered())],
  ])('refuses an assertion %s', async (_, ask) => {
    const { status, token } = await ask()
    expect([status, token]).toEqual([400, undefined])
  })

  async function tampered(): Promise<string> {
    const [header, , signature] = (await assertionOf('bob')).split('.')
    const [, claims] = (await assertionOf('alice')).split('.')
    return [header, claims, signature].join('.')
  }
})
