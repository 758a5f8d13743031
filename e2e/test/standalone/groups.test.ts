import type { BootstrapFileInput } from '@signet/directory/bootstrap'
import { ADMIN_TOKEN, REDIRECT_URI, ROBOT_TOKEN, SECRET } from '@signet/testing/system/oauth-directory'
import {
  type AuthorizedSession,
  createOAuthEnvironment,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const METADATA = 'urn:service:iam:user:metadata'
const ROLES = 'urn:service:iam:org:project:roles'
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

const user = (id: string, more: object = {}) => ({
  id,
  userName: id,
  profile: { givenName: id, familyName: 'Example' },
  ...more,
})
const application = (id: string, more: object = {}) => ({
  id,
  clientId: id,
  name: id,
  type: 'web' as const,
  clientSecret: SECRET,
  redirectUris: [REDIRECT_URI],
  firstParty: true,
  ...more,
})
const api = (id: string, more: object = {}) => ({
  id,
  clientId: id,
  name: id,
  type: 'api' as const,
  clientSecret: SECRET,
  ...more,
})
const MAPPING = { claimMapping: { cost_center: 'cost center', department: 'unit' } }

/** ACME owns the project `portal`. Beta owns `shop`, where it may call a role what it likes. */
const DIRECTORY: BootstrapFileInput = {
  organizations: [
    {
      id: 'acme',
      name: 'ACME',
      primaryDomain: 'acme.localhost',
      users: [user('alice', { metadata: { 'cost center': '4711', unit: 'Süd' } }), user('bob')],
      serviceUsers: [
        {
          id: 'admin',
          userName: 'admin',
          roles: ['IAM_OWNER'],
          personalAccessTokens: [{ id: 'a', token: ADMIN_TOKEN, expiresAt: '2100-01-01T00:00:00Z' }],
        },
        {
          id: 'robot',
          userName: 'robot',
          accessTokenType: 'jwt',
          clientSecret: SECRET,
          personalAccessTokens: [{ id: 'r', token: ROBOT_TOKEN, expiresAt: '2100-01-01T00:00:00Z' }],
        },
      ],
      projects: [
        {
          id: 'portal',
          name: 'Portal',
          allowedAudiences: ['shop-web'],
          roles: [
            { key: 'admin', displayName: 'Administrator' },
            { key: 'beta:reader', displayName: 'Reader of beta' },
            { key: 'reader', displayName: 'Reader' },
          ],
          grants: [
            { userId: 'alice', roles: ['admin', 'reader'] },
            { userId: 'carol', roles: ['reader'] },
            { userId: 'robot', roles: ['reader'] },
          ],
          applications: [
            application('web'),
            application('web-jwt', { accessTokenType: 'jwt' }),
            application('in-id-token', { idTokenRoleAssertion: true }),
            application('all-in-id-token', { idTokenUserinfoAssertion: true }),
            application('qualified', { groupsQualified: true, accessTokenType: 'jwt' }),
            application('objects', {
              groupsClaim: 'roles',
              groupsAsObjects: true,
              idTokenRoleAssertion: true,
            }),
            application('user-names', {
              preferredUsernameWithoutDomain: true,
              idTokenUserinfoAssertion: true,
            }),
            api('api-user-names', { preferredUsernameWithoutDomain: true }),
            application('mapped', { ...MAPPING, accessTokenType: 'jwt' }),
            application('page', { responseTypes: ['id_token', 'id_token token'], grantTypes: ['implicit'] }),
            application('exchanger', {
              grantTypes: ['authorization_code', 'refresh_token', EXCHANGE],
              idTokenRoleAssertion: true,
            }),
            api('api'),
            api('api-roles', { groupsClaim: 'roles', groupsQualified: true, ...MAPPING }),
          ],
        },
      ],
    },
    {
      id: 'beta',
      name: 'Beta',
      primaryDomain: 'beta.localhost',
      users: [user('carol'), user('mallory', { metadata: { role: 'admin' } })],
      projects: [
        {
          id: 'shop',
          name: 'Shop',
          roles: [{ key: 'admin' }],
          grants: [{ userId: 'mallory', roles: ['admin'] }],
          applications: [
            application('shop-web', {
              accessTokenType: 'jwt',
              idTokenRoleAssertion: true,
              claimMapping: { tenant_role: 'role' },
            }),
          ],
        },
      ],
    },
  ],
  features: { oidcTokenExchange: true },
}

let oauth: OAuthEnvironment
beforeAll(async () => {
  oauth = createOAuthEnvironment(await startSystem({ ...OAUTH_SYSTEM, document: DIRECTORY }))
}, 60_000)
afterAll(() => oauth?.stop())

const signIn = async (session: AuthorizedSession) => {
  const { status, json } = await oauth.tokens({ scope: 'openid groups', ...session })
  expect([status, json.scope]).toEqual([200, session.scope ?? 'openid groups'])
  return json
}
const userinfo = async (token: unknown) => (await oauth.userinfo(token)).json
const introspection = async (token: unknown, basic = 'api') => (await oauth.introspect(token, { basic })).json
const BOTH = ['admin', 'reader']

describe('the scope groups', () => {
  it('lists role keys at userinfo and introspection, and in a JWT access token', async () => {
    const opaque = await signIn({})
    expect(await userinfo(opaque.access_token)).toEqual({ sub: 'alice', groups: BOTH })
    expect(await introspection(opaque.access_token)).toMatchObject({ active: true, groups: BOTH })
    const jwt = await signIn({ clientId: 'web-jwt' })
    expect(await oauth.verify(jwt.access_token, 'at+jwt')).toMatchObject({ groups: BOTH })
    expect(await userinfo(jwt.access_token)).toEqual({ sub: 'alice', groups: BOTH })
  })

  it('is an empty list for a user without a role', async () => {
    const { access_token } = await signIn({ userId: 'bob', clientId: 'web-jwt' })
    expect(await oauth.verify(access_token, 'at+jwt')).toMatchObject({ groups: [] })
    expect(await userinfo(access_token)).toEqual({ sub: 'bob', groups: [] })
    expect(await introspection(access_token)).toMatchObject({ groups: [] })
  })

  it('adds no claim without the scope', async () => {
    const { access_token } = await signIn({ clientId: 'web-jwt', scope: 'openid profile' })
    for (const claims of [
      await oauth.verify(access_token, 'at+jwt'),
      await userinfo(access_token),
      await introspection(access_token),
    ])
      expect(claims).not.toHaveProperty('groups')
  })

  it('stands beside the reserved claims, which stay nested', async () => {
    const { access_token } = await signIn({ scope: 'openid groups urn:service:iam:org:projects:roles' })
    const acme = { acme: 'acme.localhost' }
    const expected = { groups: BOTH, [ROLES]: { admin: acme, reader: acme } }
    expect(await userinfo(access_token)).toMatchObject(expected)
    expect(await introspection(access_token)).toMatchObject(expected)
  })

  it.each([
    ['web', undefined],
    ['in-id-token', BOTH],
    ['all-in-id-token', BOTH],
  ])('an ID token of %s beside an access token has groups %o', async (clientId, groups) => {
    const { id_token } = await signIn({ clientId })
    const claims = await oauth.verify(id_token)
    expect(claims.groups).toEqual(groups)
    // Roles stand once, although the application asserts them.
    for (const name of Object.keys(claims)) expect(name).not.toMatch(/^urn:.*:roles$/)
  })

  it('an ID token without the scope has the reserved claims of the role assertion', async () => {
    const { json } = await oauth.tokens({ clientId: 'in-id-token', scope: 'openid' })
    const roles = { admin: { acme: 'acme.localhost' }, reader: { acme: 'acme.localhost' } }
    expect(await oauth.verify(json.id_token)).toMatchObject({ [ROLES]: roles })
  })

  it('an ID token that comes without an access token has groups', async () => {
    const session = { clientId: 'page', scope: 'openid groups' }
    const alone = await oauth.implicit({ ...session, withAccessToken: false })
    expect((await oauth.verify(alone.idToken)).groups).toEqual(BOTH)
    const beside = await oauth.implicit({ ...session, withAccessToken: true })
    expect(await oauth.verify(beside.idToken)).not.toHaveProperty('groups')
  })

  it('a refresh has the roles of its moment, and none without the scope', async () => {
    const scope = 'openid offline_access groups'
    const { refresh_token } = await signIn({ clientId: 'in-id-token', scope, userId: 'bob' })
    const grant = { userId: 'bob', roles: ['reader'] }
    expect((await oauth.manage('POST', '/management/v1/projects/portal/user-grants', grant)).status).toBe(201)
    let latest = refresh_token
    const refreshed = async (more = {}) => {
      const { json } = await oauth.refresh(latest, more, { basic: 'in-id-token' })
      latest = json.refresh_token
      return (await oauth.verify(json.id_token)).groups
    }
    await expect.poll(() => refreshed()).toEqual(['reader'])
    expect(await refreshed({ scope: 'openid' })).toBeUndefined()
    await oauth.database.query({ name: '', text: `DELETE FROM directory.user_grant WHERE user_id = 'bob'` })
  })

  it('introspection and userinfo show a change of roles within a second, also where they responded before', async () => {
    const { access_token } = await signIn({ userId: 'bob' })
    const groups = async () => [
      (await userinfo(access_token)).groups,
      (await introspection(access_token)).groups,
    ]
    for (let call = 0; call < 3; call += 1) expect(await groups()).toEqual([[], []])
    const path = '/management/v1/projects/portal/user-grants'
    const { json } = await oauth.manage('POST', path, { userId: 'bob', roles: ['admin'] })
    await expect.poll(groups, { timeout: 2_000 }).toEqual([['admin'], ['admin']])
    expect((await oauth.manage('PATCH', `${path}/${json.id}`, { roles: ['reader'] })).status).toBe(200)
    await expect.poll(groups, { timeout: 2_000 }).toEqual([['reader'], ['reader']])
    expect((await oauth.manage('DELETE', `${path}/${json.id}`)).status).toBe(204)
    await expect.poll(groups, { timeout: 2_000 }).toEqual([[], []])
  })

  it('an exchange passes it on, from an access token and from an ID token that contains the claim', async () => {
    const subject = await signIn({ clientId: 'exchanger' })
    const exchange = async (token: unknown, type: string, more: Record<string, string> = {}) => {
      const form = {
        subject_token: String(token),
        subject_token_type: `urn:ietf:params:oauth:token-type:${type}`,
      }
      const { json } = await oauth.token({ grant_type: EXCHANGE, ...form, ...more }, { basic: 'exchanger' })
      return json
    }
    const jwt = { requested_token_type: 'urn:ietf:params:oauth:token-type:jwt' }
    const fromAccessToken = await exchange(subject.access_token, 'access_token', jwt)
    expect(await oauth.verify(fromAccessToken.access_token, 'at+jwt')).toMatchObject({ groups: BOTH })
    const narrower = await exchange(subject.access_token, 'access_token', { ...jwt, audience: 'portal' })
    expect(await oauth.verify(narrower.access_token, 'at+jwt')).toMatchObject({ groups: BOTH })
    const fromIdToken = await exchange(subject.id_token, 'id_token', { scope: 'openid groups' })
    expect(fromIdToken).toMatchObject({ scope: 'openid groups' })
    expect(await userinfo(fromIdToken.access_token)).toMatchObject({ groups: BOTH })
    const without = await signIn({ clientId: 'exchanger', scope: 'openid' })
    const wider = await exchange(without.id_token, 'id_token', { scope: 'openid groups' })
    expect(wider).toMatchObject({ error: 'invalid_scope' })
  })

  it('shows the roles of a service user to an application of the project', async () => {
    const form = {
      grant_type: 'client_credentials',
      scope: 'groups urn:service:iam:org:project:id:portal:aud',
    }
    const { json } = await oauth.token(form, { basic: 'robot' })
    expect(await introspection(json.access_token)).toMatchObject({ groups: ['reader'] })
    // The token names no application, so that there is no project of its own.
    expect(await oauth.verify(json.access_token, 'at+jwt')).not.toHaveProperty('groups')
    expect(await introspection(ROBOT_TOKEN)).toMatchObject({ groups: ['reader'] })
    expect(await introspection(ROBOT_TOKEN, 'api-roles')).toMatchObject({ roles: ['acme:reader'] })
  })
})

describe('the settings of an application', () => {
  it('groupsClaim and groupsAsObjects change name and values everywhere', async () => {
    const { access_token, id_token } = await signIn({ clientId: 'objects' })
    const roles = [
      { value: 'admin', display: 'Administrator' },
      { value: 'reader', display: 'Reader' },
    ]
    expect(await userinfo(access_token)).toEqual({ sub: 'alice', roles })
    expect(await oauth.verify(id_token)).toMatchObject({ roles })
  })

  it('preferredUsernameWithoutDomain leaves the domain of preferred_username out everywhere', async () => {
    const scope = 'openid profile'
    const { access_token, id_token } = await signIn({ clientId: 'user-names', scope })
    const named = { preferred_username: 'alice' }
    expect(await userinfo(access_token)).toMatchObject(named)
    expect(await oauth.verify(id_token)).toMatchObject(named)
    expect(await introspection(access_token, 'api-user-names')).toMatchObject({
      ...named,
      username: 'alice@acme.localhost',
    })
    const other = await signIn({ clientId: 'web', scope })
    expect(await userinfo(other.access_token)).toMatchObject({ preferred_username: 'alice@acme.localhost' })
  })

  it('groupsQualified names the organization of the user, so that a role of another organization is another value', async () => {
    const groups = async (session: AuthorizedSession) => {
      const { access_token } = await signIn({ clientId: 'qualified', ...session })
      expect(await userinfo(access_token)).toMatchObject({
        groups: (await oauth.verify(access_token, 'at+jwt')).groups,
      })
      return (await userinfo(access_token)).groups
    }
    expect(await groups({})).toEqual(['acme:admin', 'acme:reader'])
    expect(await groups({ userId: 'carol', organizationId: 'beta' })).toEqual(['beta:reader'])
  })

  it('introspection obeys the settings of the application that asks', async () => {
    const { access_token } = await signIn({ scope: `openid groups ${METADATA}` })
    const response = await introspection(access_token, 'api-roles')
    expect(response).toMatchObject({ roles: ['acme:admin', 'acme:reader'], cost_center: '4711' })
    expect(response).not.toHaveProperty('groups')
    expect(await introspection(access_token)).not.toHaveProperty('cost_center')
  })

  it('a change of them shows within a second, in introspection too', async () => {
    const { access_token } = await signIn({ scope: `openid ${METADATA}` })
    const seen = async () => (await introspection(access_token)).department
    for (let call = 0; call < 3; call += 1) expect(await seen()).toBeUndefined()
    const change = (claimMapping: object) =>
      oauth.manage('PATCH', '/management/v1/applications/api', { claimMapping })
    expect((await change({ department: 'unit' })).status).toBe(200)
    await expect.poll(seen, { timeout: 2_000 }).toBe('Süd')
    expect((await change({ department: 'cost center' })).status).toBe(200)
    await expect.poll(seen, { timeout: 2_000 }).toBe('4711')
    expect((await change({})).status).toBe(200)
    await expect.poll(seen, { timeout: 2_000 }).toBeUndefined()
  })
})

describe('claimMapping', () => {
  it('fills claims at userinfo, in the ID token and in a JWT access token, where the scope of metadata was granted', async () => {
    const { access_token, id_token } = await signIn({ clientId: 'mapped', scope: `openid ${METADATA}` })
    const expected = { cost_center: '4711', department: 'Süd' }
    expect(await userinfo(access_token)).toMatchObject(expected)
    expect(await oauth.verify(id_token)).toMatchObject(expected)
    expect(await oauth.verify(access_token, 'at+jwt')).toMatchObject(expected)
  })

  it('fills nothing without that scope', async () => {
    const { access_token, id_token } = await signIn({ clientId: 'mapped', scope: 'openid profile groups' })
    for (const claims of [
      await userinfo(access_token),
      await oauth.verify(id_token),
      await oauth.verify(access_token, 'at+jwt'),
    ])
      expect(Object.keys(claims)).not.toEqual(expect.arrayContaining(['cost_center']))
  })

  it('leaves a claim out whose key the user does not have', async () => {
    const { access_token } = await signIn({ clientId: 'mapped', scope: `openid ${METADATA}`, userId: 'bob' })
    expect(await userinfo(access_token)).toEqual({ sub: 'bob' })
  })
})

describe('a token that names a project of another organization', () => {
  it('has neither groups nor mapped claims, which a resource server there could take for its own', async () => {
    const scope = `openid groups ${METADATA} urn:service:iam:org:project:id:portal:aud`
    const session = { clientId: 'shop-web', userId: 'mallory', organizationId: 'beta', scope }
    const { access_token, id_token } = await signIn(session)
    const claims = await oauth.verify(access_token, 'at+jwt')
    expect(claims).toMatchObject({ aud: ['shop-web', 'shop', 'portal'] })
    for (const name of ['groups', 'tenant_role']) {
      expect(claims).not.toHaveProperty(name)
      expect(await userinfo(access_token)).not.toHaveProperty(name)
    }
    // Only the application itself is the audience of its ID token.
    expect(await oauth.verify(id_token)).toMatchObject({ groups: ['admin'], tenant_role: 'admin' })
    // A resource server of the other project learns the roles there.
    expect(await introspection(access_token)).toMatchObject({ active: true, groups: [] })
  })

  it('has them without that audience', async () => {
    const scope = `openid groups ${METADATA}`
    const session = { clientId: 'shop-web', userId: 'mallory', organizationId: 'beta', scope }
    const { access_token } = await signIn(session)
    const expected = { groups: ['admin'], tenant_role: 'admin' }
    expect(await oauth.verify(access_token, 'at+jwt')).toMatchObject(expected)
    expect(await userinfo(access_token)).toMatchObject(expected)
  })
})
