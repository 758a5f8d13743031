import { REDIRECT_URI } from '@signet/testing/system/oauth-directory'
import {
  createOAuthEnvironment,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const SERVICE = 'urn:service:iam:'
const ZITADEL = 'urn:zitadel:iam:'
const ROLES = { admin: { acme: 'acme.localhost' }, reader: { acme: 'acme.localhost' } }

let oauth: OAuthEnvironment
beforeAll(async () => {
  oauth = createOAuthEnvironment(await startSystem(OAUTH_SYSTEM))
}, 60_000)
afterAll(() => oauth?.stop())

describe.each([SERVICE, ZITADEL])('reserved scopes under %s', (prefix) => {
  it('metadata, resource owner and organization appear in userinfo, introspection and the ID token', async () => {
    const scope = `openid ${prefix}user:metadata ${prefix}org:id:acme ${prefix}org:domain:primary:acme.localhost`
    const { json } = await oauth.tokens({ scope })
    expect(json.scope).toBe(scope)
    const expected = {
      [`${prefix}user:metadata`]: { customer: 'NDcxMQ' },
      [`${prefix}org:id`]: 'acme',
      [`${prefix}user:resourceowner:id`]: 'acme',
      [`${prefix}user:resourceowner:name`]: 'ACME',
      [`${prefix}user:resourceowner:primary_domain`]: 'acme.localhost',
      [`${prefix}org:domain:primary`]: 'acme.localhost',
    }
    expect((await oauth.userinfo(json.access_token)).json).toEqual({ sub: 'alice', ...expected })
    expect((await oauth.introspect(json.access_token)).json).toMatchObject({ active: true, ...expected })
    expect(await oauth.verify(json.id_token)).toMatchObject(expected)
  })

  it('roles of every project in the audience; at introspection only those of the caller', async () => {
    const scope = `openid ${prefix}org:projects:roles ${prefix}org:project:id:asserted:aud`
    const { json } = await oauth.tokens({ scope })
    const portal = {
      [`${prefix}org:project:roles`]: ROLES,
      [`${prefix}org:project:portal:roles`]: ROLES,
    }
    const owner = { owner: { acme: 'acme.localhost' } }
    const all = { ...portal, [`${prefix}org:project:asserted:roles`]: owner }
    expect((await oauth.userinfo(json.access_token)).json).toEqual({ sub: 'alice', ...all })
    expect(await oauth.verify(json.id_token)).toMatchObject(all)
    const own = (await oauth.introspect(json.access_token)).json
    expect(own).toMatchObject({ ...portal, aud: ['web', 'portal', 'asserted'] })
    expect(own).not.toHaveProperty([`${prefix}org:project:asserted:roles`])
    const other = (await oauth.introspect(json.access_token, { basic: 'api-asserted' })).json
    expect(other).toMatchObject({ active: true, [`${prefix}org:project:asserted:roles`]: owner })
    expect(other).not.toHaveProperty([`${prefix}org:project:portal:roles`])
  })

  it('one role by its key; a JWT access token brings it along', async () => {
    const scope = `openid ${prefix}org:project:role:reader`
    const { json } = await oauth.tokens({ clientId: 'jwt', scope })
    const reader = { reader: { acme: 'acme.localhost' } }
    const expected = {
      [`${prefix}org:project:roles`]: reader,
      [`${prefix}org:project:portal:roles`]: reader,
    }
    expect(await oauth.verify(json.access_token, 'at+jwt')).toMatchObject(expected)
    expect((await oauth.userinfo(json.access_token)).json).toEqual({ sub: 'alice', ...expected })
  })
})

describe('audience of access tokens', () => {
  it.each([`${SERVICE}org:project:id:signet:aud`, `${ZITADEL}org:project:id:zitadel:aud`])(
    '%s makes a bearer of the APIs, opaque or JWT',
    async (scope) => {
      for (const clientId of ['console', 'console-jwt']) {
        const { json } = await oauth.tokens({ clientId, scope: `openid ${scope}` })
        expect(await oauth.bearer(json.access_token)).toMatchObject({
          userId: 'alice',
          organizationId: 'acme',
        })
        const without = await oauth.tokens({ clientId })
        await expect(oauth.bearer(without.json.access_token)).rejects.toMatchObject({
          code: 'UNAUTHENTICATED',
        })
      }
    },
  )

  it('a project of the scopes may introspect, others may not', async () => {
    const { json } = await oauth.tokens({ scope: `openid ${SERVICE}org:project:id:shop:aud` })
    expect((await oauth.introspect(json.access_token, { basic: 'api-shop' })).json.active).toBe(true)
    expect((await oauth.introspect(json.access_token, { basic: 'api-asserted' })).json).toEqual({
      active: false,
    })
  })

  const REFUSAL = {
    code: 'NOT_FOUND',
    message: 'scope adds a project to the audience that does not exist or does not allow this client',
  }

  it.each(['nowhere', 'closed', 'signet'])(
    'refuses an application that may not name the project %s, in the same words for each',
    async (project) => {
      const scope = `openid ${SERVICE}org:project:id:${project}:aud`
      await expect(oauth.code({ scope })).rejects.toMatchObject(REFUSAL)
      await expect(oauth.implicit({ clientId: 'page', scope, withAccessToken: true })).rejects.toMatchObject(
        REFUSAL,
      )
      const grant = { grant_type: 'client_credentials', scope }
      const { status, json } = await oauth.token(grant, { basic: 'backend' })
      expect([status, json]).toEqual([400, { error: 'invalid_scope', error_description: REFUSAL.message }])
    },
  )

  it.each([
    ['the project of another organization without a grant', 'checked', REFUSAL],
    ['our own APIs without a mark', 'signet', REFUSAL],
  ])('refuses %s to an application of another organization', async (_, project, refusal) => {
    const scope = `openid ${SERVICE}org:project:id:${project}:aud`
    for (const userId of ['alice', 'carol'])
      await expect(oauth.code({ clientId: 'foreign', scope, userId })).rejects.toMatchObject(refusal)
    await expect(
      oauth.implicit({ clientId: 'foreign-page', scope, withAccessToken: true }),
    ).rejects.toMatchObject(refusal)
  })

  it('a grant of the project lets applications of the granted organization name it, as long as it stands', async () => {
    const scope = `openid offline_access ${SERVICE}org:project:id:asserted:aud`
    const path = '/management/v1/projects/asserted/project-grants'
    expect((await oauth.manage('POST', path, { organizationId: 'beta' })).status).toBe(201)
    await query(`UPDATE directory.project_grant SET accepted = true`)
    await expect.poll(() => outcomeOf(oauth.code({ clientId: 'foreign', scope }))).toBe('done')
    const { json } = await oauth.tokens({ clientId: 'foreign', scope })
    expect((await oauth.introspect(json.access_token, { basic: 'api-asserted' })).json).toMatchObject({
      aud: ['foreign', 'closed', 'asserted'],
    })
    await query('DELETE FROM directory.project_grant')
    await expect.poll(() => outcomeOf(oauth.code({ clientId: 'foreign', scope }))).not.toBe('done')
    const refreshed = await oauth.refresh(json.refresh_token, {}, { basic: 'foreign' })
    expect([refreshed.status, refreshed.json.error]).toEqual([400, 'invalid_scope'])
  })

  it('a project that takes a client off its list stops the next refresh, and lets a narrower one pass', async () => {
    const scope = `openid offline_access ${SERVICE}org:project:id:shop:aud`
    let { json } = await oauth.tokens({ scope })
    const refresh = async (more = {}) => {
      const answer = await oauth.refresh(json.refresh_token, more)
      if (answer.status === 200) json = answer.json
      return answer.json.error ?? answer.status
    }
    expect(await refresh()).toBe(200)
    await query(`UPDATE directory.project SET allowed_audiences = '{}' WHERE project_id = 'shop'`)
    await expect.poll(() => refresh()).toBe('invalid_scope')
    expect(await refresh()).toBe('invalid_scope')
    expect(await refresh({ scope: 'openid' })).toBe(200)
    await query(
      `UPDATE directory.project SET allowed_audiences = '{web,exchanger}' WHERE project_id = 'shop'`,
    )
    await expect.poll(() => refresh()).toBe(200)
  })

  it('an application that loses mayCallApi gets no further token for the API', async () => {
    const scope = `openid offline_access ${SERVICE}org:project:id:signet:aud`
    const { json } = await oauth.tokens({ clientId: 'console', scope })
    await query(`UPDATE directory.application SET may_call_api = false WHERE client_id = 'console'`)
    await expect.poll(() => outcomeOf(oauth.code({ clientId: 'console', scope }))).not.toBe('done')
    const refreshed = await oauth.refresh(json.refresh_token, {}, { basic: 'console' })
    expect([refreshed.status, refreshed.json.error]).toEqual([400, 'invalid_scope'])
    await query(`UPDATE directory.application SET may_call_api = true WHERE client_id = 'console'`)
  })

  const query = (text: string) => oauth.database.query({ name: '', text })
  const outcomeOf = (attempt: Promise<unknown>) =>
    attempt.then(
      () => 'done',
      () => 'refused',
    )
})

describe('role assertion without a scope', () => {
  it('the project shows its roles at userinfo and to its own resource servers', async () => {
    const { json } = await oauth.tokens({ clientId: 'asserted' })
    const owner = { owner: { acme: 'acme.localhost' } }
    const expected = {
      [`${SERVICE}org:project:roles`]: owner,
      [`${SERVICE}org:project:asserted:roles`]: owner,
    }
    expect((await oauth.userinfo(json.access_token)).json).toEqual({ sub: 'alice', ...expected })
    expect((await oauth.introspect(json.access_token, { basic: 'api-asserted' })).json).toMatchObject(
      expected,
    )
    expect(await oauth.verify(json.id_token)).not.toHaveProperty([`${SERVICE}org:project:roles`])
  })

  it('the application has them in its access and ID tokens', async () => {
    const { json } = await oauth.tokens({ clientId: 'role-asserting' })
    const expected = { [`${SERVICE}org:project:portal:roles`]: ROLES }
    expect(await oauth.verify(json.access_token, 'at+jwt')).toMatchObject(expected)
    expect(await oauth.verify(json.id_token)).toMatchObject(expected)
  })

  it('oidcc-server: an ID token has no further claims unless they are requested', async () => {
    const { json } = await oauth.tokens({ nonce: 'n-1' })
    const allowed =
      'iss sub aud exp iat nbf jti auth_time nonce acr amr azp at_hash c_hash s_hash sid txn'.split(' ')
    for (const name of Object.keys(await oauth.verify(json.id_token))) expect(allowed).toContain(name)
  })
})

describe('project checks of every project in the audience', () => {
  const scope = `openid offline_access ${SERVICE}org:project:id:checked:aud`
  const refused = { code: 'PERMISSION_DENIED' }

  it.each(['bob', 'carol'])('refuse %s at an application of another project', async (userId) => {
    const organizationId = userId === 'carol' ? 'beta' : 'acme'
    const attempt = { scope, userId, organizationId }
    await expect(oauth.code(attempt)).rejects.toMatchObject(refused)
    await expect(
      oauth.implicit({ ...attempt, clientId: 'page', withAccessToken: true }),
    ).rejects.toMatchObject(refused)
  })

  it('let in a user with a role, and refuse a refresh after its removal without rotating', async () => {
    let { json } = await oauth.tokens({ scope })
    const refresh = async () => {
      const answer = await oauth.refresh(json.refresh_token)
      if (answer.status === 200) json = answer.json
      return answer.json.error ?? answer.status
    }
    expect(await refresh()).toBe(200)
    const role = `user_grant_role SELECT 'alice', 'checked', 'guest'`
    await oauth.database.query({
      name: '',
      text: `DELETE FROM directory.user_grant_role WHERE project_id = 'checked'`,
    })
    await expect.poll(refresh).toBe('access_denied')
    expect(await refresh()).toBe('access_denied')
    await oauth.database.query({ name: '', text: `INSERT INTO directory.${role}` })
    await expect.poll(refresh).toBe(200)
  })

  it('refuse a code that was issued before the role was taken away', async () => {
    const code = await oauth.code({ scope })
    await oauth.database.query({
      name: '',
      text: `DELETE FROM directory.user_grant_role WHERE project_id = 'checked'`,
    })
    const grant = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }
    const { status, json } = await oauth.token(grant)
    expect([status, json.error]).toEqual([400, 'invalid_grant'])
    const text = `INSERT INTO directory.user_grant_role SELECT 'alice', 'checked', 'guest'`
    await oauth.database.query({ name: '', text })
  })
})

describe('project checks at refresh', () => {
  const scope = 'openid offline_access'

  it('a user with a role in a project of the own organization may refresh, also to fewer scopes', async () => {
    const first = await oauth.tokens({ clientId: 'checked', scope })
    const second = await oauth.refresh(first.json.refresh_token, { scope: 'openid' }, { basic: 'checked' })
    expect(second.status).toBe(200)
  })

  it.each([
    ['a user without a role', { userId: 'bob' }],
    ['a user of another organization', { userId: 'carol', organizationId: 'beta' }],
  ])('%s is access_denied once the project checks, and the refresh token is not rotated', async (_, who) => {
    await setChecks(false)
    await expect
      .poll(() => oauth.code({ clientId: 'checked', scope, ...who }).catch(() => undefined))
      .toBeDefined()
    let { json } = await oauth.tokens({ clientId: 'checked', scope, ...who })
    await setChecks(true)
    const refresh = async () => {
      const answer = await oauth.refresh(json.refresh_token, {}, { basic: 'checked' })
      if (answer.status === 200) json = answer.json
      return [answer.status, answer.json.error]
    }
    // A replica caches a project for a second at most.
    await expect.poll(refresh).toEqual([400, 'access_denied'])
    expect(await refresh()).toEqual([400, 'access_denied'])
    expect((await oauth.introspect(json.access_token, { basic: 'checked' })).json.active).toBe(true)
  })

  it('issues no code to a user whom the project refuses', async () => {
    await expect
      .poll(() => oauth.code({ clientId: 'checked', scope, userId: 'bob' }).catch(({ code }) => code))
      .toBe('PERMISSION_DENIED')
  })

  async function setChecks(value: boolean): Promise<void> {
    await oauth.database.query({
      name: 'test.project_checks',
      text: `UPDATE directory.project SET project_role_check = $1, has_project_check = $1 WHERE project_id = 'checked'`,
      values: [value],
    })
  }
})
