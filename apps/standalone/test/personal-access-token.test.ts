import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXPIRED_ROBOT_TOKEN, oauthDirectory, ROBOT_TOKEN } from './oauth-directory.ts'
import { ISSUER, type OAuthWorld, startOAuthWorld } from './oauth-world.ts'

let world: OAuthWorld
beforeAll(async () => {
  world = await startOAuthWorld(oauthDirectory())
}, 60_000)
afterAll(() => world?.close())

const ROLES = { reader: { acme: 'acme.localhost' } }
const ROBOT = {
  name: 'Robot',
  preferred_username: 'robot@acme.localhost',
  updated_at: expect.any(Number),
}

describe('identity.md: a personal access token', () => {
  it('SPEC introspection: is active for an application, with the roles of its own project', async () => {
    const { json } = await world.introspect(ROBOT_TOKEN)
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
      'urn:service:iam:org:project:roles': ROLES,
      'urn:service:iam:org:project:portal:roles': ROLES,
      'urn:zitadel:iam:org:project:roles': ROLES,
      'urn:zitadel:iam:org:project:portal:roles': ROLES,
    })
  })

  it('is active for applications of other projects and organizations, which see no foreign role', async () => {
    for (const basic of ['api-asserted', 'api-shop']) {
      const { json } = await world.introspect(ROBOT_TOKEN, { basic })
      expect(json).toMatchObject({ active: true, sub: 'robot', aud: [basic, basic.slice('api-'.length)] })
      expect(Object.keys(json).filter((name) => name.endsWith(':roles'))).toEqual([])
    }
  })

  it('is nothing to a service user that asks', async () => {
    expect((await world.introspect(ROBOT_TOKEN, { basic: 'jwt-robot' })).json).toEqual({ active: false })
  })

  it('SPEC userinfo: answers for its owner', async () => {
    expect((await world.userinfo(ROBOT_TOKEN)).json).toEqual({ sub: 'robot', ...ROBOT })
  })

  it.each([
    ['expired', EXPIRED_ROBOT_TOKEN],
    ['unknown', randomBytes(32).toString('base64url')],
    ['too short', 'x'],
  ])('%s: inactive, and 401 at userinfo', async (_, token) => {
    expect((await world.introspect(token)).json).toEqual({ active: false })
    expect((await world.userinfo(token)).status).toBe(401)
  })

  it('DESIGN section 4: is dead once its owner was deactivated', async () => {
    await world.manage('PATCH', '/management/v1/users/robot', { state: 'inactive' })
    expect((await world.introspect(ROBOT_TOKEN)).json).toEqual({ active: false })
    expect((await world.userinfo(ROBOT_TOKEN)).status).toBe(401)
  })
})
