import { randomBytes } from 'node:crypto'
import { EXPIRED_ROBOT_TOKEN, ROBOT_TOKEN } from '@signet/testing/system/oauth-directory'
import {
  createOAuthEnvironment,
  ISSUER,
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

const ROLES = { reader: { acme: 'acme.localhost' } }
const ROBOT = {
  name: 'Robot',
  preferred_username: 'robot@acme.localhost',
  updated_at: expect.any(Number),
}

describe('a personal access token', () => {
  it('introspection: is active for an application, with the roles of its own project', async () => {
    const { json } = await oauth.introspect(ROBOT_TOKEN)
    expect(json).toEqual({
      active: true,
      iss: ISSUER,
      sub: 'robot',
      aud: ['api', 'portal'],
      scope: expect.stringContaining('openid profile'),
      token_type: 'Bearer',
      jti: 'robot-token',
      exp: Date.parse('2100-01-01T00:00:00Z') / 1000,
      username: 'robot@acme.localhost',
      ...ROBOT,
      groups: ['reader'],
      'urn:service:iam:org:project:roles': ROLES,
      'urn:service:iam:org:project:portal:roles': ROLES,
      'urn:zitadel:iam:org:project:roles': ROLES,
      'urn:zitadel:iam:org:project:portal:roles': ROLES,
    })
  })

  it('is active for applications of other projects and organizations, which see no foreign role', async () => {
    for (const basic of ['api-asserted', 'api-shop']) {
      const { json } = await oauth.introspect(ROBOT_TOKEN, { basic })
      expect(json).toMatchObject({ active: true, sub: 'robot', aud: [basic, basic.slice('api-'.length)] })
      expect(Object.keys(json).filter((name) => name.endsWith(':roles'))).toEqual([])
    }
  })

  it('is inactive for a service user that introspects it', async () => {
    expect((await oauth.introspect(ROBOT_TOKEN, { basic: 'jwt-robot' })).json).toEqual({ active: false })
  })

  it('stays active when its service user is signed out everywhere, which says so', async () => {
    const path = '/management/v1/users/robot/sign-out'
    expect((await oauth.manage('POST', path)).status).toBe(204)
    expect((await oauth.introspect(ROBOT_TOKEN)).json).toMatchObject({ active: true, sub: 'robot' })
  })

  it('userinfo: returns the claims of its owner', async () => {
    expect((await oauth.userinfo(ROBOT_TOKEN)).json).toEqual({ sub: 'robot', ...ROBOT })
  })

  it.each([
    ['expired', EXPIRED_ROBOT_TOKEN],
    ['unknown', randomBytes(32).toString('base64url')],
    ['too short', 'x'],
  ])('%s: inactive, and 401 at userinfo', async (_, token) => {
    expect((await oauth.introspect(token)).json).toEqual({ active: false })
    expect((await oauth.userinfo(token)).status).toBe(401)
  })

  it('is revoked once its end is recorded, also while its row exists', async () => {
    const made = await oauth.manage('POST', '/management/v1/users/robot/tokens', {})
    const { id, token } = made.json as { id: string; token: string }
    const authenticated = async () =>
      (
        await oauth.call('/management/v1/organizations/acme', {
          headers: { authorization: `Bearer ${token}` },
        })
      ).status
    const exchanged = async () => {
      const subject = {
        subject_token: token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      }
      const form = { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', ...subject }
      return (await oauth.token(form, { basic: 'exchanger' })).status
    }
    await oauth.manage('PUT', '/v2/features/instance', { oidcTokenExchange: true })
    await expect.poll(exchanged).toBe(200)
    expect([(await oauth.introspect(token)).json.active, await authenticated()]).toEqual([true, 403])
    // The record that token recovers from the log when a fail-over of PostgreSQL lost the deletion.
    await oauth.database.query({
      name: '',
      text: `INSERT INTO grants.revocation (day, kind, id, value, until)
             SELECT extract(epoch FROM until)::bigint / 86400, 'p', $1, 1, until
               FROM (SELECT now() + interval '86460 seconds' AS until) AS day`,
      values: [`robot ${id}`],
    })
    await expect.poll(async () => (await oauth.introspect(token)).json).toEqual({ active: false })
    expect((await oauth.userinfo(token)).status).toBe(401)
    await expect.poll(authenticated).toBe(401)
    expect(await exchanged()).toBe(400)
  })

  it('is refused once its owner was deactivated', async () => {
    await oauth.manage('PATCH', '/management/v1/users/robot', { state: 'inactive' })
    expect((await oauth.introspect(ROBOT_TOKEN)).json).toEqual({ active: false })
    expect((await oauth.userinfo(ROBOT_TOKEN)).status).toBe(401)
  })
})

describe('a personal access token that is narrowed to roles', () => {
  it('has the roles that its owner holds at the call, and cannot be exchanged', async () => {
    const { json: owner } = await oauth.manage('POST', '/management/v1/service-users', {
      organizationId: 'acme',
      userName: 'narrowed',
    })
    const member = `/management/v1/organizations/acme/members/${owner.id}`
    const inInstance = `/management/v1/members/${owner.id}`
    await oauth.manage('PUT', member, { roles: ['ORG_OWNER', 'ORG_USER_MANAGER'] })
    await oauth.manage('PUT', inInstance, { roles: ['IAM_OWNER_VIEWER'] })
    const create = async (body: object) => {
      const { json } = await oauth.manage('POST', `/management/v1/users/${owner.id}/tokens`, body)
      return String(json.token)
    }
    const [narrowed, whole] = [await create({ roles: ['ORG_OWNER'] }), await create({})]
    const status = async (token: string, path: string) =>
      (await oauth.call(path, { headers: { authorization: `Bearer ${token}` } })).status
    const ORGANIZATION = '/management/v1/organizations/acme'
    const INSTANCE = '/management/v1/members'
    expect([await status(narrowed, ORGANIZATION), await status(whole, ORGANIZATION)]).toEqual([200, 200])
    expect([await status(narrowed, INSTANCE), await status(whole, INSTANCE)]).toEqual([403, 200])
    await oauth.manage('PUT', member, { roles: ['ORG_USER_MANAGER'] })
    expect([await status(narrowed, ORGANIZATION), await status(whole, ORGANIZATION)]).toEqual([403, 200])

    await oauth.manage('PUT', '/v2/features/instance', { oidcTokenExchange: true })
    const exchange = (token: string) => ({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    })
    await expect
      .poll(async () => (await oauth.token(exchange(whole), { basic: 'exchanger' })).status)
      .toBe(200)
    expect((await oauth.token(exchange(narrowed), { basic: 'exchanger' })).status).toBe(400)
  })
})
