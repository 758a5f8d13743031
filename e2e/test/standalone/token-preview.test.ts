import { tableDigests } from '@signet/testing/stored-rows'
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

async function preview(
  applicationId: string,
  scope: string,
  userId = 'alice',
  { bearer, ...more }: { bearer?: string; resource?: string; grantType?: string } = {},
) {
  const query = new URLSearchParams({ userId, applicationId, scope, ...more })
  return oauth.manage('GET', `/management/v1/token-preview?${query}`, undefined, bearer)
}

/** The claims of a single sign-in or token. */
const OF_ONE_TOKEN = ['jti', 'sid', 'auth_time', 'amr', 'acr', 'nonce', 'at_hash', 'urn:service:iam:rv']
/** The clock of the system may move between the evaluation and the token. */
const TIMES = ['iat', 'nbf', 'exp']

const comparable = (claims: unknown) =>
  Object.fromEntries(
    Object.entries(Object(claims)).filter(([name]) => ![...OF_ONE_TOKEN, ...TIMES].includes(name)),
  )

const stored = () =>
  tableDigests(async (text, name) => (await oauth.database.query<object>({ name, text })).rows, ['grants'])

const ROLES = 'urn:service:iam:org:projects:roles'
const METADATA = 'urn:service:iam:user:metadata'

describe('a preview of tokens', () => {
  it.each([
    ['web', 'openid'],
    ['web', `openid profile email phone ${ROLES} ${METADATA}`],
    ['web', `openid groups urn:service:iam:org:project:id:asserted:aud ${ROLES}`],
    ['jwt', `openid profile groups ${METADATA}`],
    ['role-asserting', 'openid'],
    ['asserting', 'openid profile email'],
    ['asserted', 'openid profile'],
  ])('has the claims of the tokens that %s gets for "%s"', async (clientId, scope) => {
    const { status, json: evaluated } = await preview(clientId, scope)
    expect(status).toBe(200)
    const { json } = await oauth.tokens({ clientId, scope })
    expect(evaluated).toMatchObject({
      scopes: String(json.scope).split(' '),
      droppedScopes: [],
      refusals: [],
    })
    expect(comparable(evaluated.idToken)).toEqual(comparable(await oauth.verify(json.id_token)))
    expect(evaluated.userinfo).toEqual((await oauth.userinfo(json.access_token)).json)
    const issued =
      evaluated.accessTokenType === 'jwt'
        ? await oauth.verify(json.access_token, 'at+jwt')
        : (await oauth.introspect(json.access_token, { basic: clientId })).json
    expect(comparable(evaluated.accessToken)).toEqual(comparable(issued))
    for (const claims of [evaluated.idToken, evaluated.accessToken])
      for (const name of OF_ONE_TOKEN) expect(claims).not.toHaveProperty([name])
  })

  it('says which scopes would be dropped and why, and drops them', async () => {
    const { json } = await preview('page', 'openid profil offline_access email')
    expect(json.scopes).toEqual(['openid', 'email'])
    expect(json.droppedScopes).toEqual([
      { scope: 'profil', reason: 'scope_unknown', rule: expect.stringContaining('no scope of this name') },
      { scope: 'offline_access', reason: 'no_refresh_token', rule: expect.stringContaining('refresh_token') },
    ])
  })

  it.each([
    ['checked', 'openid', 'bob', [{ reason: 'project_role_missing', projectId: 'checked' }]],
    ['checked', 'openid', 'carol', [{ reason: 'project_not_granted', projectId: 'checked' }]],
    ['page', 'openid', 'alice', [{ reason: 'grant_type_not_allowed' }]],
    ['web', 'profile', 'alice', [{ reason: 'scope_without_openid' }]],
    [
      'web',
      'openid urn:service:iam:org:project:id:closed:aud',
      'alice',
      [{ reason: 'audience_not_allowed' }],
    ],
    ['web', 'openid urn:service:iam:org:id:beta', 'alice', [{ reason: 'scope_of_other_organization' }]],
    ['web', 'openid', 'robot', [{ reason: 'user_not_human' }]],
  ])('names the rules that would refuse a sign-in to %s with "%s" by %s', async (id, scope, user, rules) => {
    const { json } = await preview(id, scope, user)
    expect(json.refusals).toEqual(rules.map((rule) => ({ ...rule, rule: expect.stringMatching(/\w{4}/) })))
  })

  it('names the APIs of resource as the request of a sign-in does', async () => {
    const uri = 'https://asserted.example'
    const set = await oauth.manage('PATCH', '/management/v1/projects/asserted', { resourceUri: uri })
    expect(set.status).toBe(200)
    await expect
      .poll(async () => JSON.stringify((await preview('jwt', 'openid', 'alice', { resource: uri })).json))
      .toContain(`"${uri}"]`)
    const { json: evaluated } = await preview('jwt', 'openid', 'alice', { resource: uri })
    expect(evaluated.scopes).toEqual(['openid', 'urn:service:iam:org:project:id:asserted:aud'])
    const { json } = await oauth.tokens({ clientId: 'jwt', scope: (evaluated.scopes as string[]).join(' ') })
    expect(comparable(evaluated.accessToken)).toEqual(
      comparable(await oauth.verify(json.access_token, 'at+jwt')),
    )
    expect(Object(evaluated.accessToken).aud).toContain(uri)
    const unknown = 'https://unknown.example'
    const { json: refused } = await preview('jwt', 'openid', 'alice', { resource: `${uri} ${unknown}` })
    expect(refused.refusals).toEqual([
      { reason: 'resource_unknown', resource: unknown, rule: expect.stringContaining('resourceUri') },
    ])
    const many = Array.from({ length: 21 }, (_, at) => `https://${at}.example`).join(' ')
    expect((await preview('jwt', 'openid', 'alice', { resource: many })).json).toMatchObject({
      details: [{ field: 'resource' }],
    })
  })

  it('evaluates a sign-in on a device', async () => {
    const grantType = 'urn:ietf:params:oauth:grant-type:device_code'
    const { json } = await preview('web', 'openid', 'alice', { grantType })
    expect(json.refusals).toMatchObject([{ reason: 'grant_type_not_allowed' }])
    const { grantTypes } = (await oauth.manage('GET', '/management/v1/applications/web')).json as {
      grantTypes: string[]
    }
    const change = (to: readonly string[]) =>
      oauth.manage('PATCH', '/management/v1/applications/web', { grantTypes: to })
    expect((await change([...grantTypes, grantType])).status).toBe(200)
    await expect
      .poll(async () => (await preview('web', 'openid', 'alice', { grantType })).json.refusals)
      .toEqual([])
    expect((await change(grantTypes)).status).toBe(200)
    expect((await preview('web', 'openid', 'alice', { grantType: 'implicit' })).status).toBe(400)
  })

  it('issues and stores nothing', async () => {
    const before = await stored()
    const { json } = await preview('jwt', 'openid offline_access')
    expect(JSON.stringify(json)).not.toContain('eyJ')
    expect(await stored()).toEqual(before)
  })

  it('needs the right to see both the organization of the user and the project of the application', async () => {
    const { json } = await oauth.tokens({
      clientId: 'console',
      userId: 'boss',
      scope: 'openid urn:service:iam:org:project:id:signet:aud',
    })
    const asBoss = (application: string, user: string) =>
      preview(application, 'openid', user, { bearer: String(json.access_token) }).then(({ status }) => status)
    expect(await asBoss('web', 'alice')).toBe(200)
    expect(await asBoss('web', 'carol')).toBe(403)
    expect(await asBoss('foreign', 'alice')).toBe(403)
    expect(await asBoss('unknown', 'alice')).toBe(403)
  })

  it('refuses what no scope parameter may be, and names what does not exist', async () => {
    expect((await preview('web', 'openid "quoted"')).json).toMatchObject({
      code: 3,
      details: [{ field: 'scope' }],
    })
    expect((await preview('unknown', 'openid')).status).toBe(404)
    expect((await preview('web', 'openid', 'unknown')).status).toBe(404)
  })
})
