import {
  type AuthorizedSession,
  createOAuthEnvironment,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import type { Answer } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const API = 'openid urn:service:iam:org:project:id:signet:aud'
const MFA = 'urn:service:acr:mfa'
const TYPE = 'urn:ietf:params:oauth:token-type:access_token'
const USER_ID = 'urn:service:params:oauth:token-type:user_id'

let oauth: OAuthEnvironment
let elapsedMs = 0
const clock = {
  now: () => new Date(Date.now() + elapsedMs),
  advance: (ms: number) => {
    elapsedMs += ms
  },
}
beforeAll(async () => {
  oauth = createOAuthEnvironment(await startSystem({ ...OAUTH_SYSTEM, clock }))
  await oauth.manage('PUT', '/v2/features/instance', { oidcTokenExchange: true })
}, 60_000)
afterAll(() => oauth?.stop())

it('needs a second factor for IAM_ roles by default on a new instance whose issuer is no loopback host', async () => {
  const [weak, strong] = [await signIn(), await signIn({ acr: MFA })]
  expect([await statusOf(weak), await statusOf(strong)]).toEqual([401, 200])
  await setPolicy({ iamRequiresMfa: false })
  await expect.poll(() => statusOf(weak)).toBe(200)
})

const withoutRequirements = async () => {
  elapsedMs = 0
  await setPolicy({ enableImpersonation: true, iamRequiresMfa: false, iamSignInMaxAgeSeconds: null })
}

async function setPolicy(policy: object): Promise<void> {
  expect((await oauth.manage('PUT', '/v2/policies/security', policy)).status).toBe(200)
}

const sql = async (text: string) =>
  (await oauth.database.query<Record<string, unknown>>({ name: '', text })).rows

/** The token of a sign-in at a marked application. */
const signIn = async (session: AuthorizedSession = {}) =>
  (await oauth.tokens({ clientId: 'console', userId: 'owner', scope: API, ...session })).json.access_token

const callWith = (token: unknown, path = '/management/v1/members', init: RequestInit = {}): Promise<Answer> =>
  oauth.call(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${String(token)}` } })

const statusOf = async (token: unknown) => (await callWith(token)).status

/** The actors and details of the audit events of the owner. */
const eventsOfOwner = async () => {
  const { json } = await oauth.manage('GET', '/management/v1/audit?actorId=owner')
  const items = json.items as readonly { readonly actor: object; readonly details: object }[]
  return items.map(({ actor, details }) => ({ actor, details }))
}
const changeProject = (token: unknown) =>
  callWith(token, '/management/v1/projects/portal', {
    method: 'PATCH',
    body: JSON.stringify({ projectRoleAssertion: false }),
    headers: { 'content-type': 'application/json' },
  })

describe('callers of the JSON APIs', () => {
  beforeEach(withoutRequirements)

  it('counts a token of a person only while its application has mayCallApi', async () => {
    const token = await signIn()
    expect(await statusOf(token)).toBe(200)
    await sql(`UPDATE directory.application SET may_call_api = false WHERE client_id = 'console'`)
    await expect.poll(() => statusOf(token)).toBe(401)
    expect((await callWith(token)).json.message).toContain('mayCallApi')
    await sql(`UPDATE directory.application SET may_call_api = true WHERE client_id = 'console'`)
    await expect.poll(() => statusOf(token)).toBe(200)
  })

  it('is on record with client, token, acr and time of sign-in', async () => {
    const token = await signIn({ acr: MFA })
    await sql(`DELETE FROM directory_audit.audit_event`)
    expect((await changeProject(token)).status).toBe(200)
    expect(await eventsOfOwner()).toEqual([
      {
        actor: { kind: 'human', id: 'owner', name: 'owner' },
        details: {
          request_id: expect.any(String),
          token_id: expect.any(String),
          client_id: 'console',
          acr: MFA,
          auth_time: expect.any(Number),
          fields: ['projectRoleAssertion'],
        },
      },
    ])
  })

  it('refuses a bearer with an actor unless the security policy allows it, and records the actor', async () => {
    const root = (await oauth.tokens({ clientId: 'exchanger-api', userId: 'root', scope: API })).json
    const { json } = await oauth.token(
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: 'owner',
        subject_token_type: USER_ID,
        actor_token: String(root.access_token),
        actor_token_type: TYPE,
        scope: 'openid',
        audience: 'signet',
      },
      { basic: 'exchanger-api' },
    )
    const refused = await callWith(json.access_token)
    expect([refused.status, refused.json.message]).toEqual([
      401,
      expect.stringContaining('allowImpersonatedApiCalls'),
    ])
    await setPolicy({ enableImpersonation: true, allowImpersonatedApiCalls: true })
    await expect.poll(() => statusOf(json.access_token)).toBe(200)
    await sql(`DELETE FROM directory_audit.audit_event`)
    expect((await changeProject(json.access_token)).status).toBe(200)
    expect(await eventsOfOwner()).toMatchObject([
      { actor: { id: 'owner' }, details: { client_id: 'exchanger-api', act: ['root'] } },
    ])
  })
})

describe('roles of the instance and the sign-in behind them (RFC 9470)', () => {
  beforeEach(withoutRequirements)

  const challengeOf = ({ headers }: Answer) => headers.get('www-authenticate')

  it('do not count without a second factor where the policy wants one', async () => {
    const weak = await signIn()
    const strong = await signIn({ acr: MFA })
    await setPolicy({ enableImpersonation: true, iamRequiresMfa: true })
    await expect.poll(() => statusOf(weak)).toBe(401)
    expect(challengeOf(await callWith(weak))).toBe(
      `Bearer realm="signet", error="insufficient_user_authentication", error_description="roles of the instance count after a sign-in with acr ${MFA}", acr_values="${MFA}"`,
    )
    expect(await statusOf(strong)).toBe(200)
    // A later policy keeps the fields that it leaves out.
    await setPolicy({ enableImpersonation: true })
    expect(await statusOf(weak)).toBe(401)
  })

  it('do not count when the sign-in is older than the policy wants', async () => {
    const token = await signIn()
    await setPolicy({ iamSignInMaxAgeSeconds: 300 })
    // The policy of the test before is gone, and then this one is in force.
    await expect.poll(() => statusOf(token)).toBe(200)
    elapsedMs = 302_000
    await expect.poll(() => statusOf(token)).toBe(401)
    elapsedMs = 299_000
    expect(await statusOf(token)).toBe(200)
    elapsedMs = 302_000
    const refused = await callWith(token)
    expect([refused.status, challengeOf(refused)]).toEqual([401, expect.stringContaining('max_age="300"')])
  })

  it('count for service users all the same, and other roles of people too', async () => {
    const boss = await signIn({ userId: 'boss' })
    await setPolicy({ iamRequiresMfa: true, iamSignInMaxAgeSeconds: 60 })
    await expect.poll(async () => statusOf(await signIn())).toBe(401)
    elapsedMs = 120_000
    expect((await callWith(boss, '/management/v1/users?organizationId=acme')).status).toBe(200)
    expect((await oauth.manage('GET', '/management/v1/members')).status).toBe(200)
  })
})
