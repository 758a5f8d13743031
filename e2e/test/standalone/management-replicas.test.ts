import {
  createOAuthEnvironments,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let here: OAuthEnvironment
let there: OAuthEnvironment
beforeAll(async () => {
  const system = await startSystem({ ...OAUTH_SYSTEM, replicas: 2 })
  ;[here, there] = createOAuthEnvironments(system) as [OAuthEnvironment, OAuthEnvironment]
}, 60_000)
afterAll(() => here?.stop())

/** Credentials of a client for resource servers of the project portal. */
const CLIENT_CREDENTIALS = {
  grant_type: 'client_credentials',
  scope: 'openid urn:service:iam:org:project:id:portal:aud',
}

const manage = (method: string, path: string, body?: unknown) =>
  here.manage(method, `/management/v1${path}`, body)

async function created<T>(path: string, body: unknown): Promise<T> {
  const answer = await manage('POST', path, body)
  expect(answer.status, answer.text).toBe(201)
  return answer.json as T
}

/** A service user with everything that lets it in, made by one replica and at work on the other. */
async function robot(organizationId = 'acme') {
  const { id } = await created<{ id: string }>('/service-users', {
    organizationId,
    userName: `robot-${seen()}`,
  })
  const { id: tokenId, token } = await created<{ id: string; token: string }>(`/users/${id}/tokens`, {})
  const secret = await created<{ clientId: string; clientSecret: string }>(`/users/${id}/secret`, {
    overlapSeconds: 0,
  })
  // For the resource servers of the project, which is of another organization than some robots.
  expect((await manage('PATCH', '/projects/portal', { allowedAudiences: [secret.clientId] })).status).toBe(
    200,
  )
  const issue = () => there.token(CLIENT_CREDENTIALS, { basic: secret.clientId, secret: secret.clientSecret })
  await expect.poll(async () => (await issue()).status).toBe(200)
  const accessToken = (await issue()).json.access_token
  expect([await there.isActive(token), await there.isActive(accessToken)]).toEqual([true, true])
  return { id, tokenId, token, accessToken, issue }
}

let robots = 0
function seen(): number {
  robots += 1
  return robots
}

describe('no replica accepts the old credentials after the response of one replica', () => {
  it('deleting a personal access token revokes it alone', async () => {
    const { id, tokenId, token, accessToken } = await robot()
    expect((await manage('DELETE', `/users/${id}/tokens/${tokenId}`)).status).toBe(204)
    expect([await there.isActive(token), await there.isActive(accessToken)]).toEqual([false, true])
  })

  it.each([
    ['deactivating a service user', 'PATCH', '', { state: 'inactive' }],
    ['locking a service user', 'PATCH', '', { state: 'locked' }],
    ['deleting a service user', 'DELETE', '', undefined],
  ] as const)('%s ends its tokens of both kinds', async (_, method, path, body) => {
    const { id, token, accessToken } = await robot()
    expect((await manage(method, `/users/${id}${path}`, body)).status).toBeLessThan(300)
    expect([await there.isActive(token), await there.isActive(accessToken)]).toEqual([false, false])
  })

  it.each([
    ['rotating its secret without an overlap', 'POST', '/secret', { overlapSeconds: 0 }],
    ['taking its secret away', 'DELETE', '/secret', undefined],
    ['signing it out', 'POST', '/sign-out', undefined],
  ] as const)('%s ends the tokens that a service user got', async (_, method, path, body) => {
    const { id, token, accessToken } = await robot()
    expect((await manage(method, `/users/${id}${path}`, body)).status).toBeLessThan(300)
    expect(await there.isActive(accessToken)).toBe(false)
    expect(await there.isActive(token)).toBe(true)
  })

  it('rotating its secret with an overlap revokes nothing', async () => {
    const { id, accessToken, issue } = await robot()
    expect((await manage('POST', `/users/${id}/secret`, { overlapSeconds: 3600 })).status).toBe(201)
    expect(await there.isActive(accessToken)).toBe(true)
    expect((await issue()).status).toBe(200)
  })

  it.each([
    ['deactivating', 'PATCH', { state: 'inactive' }],
    ['deleting', 'DELETE', undefined],
  ] as const)('%s an organization revokes the tokens of its users', async (verb, method, body) => {
    const organization = { id: `org-${verb}`, name: verb, primaryDomain: `${verb}.localhost` }
    await created('/organizations', organization)
    const { token, accessToken } = await robot(organization.id)
    expect((await manage(method, `/organizations/${organization.id}`, body)).status).toBeLessThan(300)
    expect([await there.isActive(token), await there.isActive(accessToken)]).toEqual([false, false])
  })
})

describe('an authorization code that was issued before access was taken away', () => {
  const issue = () => there.code({ sid: `codes-${seen()}`, userId: 'bob' })
  /** Issues a token, also when the other replica has not read yet that the user has access. */
  const issueOnceAllowed = async () => {
    let code = ''
    await expect.poll(async () => (code = await issue().catch(() => ''))).not.toBe('')
    return code
  }
  const grants = '/projects/portal/user-grants'
  const asked = (projectRoleCheck: boolean, hasProjectCheck: boolean) =>
    manage('PATCH', '/projects/portal', { projectRoleCheck, hasProjectCheck })

  it.each([
    ['taking the roles away', 'PATCH', { roles: [] }],
    ['deleting the user grant', 'DELETE', undefined],
  ] as const)('is refused on the other replica: %s', async (verb, method, body) => {
    await created('/projects/portal/roles', { key: verb })
    const { id } = await created<{ id: string }>(grants, { userId: 'bob', roles: [verb] })
    await asked(true, false)
    const [before, after] = [await issueOnceAllowed(), await issueOnceAllowed()]
    expect((await there.redeem(before)).status).toBe(200)
    expect((await manage(method, `${grants}/${id}`, body)).status).toBeLessThan(300)
    expect(await there.redeem(after)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
    await manage('DELETE', `${grants}/${id}`)
    await asked(false, false)
    expect((await there.redeem(await issueOnceAllowed())).status).toBe(200)
  })

  it('is refused on the other replica: removing the grant of a project from an organization', async () => {
    await created('/organizations', { id: 'holder', name: 'Holder', primaryDomain: 'holder.localhost' })
    await created('/projects', { id: 'lent', organizationId: 'holder', name: 'Lent' })
    await created('/projects/lent/project-grants', { organizationId: 'acme' })
    expect((await manage('POST', '/organizations/acme/granted-projects/lent/accept')).status).toBeLessThan(
      300,
    )
    await manage('PATCH', '/projects/lent', { hasProjectCheck: true })
    await here.database.query({
      name: '',
      text: "UPDATE directory.application SET project_id = 'lent' WHERE client_id = 'web'",
    })
    const [before, after] = [await issue(), await issue()]
    expect((await there.redeem(before)).status).toBe(200)
    expect((await manage('DELETE', '/projects/lent/project-grants/acme')).status).toBe(204)
    expect((await there.redeem(after)).status).toBe(400)
    await here.database.query({
      name: '',
      text: "UPDATE directory.application SET project_id = 'portal' WHERE client_id = 'web'",
    })
    // No call announced the change to the replica.
    await issueOnceAllowed()
  })

  it('is refused on the other replica: deactivating the application, also when it is active again', async () => {
    const [during, later] = [await issue(), await issue()]
    await here.database.query({
      name: '',
      text: "UPDATE directory.application SET back_channel_logout_uri = 'https://app.example.com/bye' WHERE client_id = 'web'",
    })
    const sid = `codes-${seen()}`
    expect((await there.redeem(await there.code({ sid, userId: 'bob' }))).status).toBe(200)
    expect((await manage('PATCH', '/applications/web', { state: 'inactive' })).status).toBe(200)
    expect((await there.redeem(during)).status).toBeGreaterThanOrEqual(400)
    // Back-Channel Logout 1.0: the application is notified that the user has signed out.
    const told = {
      name: '',
      text: 'SELECT FROM grants.logout_delivery WHERE sid = $1 AND client_id = $2',
      values: [sid, 'web'],
    }
    await expect.poll(async () => (await here.database.query(told)).rowCount, { timeout: 10_000 }).toBe(1)
    await manage('PATCH', '/applications/web', { state: 'active' })
    await expect.poll(async () => (await there.redeem(later)).json).toMatchObject({ error: 'invalid_grant' })
  })
})

it('administrative operations: a temporary administrator is made, used and deleted with its token', async () => {
  const { id, token } = await robot()
  await here.database.query({
    name: '',
    text: "INSERT INTO directory.member (user_id, level, role) VALUES ($1, 'instance', 'IAM_OWNER')",
    values: [id],
  })
  const look = () => there.manage('GET', '/management/v1/organizations', undefined, token)
  expect((await look()).status).toBe(200)
  expect((await manage('DELETE', `/users/${id}`)).status).toBe(204)
  expect((await look()).status).toBe(401)
})

it('GET /audit returns the events of all services', async () => {
  const code = await here.code({ sid: 'audited' })
  expect((await here.redeem(code)).status).toBe(200)
  await here.logout('audited')
  const { json } = await there.manage('GET', '/management/v1/audit?limit=500')
  const { items } = json as unknown as { items: readonly { service: string; at: string }[] }
  expect(new Set(items.map(({ service }) => service))).toEqual(new Set(['directory', 'token', 'keys']))
  const times = items.map(({ at }) => at)
  expect(times).toEqual(times.toSorted().reverse())
})
