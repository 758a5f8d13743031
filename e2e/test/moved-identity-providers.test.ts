// People sign in by an identity provider where their organization was moved to.

import { convertAuth0 } from '@signet/file-formats/sources/auth0'
import { convertAll, documentOf, sourceFile } from '@signet/file-formats/sources/conversion-fixture'
import { convertKeycloak } from '@signet/file-formats/sources/keycloak'
import { homeOrganization } from '@signet/testing/home-organization'
import type { Page } from '@signet/testing/http-browser'
import { startSystem } from '@signet/testing/system/start-system'
import {
  ADMIN_TOKEN,
  bootstrapDocument,
  PASSWORD,
  REDIRECT_URI,
  WEB_SECRET,
} from '@signet/testing/system/test-directory'
import type { TestSystem } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, expect, it } from 'vitest'

const ALIASES = ['corporate', 'shop.corporate', 'tenant.corporate']

let target: TestSystem
let upstream: TestSystem
beforeAll(async () => {
  target = await startSystem({
    mode: 'in-process',
    document: { organizations: [homeOrganization(ADMIN_TOKEN)] },
  })
  const redirectUris = ALIASES.map((id) => `${target.issuer}/ui/identity-providers/${id}/callback`)
  upstream = await startSystem({ mode: 'in-process', document: bootstrapDocument({ redirectUris }) })
}, 120_000)
afterAll(() => Promise.all([upstream?.stop(), target?.stop()]))

const locationOf = ({ headers }: Page) => headers.get('location') ?? ''

/** Signs in at the target by the only provider of an organization, and returns where the browser is sent. */
async function signInBy(organizationId: string, clientId: string, loginName: string): Promise<string> {
  const scope = `openid urn:service:iam:org:id:${organizationId}`
  const query = { client_id: clientId, redirect_uri: REDIRECT_URI, response_type: 'code', scope }
  const browser = target.newBrowser()
  const page = await browser.open(`/oauth/v2/authorize?${new URLSearchParams(query)}`)
  const away = await browser.press(page, 'provider-1')
  const there = upstream.newBrowser()
  const asks = await there.open(locationOf(away))
  const back = await there.submit(asks, { login_name: loginName, password: PASSWORD })
  return locationOf(await browser.open(locationOf(back)))
}

async function importing(document: unknown) {
  const { status, json } = await target.administer('POST', '/admin/v1/import', { data_orgs: document })
  expect([status, json.errors]).toEqual([200, undefined])
}

it('with the link that the organization brings, and the same secret', async () => {
  const source = await startSystem({ mode: 'in-process' })
  try {
    const provider = {
      ...{ id: 'corporate', organizationId: 'acme', name: 'Corporate', issuer: upstream.issuer },
      ...{ clientId: 'web', clientSecret: WEB_SECRET },
    }
    expect((await source.manage('POST', '/identity-providers', provider)).status).toBe(201)
    const link = { providerId: 'corporate', subject: 'carol' }
    expect((await source.manage('POST', '/users/dora/identity-links', link)).status).toBe(201)
    const choices = { org_ids: ['acme'], with_secrets: true }
    await importing((await source.administer('POST', '/admin/v1/export', choices)).json)
  } finally {
    await source.stop()
  }
  expect(await signInBy('acme', 'web', 'carol')).toContain(`${REDIRECT_URI}?code=`)
  const { json } = await target.manage('GET', '/users/dora/identity-links')
  expect(json.items).toMatchObject([{ subject: 'carol', lastUsedAt: expect.any(String) }])
})

it('with the federated identity of a realm of Keycloak', async () => {
  const realm = {
    ...{ id: 'shop', realm: 'shop', enabled: true },
    clients: [
      {
        ...{ id: 'shop-web', clientId: 'shop-web', secret: 'n3Y9sVJ1cS0n3Y9sVJ1cS0n3Y9sVJ1cS' },
        ...{ enabled: true, standardFlowEnabled: true, redirectUris: [REDIRECT_URI] },
      },
    ],
    identityProviders: [
      {
        ...{ alias: 'corporate', displayName: 'Corporate', providerId: 'oidc', enabled: true },
        config: {
          ...{ issuer: upstream.issuer, clientId: 'web', clientSecret: WEB_SECRET },
          ...{ clientAuthMethod: 'client_secret_basic', defaultScope: 'openid profile' },
        },
      },
    ],
    users: [
      {
        ...{ id: 'shop-ann', username: 'ann', enabled: true, firstName: 'Ann' },
        federatedIdentities: [{ identityProvider: 'corporate', userId: 'bob', userName: 'bob' }],
      },
    ],
  }
  const { parts } = await convertAll(convertKeycloak, [sourceFile(realm)], {})
  await importing(JSON.parse(documentOf(parts)))
  expect(await signInBy('shop', 'shop-web', 'bob')).toContain(`${REDIRECT_URI}?code=`)
})

it('with the identity of a connection of Auth0', async () => {
  const connection = {
    ...{ id: 'con_1', name: 'corporate', display_name: 'Corporate', strategy: 'oidc' },
    options: {
      issuer: upstream.issuer,
      client_id: 'web',
      client_secret: WEB_SECRET,
      scope: 'openid profile',
    },
  }
  const client = {
    ...{ client_id: 'tenant-web', name: 'Web', app_type: 'regular_web', callbacks: [REDIRECT_URI] },
    ...{ client_secret: 'n3Y9sVJ1cS0n3Y9sVJ1cS0n3Y9sVJ1cS', grant_types: ['authorization_code'] },
  }
  const user = {
    ...{ user_id: 'oidc|corporate|bob', email: 'ben@tenant.example', given_name: 'Ben' },
    identities: [{ provider: 'oidc', connection: 'corporate', user_id: 'corporate|bob', isSocial: false }],
  }
  const files = [
    sourceFile(connection, 'connections.json'),
    sourceFile(client, 'clients.json'),
    sourceFile(user, 'users.json'),
  ]
  const { parts } = await convertAll(convertAuth0, files, { organizationId: 'tenant' })
  await importing(JSON.parse(documentOf(parts)))
  // The service of the connection expects another method than its own client has.
  const change = { clientAuthentication: 'client_secret_basic' }
  expect((await target.manage('PATCH', '/identity-providers/tenant.corporate', change)).status).toBe(200)
  expect(await signInBy('tenant', 'tenant-web', 'bob')).toContain(`${REDIRECT_URI}?code=`)
})

it('not by a provider that came without its secret, until it has one', async () => {
  const idp = { name: 'Bare', issuer: upstream.issuer, clientId: 'web' }
  await importing({
    orgs: [{ orgId: 'bare', org: { name: 'Bare' }, oidcIdps: [{ idpId: 'bare-idp', idp }] }],
  })
  const provider = '/identity-providers/bare-idp'
  expect((await target.manage('GET', provider)).json).toMatchObject({ state: 'inactive', hasSecret: false })
  expect((await target.manage('POST', `${provider}/activate`, {})).status).toBe(400)
  expect((await target.manage('PATCH', provider, { clientSecret: WEB_SECRET })).status).toBe(200)
  expect((await target.manage('POST', `${provider}/activate`, {})).json).toMatchObject({ state: 'active' })
})
