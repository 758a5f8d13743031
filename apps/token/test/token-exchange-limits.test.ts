import { oauthDirectory, ROBOT_TOKEN } from '@signet/testing/system/oauth-directory'
import {
  type AuthorizedSession,
  type Credentials,
  createOAuthEnvironment,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const T = 'urn:ietf:params:oauth:token-type:'
const ACCESS = `${T}access_token`
const ID = `${T}id_token`
const USER_ID = 'urn:service:params:oauth:token-type:user_id'
const EXCHANGER: Credentials = { basic: 'exchanger' }
const OFFLINE = { scope: 'openid profile offline_access' }

let oauth: OAuthEnvironment
beforeAll(async () => {
  const document = {
    ...oauthDirectory(),
    features: { oidcTokenExchange: true },
    security: { enableImpersonation: true },
  }
  oauth = createOAuthEnvironment(await startSystem({ ...OAUTH_SYSTEM, document }))
}, 60_000)
afterAll(() => oauth?.stop())

const exchange = (form: Record<string, string>, from: Credentials = EXCHANGER) =>
  oauth.token({ grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', ...form }, from)

/** The tokens of a fresh sign-in at the exchanging application. */
const signIn = async (session: AuthorizedSession = {}) =>
  (await oauth.tokens({ clientId: 'exchanger', ...OFFLINE, ...session })).json

/** The tokens of a sign-in at the public application. */
const signInPublic = async (session: AuthorizedSession = {}) => {
  const from = { form: { client_id: 'exchanger-public' } }
  const scope = 'openid profile offline_access'
  return (await oauth.tokens({ clientId: 'exchanger-public', scope, ...session }, from)).json
}

const subjectOf = (token: unknown, type = ACCESS) => ({
  subject_token: String(token),
  subject_token_type: type,
})
const actorOf = (token: unknown, type = ACCESS) => ({ actor_token: String(token), actor_token_type: type })

describe('the clients that may exchange a token', () => {
  const FOREIGN: Credentials = { basic: 'foreign' }
  const PUBLIC: Credentials = { form: { client_id: 'exchanger-public' } }
  const sql = (text: string) => oauth.database.query({ name: '', text })
  const outcome = async (form: Record<string, string>, from: Credentials) => {
    const { status, json } = await exchange(form, from)
    return status === 200 ? 'done' : json.error
  }

  it('refuses a client that is neither owner nor audience of the subject or the actor token', async () => {
    const { access_token } = await oauth
      .tokens({ scope: 'openid profile offline_access' })
      .then(({ json }) => json)
    expect(await outcome(subjectOf(access_token), FOREIGN)).toBe('invalid_request')
    const own = (await oauth.tokens({ clientId: 'foreign', scope: 'openid' })).json
    const beside = {
      ...subjectOf(own.access_token),
      ...actorOf((await signIn({ userId: 'helper' })).access_token),
    }
    expect(await outcome(beside, FOREIGN)).toBe('invalid_request')
    expect(await outcome(subjectOf(own.access_token), FOREIGN)).toBe('done')
    expect(await outcome(subjectOf(own.access_token), EXCHANGER)).toBe('invalid_request')
  })

  it('lets a client that a project of the audience lists', async () => {
    const scope = 'openid urn:service:iam:org:project:id:shop:aud'
    const { access_token } = (await oauth.tokens({ scope })).json
    expect(await outcome(subjectOf(access_token), FOREIGN)).toBe('invalid_request')
    await sql(
      `UPDATE directory.project SET allowed_audiences = '{web,exchanger,foreign}' WHERE project_id = 'shop'`,
    )
    await expect.poll(() => outcome(subjectOf(access_token), FOREIGN)).toBe('done')
    await sql(`UPDATE directory.project SET allowed_audiences = '{web,exchanger}' WHERE project_id = 'shop'`)
  })

  it('lets a public client exchange only tokens that were issued to it, and without an actor', async () => {
    const own = await signInPublic()
    const other = await signIn()
    const helper = await signInPublic({ userId: 'helper' })
    expect(await outcome(subjectOf(own.access_token), PUBLIC)).toBe('done')
    expect(await outcome(subjectOf(own.id_token, ID), PUBLIC)).toBe('done')
    expect(await outcome({ ...subjectOf(own.access_token), audience: 'portal' }, PUBLIC)).toBe('done')
    expect(await outcome({ ...subjectOf(own.access_token), audience: 'web' }, PUBLIC)).toBe('invalid_target')
    for (const form of [
      subjectOf(other.access_token),
      subjectOf(other.id_token, ID),
      subjectOf(ROBOT_TOKEN),
      { ...subjectOf(own.access_token), ...actorOf(helper.access_token) },
    ])
      expect(await outcome(form, PUBLIC)).toBe('invalid_request')
  })

  it("lets a personal access token to the applications of its user's organization only", async () => {
    expect(await outcome(subjectOf(ROBOT_TOKEN), EXCHANGER)).toBe('done')
    expect(await outcome(subjectOf(ROBOT_TOKEN), FOREIGN)).toBe('invalid_request')
  })

  it('makes the checks of every project in the audience', async () => {
    const scope = 'openid urn:service:iam:org:project:id:checked:aud'
    const { access_token } = await signIn({ scope })
    expect(await outcome(subjectOf(access_token), EXCHANGER)).toBe('done')
    await sql(`DELETE FROM directory.user_grant_role WHERE project_id = 'checked'`)
    await expect.poll(() => outcome(subjectOf(access_token), EXCHANGER)).toBe('access_denied')
    expect(await outcome({ ...subjectOf(access_token), audience: 'portal' }, EXCHANGER)).toBe('done')
    await sql(`INSERT INTO directory.user_grant_role SELECT 'alice', 'checked', 'guest'`)
    await expect.poll(() => outcome(subjectOf(access_token), EXCHANGER)).toBe('done')
  })
})

describe('the lifetime of exchanged tokens', () => {
  const absoluteEnd = async (clientId: string): Promise<number> => {
    const text = `SELECT absolute_end FROM grants.authorization_grant WHERE client_id = $1 AND refresh_kid IS NOT NULL
                   ORDER BY created_at DESC LIMIT 1`
    const { rows } = await oauth.database.query<{ absolute_end: Date }>({
      name: '',
      text,
      values: [clientId],
    })
    return rows[0]?.absolute_end.getTime() ?? Number.NaN
  }

  it('an access or ID token no longer than the earlier end of subject and actor', async () => {
    const patch = (accessTokenLifetimeSeconds: number | null) =>
      oauth.manage('PATCH', '/management/v1/applications/web', { accessTokenLifetimeSeconds })
    const lasting = await signIn({ userId: 'helper' })
    await patch(90)
    const short = async (userId: string) => (await oauth.tokens({ userId, scope: 'openid profile' })).json
    await expect.poll(async () => (await short('alice')).expires_in).toBe(90)
    const subject = subjectOf((await short('alice')).access_token)
    const actorShort = actorOf((await short('helper')).access_token)
    for (const form of [
      subject,
      { ...subject, requested_token_type: ID },
      { ...subject, ...actorOf(lasting.access_token) },
      { ...subjectOf((await signIn()).access_token), ...actorShort },
      { ...subjectOf('alice', USER_ID), ...actorShort },
    ]) {
      const { json } = await exchange(form)
      expect(json.expires_in).toSatisfy((seconds: number) => seconds > 60 && seconds <= 90)
    }
    await patch(null)
  })

  it('a refresh family no longer than that behind the subject, however often it is exchanged', async () => {
    const { access_token } = await signIn()
    const first = await absoluteEnd('exchanger')
    const again = await exchange(
      { ...subjectOf(access_token), ...OFFLINE },
      { basic: 'exchanger-post', secret: '' },
    )
    expect(again.status).toBe(401)
    const { json } = await exchange({ ...subjectOf(access_token), ...OFFLINE }, { basic: 'exchanger-api' })
    expect(await absoluteEnd('exchanger-api')).toBe(first)
    await exchange({ ...subjectOf(json.access_token), ...OFFLINE }, { basic: 'exchanger-api' })
    expect(await absoluteEnd('exchanger-api')).toBe(first)
  })

  it('no family without offline_access in the subject, nor from a subject without a family', async () => {
    const { access_token } = await signIn({ scope: 'openid' })
    const helper = await signIn({ userId: 'helper' })
    const beside = {
      ...subjectOf(access_token),
      ...actorOf(helper.access_token),
      scope: 'openid offline_access',
    }
    expect((await exchange(beside)).json.error).toBe('invalid_scope')
    for (const form of [
      subjectOf(ROBOT_TOKEN),
      { ...subjectOf('alice', USER_ID), ...actorOf(ROBOT_TOKEN) },
    ]) {
      const { status, json } = await exchange({ ...form, scope: 'openid offline_access' })
      expect([status, json.scope, json.refresh_token]).toEqual([200, 'openid', undefined])
    }
  })

  it('ends with a personal access token that is deleted', async () => {
    const made = await oauth.manage('POST', '/management/v1/users/robot/tokens', {
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
    })
    const { id, token } = made.json as { id: string; token: string }
    const { json } = await exchange({ ...subjectOf(token), scope: 'openid' })
    expect(json.expires_in).toSatisfy((seconds: number) => seconds <= 60)
    const acting = await exchange({ ...subjectOf('alice', USER_ID), ...actorOf(token) })
    const tokens = [json.access_token, acting.json.access_token]
    for (const value of tokens) expect((await oauth.introspect(value)).json.active).toBe(true)
    const path = `/management/v1/users/robot/tokens/${id}`
    expect((await oauth.manage('DELETE', path)).status).toBe(204)
    for (const value of tokens) expect((await oauth.introspect(value)).json).toEqual({ active: false })
  })
})
