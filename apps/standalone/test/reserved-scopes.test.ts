import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oauthDirectory } from './oauth-directory.ts'
import { type OAuthWorld, startOAuthWorld } from './oauth-world.ts'

const SERVICE = 'urn:service:iam:'
const ZITADEL = 'urn:zitadel:iam:'
const ROLES = { admin: { acme: 'acme.localhost' }, reader: { acme: 'acme.localhost' } }

let world: OAuthWorld
beforeAll(async () => {
  world = await startOAuthWorld(oauthDirectory())
}, 60_000)
afterAll(() => world?.close())

describe.each([SERVICE, ZITADEL])('wire-facts.md 3.2: reserved scopes under %s', (prefix) => {
  it('metadata, resource owner and organization appear in userinfo, introspection and the ID token', async () => {
    const scope = `openid ${prefix}user:metadata ${prefix}org:id:acme ${prefix}org:domain:primary:acme.localhost`
    const { json } = await world.tokens({ scope })
    expect(json.scope).toBe(scope)
    const expected = {
      [`${prefix}user:metadata`]: { customer: 'NDcxMQ' },
      [`${prefix}org:id`]: 'acme',
      [`${prefix}user:resourceowner:id`]: 'acme',
      [`${prefix}user:resourceowner:name`]: 'ACME',
      [`${prefix}user:resourceowner:primary_domain`]: 'acme.localhost',
      [`${prefix}org:domain:primary`]: 'acme.localhost',
    }
    expect((await world.userinfo(json.access_token)).json).toEqual({ sub: 'alice', ...expected })
    expect((await world.introspect(json.access_token)).json).toMatchObject({ active: true, ...expected })
    expect(await world.verify(json.id_token)).toMatchObject(expected)
  })

  it('roles of every project in the audience; at introspection only those of the caller', async () => {
    const scope = `openid ${prefix}org:projects:roles ${prefix}org:project:id:asserted:aud`
    const { json } = await world.tokens({ scope })
    const portal = {
      [`${prefix}org:project:roles`]: ROLES,
      [`${prefix}org:project:portal:roles`]: ROLES,
    }
    const owner = { owner: { acme: 'acme.localhost' } }
    const all = { ...portal, [`${prefix}org:project:asserted:roles`]: owner }
    expect((await world.userinfo(json.access_token)).json).toEqual({ sub: 'alice', ...all })
    expect(await world.verify(json.id_token)).toMatchObject(all)
    const own = (await world.introspect(json.access_token)).json
    expect(own).toMatchObject({ ...portal, aud: ['web', 'portal', 'asserted'] })
    expect(own).not.toHaveProperty([`${prefix}org:project:asserted:roles`])
    const other = (await world.introspect(json.access_token, { basic: 'api-asserted' })).json
    expect(other).toMatchObject({ active: true, [`${prefix}org:project:asserted:roles`]: owner })
    expect(other).not.toHaveProperty([`${prefix}org:project:portal:roles`])
  })

  it('one role by its key; a JWT access token brings it along', async () => {
    const scope = `openid ${prefix}org:project:role:reader`
    const { json } = await world.tokens({ clientId: 'jwt', scope })
    const reader = { reader: { acme: 'acme.localhost' } }
    const expected = {
      [`${prefix}org:project:roles`]: reader,
      [`${prefix}org:project:portal:roles`]: reader,
    }
    expect(await world.verify(json.access_token, 'at+jwt')).toMatchObject(expected)
    expect((await world.userinfo(json.access_token)).json).toEqual({ sub: 'alice', ...expected })
  })
})

describe('identity.md, audience of access tokens', () => {
  it.each([`${SERVICE}org:project:id:signet:aud`, `${ZITADEL}org:project:id:zitadel:aud`])(
    'DESIGN section 2: %s makes a bearer of the APIs, opaque or JWT',
    async (scope) => {
      for (const clientId of ['web', 'jwt']) {
        const { json } = await world.tokens({ clientId, scope: `openid ${scope}` })
        expect(await world.bearer(json.access_token)).toMatchObject({
          userId: 'alice',
          organizationId: 'acme',
        })
        const without = await world.tokens({ clientId })
        await expect(world.bearer(without.json.access_token)).rejects.toMatchObject({
          code: 'UNAUTHENTICATED',
        })
      }
    },
  )

  it('a project of the scopes may introspect, others may not', async () => {
    const { json } = await world.tokens({ scope: `openid ${SERVICE}org:project:id:shop:aud` })
    expect((await world.introspect(json.access_token, { basic: 'api-shop' })).json.active).toBe(true)
    expect((await world.introspect(json.access_token, { basic: 'api-asserted' })).json).toEqual({
      active: false,
    })
  })

  it('a project that does not exist makes neither code nor tokens', async () => {
    const scope = `openid ${SERVICE}org:project:id:nowhere:aud`
    const refusal = { code: 'NOT_FOUND', message: expect.stringContaining('nowhere') }
    await expect(world.code({ scope })).rejects.toMatchObject(refusal)
    await expect(world.implicit({ clientId: 'page', scope, withAccessToken: true })).rejects.toMatchObject(
      refusal,
    )
  })
})

describe('role assertion without a scope', () => {
  it('the project shows its roles at userinfo and to its own resource servers', async () => {
    const { json } = await world.tokens({ clientId: 'asserted' })
    const owner = { owner: { acme: 'acme.localhost' } }
    const expected = {
      [`${SERVICE}org:project:roles`]: owner,
      [`${SERVICE}org:project:asserted:roles`]: owner,
    }
    expect((await world.userinfo(json.access_token)).json).toEqual({ sub: 'alice', ...expected })
    expect((await world.introspect(json.access_token, { basic: 'api-asserted' })).json).toMatchObject(
      expected,
    )
    expect(await world.verify(json.id_token)).not.toHaveProperty([`${SERVICE}org:project:roles`])
  })

  it('the application has them in its access and ID tokens', async () => {
    const { json } = await world.tokens({ clientId: 'role-asserting' })
    const expected = { [`${SERVICE}org:project:portal:roles`]: ROLES }
    expect(await world.verify(json.access_token, 'at+jwt')).toMatchObject(expected)
    expect(await world.verify(json.id_token)).toMatchObject(expected)
  })

  it('oidcc-server: an ID token has no claim beyond the standard without being asked', async () => {
    const { json } = await world.tokens({ nonce: 'n-1' })
    const allowed =
      'iss sub aud exp iat nbf jti auth_time nonce acr amr azp at_hash c_hash s_hash sid txn'.split(' ')
    for (const name of Object.keys(await world.verify(json.id_token))) expect(allowed).toContain(name)
  })
})

describe('identity.md, project checks at refresh', () => {
  const scope = 'openid offline_access'

  it('a user with a role in a project of the own organization may refresh, also to fewer scopes', async () => {
    const first = await world.tokens({ clientId: 'checked', scope })
    const second = await world.refresh(first.json.refresh_token, { scope: 'openid' }, { basic: 'checked' })
    expect(second.status).toBe(200)
  })

  it.each([
    ['a user without a role', { userId: 'bob' }],
    ['a user of another organization', { userId: 'carol', organizationId: 'beta' }],
  ])(
    '%s is access_denied once the project checks, and the refresh token stays where it was',
    async (_, who) => {
      await setChecks(false)
      let { json } = await world.tokens({ clientId: 'checked', scope, ...who })
      await setChecks(true)
      const refresh = async () => {
        const answer = await world.refresh(json.refresh_token, {}, { basic: 'checked' })
        if (answer.status === 200) json = answer.json
        return [answer.status, answer.json.error]
      }
      // A replica remembers a project for a second at most.
      await expect.poll(refresh).toEqual([400, 'access_denied'])
      expect(await refresh()).toEqual([400, 'access_denied'])
      expect((await world.introspect(json.access_token, { basic: 'checked' })).json.active).toBe(true)
    },
  )

  it('a code of somebody whom the project does not let in buys nothing', async () => {
    const { status, json } = await world.tokens({ clientId: 'checked', scope, userId: 'bob' })
    expect([status, json.error]).toEqual([400, 'invalid_grant'])
  })

  async function setChecks(value: boolean): Promise<void> {
    await world.database.query({
      name: 'test.project_checks',
      text: `UPDATE directory.project SET project_role_check = $1, has_project_check = $1 WHERE project_id = 'checked'`,
      values: [value],
    })
  }
})
