import {
  createOAuthEnvironment,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const PASSWORD = { password: 'Correct-horse-9', changeRequired: false }

let oauth: OAuthEnvironment
beforeAll(async () => {
  oauth = createOAuthEnvironment(await startSystem(OAUTH_SYSTEM))
  await oauth.manage('POST', '/management/v1/users/alice/password', PASSWORD)
  await oauth.manage('POST', '/management/v1/users/bob/password', PASSWORD)
  await oauth.manage('POST', '/management/v1/users/carol/password', PASSWORD)
}, 60_000)
afterAll(() => oauth?.stop())

interface Rule {
  readonly rule: string
  readonly outcome: string
  readonly reason?: string
  readonly value?: unknown
  readonly source?: string
  readonly cure?: string
}

const check = (userId: string, applicationId: string, scope = 'openid', bearer?: string) =>
  oauth.manage(
    'GET',
    `/management/v1/access-check?${new URLSearchParams({ userId, applicationId, scope })}`,
    undefined,
    bearer,
  )

async function rulesOf(userId: string, applicationId: string, scope?: string) {
  const { status, json } = await check(userId, applicationId, scope)
  expect(status).toBe(200)
  const rules = json.rules as readonly Rule[]
  return {
    mayEnter: json.mayEnter,
    rules,
    notPassed: rules
      .filter(({ outcome }) => outcome !== 'passed')
      .map(({ rule, outcome }) => `${rule} ${outcome}`),
    of: (name: string) => rules.find(({ rule }) => rule === name),
  }
}

describe('a check of access', () => {
  it('passes each rule for a person who gets in', async () => {
    const { mayEnter, rules, notPassed } = await rulesOf('alice', 'web')
    expect(notPassed).toEqual([])
    expect(mayEnter).toBe(true)
    expect(rules.map(({ rule }) => rule)).toEqual([
      ...['account', 'password', 'password_change', 'second_factor', 'lock'],
      ...['request', 'audience', 'factor', 'admission', 'roles', 'consent'],
    ])
  })

  it('names the project that does not let a person in, and the command that does', async () => {
    const { mayEnter, of } = await rulesOf('bob', 'checked')
    expect(mayEnter).toBe(false)
    expect(of('admission')).toMatchObject({
      outcome: 'failed',
      reason: 'project_role_missing',
      value: 'checked',
      source: 'project',
      cure: 'signet user-grant create checked --set userId=bob --set roles=ROLE',
    })
    expect((await rulesOf('carol', 'checked')).of('admission')).toMatchObject({
      outcome: 'failed',
      reason: 'project_not_granted',
    })
  })

  it.each([
    ['alice', 'web', 'profile', 'request', 'scope_without_openid'],
    ['alice', 'web', 'openid urn:service:iam:org:project:id:closed:aud', 'audience', 'audience_not_allowed'],
    ['alice', 'web', 'openid urn:service:iam:org:project:id:signet:aud', 'audience', 'audience_not_allowed'],
    ['alice', 'web', 'openid urn:service:iam:org:id:beta', 'request', 'scope_of_other_organization'],
    ['helper', 'web', 'openid', 'password', 'password_not_set'],
  ])('says for %s at %s with "%s" that %s fails with %s', async (user, id, scope, rule, reason) => {
    const { mayEnter, rules } = await rulesOf(user, id, scope)
    expect(mayEnter).toBe(false)
    const failed = rules.filter(({ outcome }) => outcome === 'failed')
    expect(failed).toMatchObject([{ rule, reason }])
  })

  it('says which scopes would be dropped', async () => {
    expect((await rulesOf('alice', 'web', 'openid profil roles')).of('scopes')).toMatchObject({
      outcome: 'changed',
      reason: 'scopes_dropped',
      value: 'profil roles',
    })
  })

  it('names the policy that demands a second factor, with its source', async () => {
    const path = '/management/v1/organizations/beta/policies/login'
    expect((await oauth.manage('PATCH', path, { forceMfa: true })).status).toBe(200)
    await expect
      .poll(async () => (await rulesOf('carol', 'foreign')).of('second_factor'))
      .toMatchObject({ outcome: 'asked', value: true, source: 'organization' })
    expect((await oauth.manage('DELETE', path)).status).toBe(204)
  })

  it('says that the account or its organization is not active, and which of them', async () => {
    const state = (id: string, value: string) =>
      oauth.manage('PATCH', `/management/v1/users/${id}`, { state: value })
    await state('bob', 'inactive')
    const { mayEnter, of } = await rulesOf('bob', 'web')
    expect(mayEnter).toBe(false)
    expect(of('account')).toMatchObject({
      outcome: 'failed',
      reason: 'account_not_active',
      source: 'user',
      cure: 'signet user update bob --set state=active',
    })
    await state('bob', 'active')
    await oauth.manage('PATCH', '/management/v1/applications/jwt', { state: 'inactive' })
    await expect
      .poll(async () => (await rulesOf('alice', 'jwt')).of('application'))
      .toMatchObject({ outcome: 'failed', reason: 'client_unknown' })
  })

  it('says that a service user does not sign in', async () => {
    const { mayEnter, of } = await rulesOf('robot', 'web')
    expect([mayEnter, of('account')?.outcome]).toEqual([false, 'failed'])
  })

  it('changes nothing, and needs the right to see the person and the application', async () => {
    const { json } = await oauth.tokens({
      clientId: 'console',
      userId: 'boss',
      scope: 'openid urn:service:iam:org:project:id:signet:aud',
    })
    const asBoss = (user: string, id: string) => check(user, id, 'openid', String(json.access_token))
    expect((await asBoss('alice', 'web')).status).toBe(200)
    expect((await asBoss('carol', 'web')).status).toBe(403)
    expect((await asBoss('alice', 'foreign')).status).toBe(403)
    expect((await asBoss('no-such-person', 'web')).status).toBe(403)
  })
})
