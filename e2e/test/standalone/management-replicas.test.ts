import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Replica, type Suites, startSuites } from './suites.ts'

let suites: Suites
let here: Replica
let there: Replica
beforeAll(async () => {
  suites = await startSuites({ replicas: 2, userIds: ['alice'] })
  const [first, second] = suites.replicas
  if (first === undefined || second === undefined) throw new Error('two replicas are needed')
  here = first
  there = second
}, 60_000)
afterAll(() => suites?.close())

async function created<T>(path: string, body: unknown): Promise<T> {
  const answer = await here.manage('POST', path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body as T
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
  expect(
    (await here.manage('PATCH', '/projects/portal', { allowedAudiences: [secret.clientId] })).status,
  ).toBe(200)
  const issue = () => there.clientCredentials(secret.clientId, secret.clientSecret)
  await expect.poll(async () => (await issue()).status).toBe(200)
  const accessToken = (await issue()).body.access_token
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
    expect((await here.manage('DELETE', `/users/${id}/tokens/${tokenId}`)).status).toBe(204)
    expect([await there.isActive(token), await there.isActive(accessToken)]).toEqual([false, true])
  })

  it.each([
    ['deactivating a service user', 'PATCH', '', { state: 'inactive' }],
    ['locking a service user', 'PATCH', '', { state: 'locked' }],
    ['deleting a service user', 'DELETE', '', undefined],
  ] as const)('%s ends its tokens of both kinds', async (_, method, path, body) => {
    const { id, token, accessToken } = await robot()
    expect((await here.manage(method, `/users/${id}${path}`, body)).status).toBeLessThan(300)
    expect([await there.isActive(token), await there.isActive(accessToken)]).toEqual([false, false])
  })

  it.each([
    ['rotating its secret without an overlap', 'POST', '/secret', { overlapSeconds: 0 }],
    ['taking its secret away', 'DELETE', '/secret', undefined],
    ['signing it out', 'POST', '/sign-out', undefined],
  ] as const)('%s ends the tokens that a service user got', async (_, method, path, body) => {
    const { id, token, accessToken } = await robot()
    expect((await here.manage(method, `/users/${id}${path}`, body)).status).toBeLessThan(300)
    expect(await there.isActive(accessToken)).toBe(false)
    expect(await there.isActive(token)).toBe(true)
  })

  it('rotating its secret with an overlap revokes nothing', async () => {
    const { id, accessToken, issue } = await robot()
    expect((await here.manage('POST', `/users/${id}/secret`, { overlapSeconds: 3600 })).status).toBe(201)
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
    expect((await here.manage(method, `/organizations/${organization.id}`, body)).status).toBeLessThan(300)
    expect([await there.isActive(token), await there.isActive(accessToken)]).toEqual([false, false])
  })
})

describe('an authorization code that was issued before access was taken away', () => {
  const issue = () => there.issueCode({ sid: `codes-${seen()}`, userId: 'alice', userEpoch: 0 })
  const grants = '/projects/portal/user-grants'
  const asked = (projectRoleCheck: boolean, hasProjectCheck: boolean) =>
    here.manage('PATCH', '/projects/portal', { projectRoleCheck, hasProjectCheck })

  it.each([
    ['taking the roles away', 'PATCH', { roles: [] }],
    ['deleting the user grant', 'DELETE', undefined],
  ] as const)('is refused on the other replica: %s', async (verb, method, body) => {
    await created('/projects/portal/roles', { key: verb })
    const { id } = await created<{ id: string }>(grants, { userId: 'alice', roles: [verb] })
    await asked(true, false)
    const [before, after] = [await issue(), await issue()]
    expect((await there.redeem(before)).status).toBe(200)
    expect((await here.manage(method, `${grants}/${id}`, body)).status).toBeLessThan(300)
    expect(await there.redeem(after)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    await here.manage('DELETE', `${grants}/${id}`)
    await asked(false, false)
    expect((await there.redeem(await issue())).status).toBe(200)
  })

  it('is refused on the other replica: removing the grant of a project from an organization', async () => {
    await created('/organizations', { id: 'holder', name: 'Holder', primaryDomain: 'holder.localhost' })
    await created('/projects', { id: 'lent', organizationId: 'holder', name: 'Lent' })
    await created('/projects/lent/project-grants', { organizationId: 'acme' })
    expect(
      (await here.manage('POST', '/organizations/acme/granted-projects/lent/accept')).status,
    ).toBeLessThan(300)
    await here.manage('PATCH', '/projects/lent', { hasProjectCheck: true })
    await suites.database.query({
      name: '',
      text: "UPDATE directory.application SET project_id = 'lent' WHERE client_id = 'web'",
    })
    const [before, after] = [await issue(), await issue()]
    expect((await there.redeem(before)).status).toBe(200)
    expect((await here.manage('DELETE', '/projects/lent/project-grants/acme')).status).toBe(204)
    expect((await there.redeem(after)).status).toBe(400)
    await suites.database.query({
      name: '',
      text: "UPDATE directory.application SET project_id = 'portal' WHERE client_id = 'web'",
    })
  })

  it('is refused on the other replica: deactivating the application, also when it is active again', async () => {
    const [during, later] = [await issue(), await issue()]
    await suites.database.query({
      name: '',
      text: "UPDATE directory.application SET back_channel_logout_uri = 'https://app.example.com/bye' WHERE client_id = 'web'",
    })
    const sid = `codes-${seen()}`
    expect((await there.redeem(await there.issueCode({ sid, userId: 'alice', userEpoch: 0 }))).status).toBe(
      200,
    )
    expect((await here.manage('PATCH', '/applications/web', { state: 'inactive' })).status).toBe(200)
    expect((await there.redeem(during)).status).toBeGreaterThanOrEqual(400)
    // Back-Channel Logout 1.0: the application is notified that the user has signed out.
    const told = {
      name: '',
      text: 'SELECT FROM grants.logout_delivery WHERE sid = $1 AND client_id = $2',
      values: [sid, 'web'],
    }
    await expect.poll(async () => (await suites.database.query(told)).rowCount, { timeout: 10_000 }).toBe(1)
    await here.manage('PATCH', '/applications/web', { state: 'active' })
    await expect.poll(async () => (await there.redeem(later)).body).toMatchObject({ error: 'invalid_grant' })
  })
})

it('administrative operations: a temporary administrator is made, used and deleted with its token', async () => {
  const { id, token } = await robot()
  await suites.database.query({
    name: '',
    text: "INSERT INTO directory.member (user_id, level, role) VALUES ($1, 'instance', 'IAM_OWNER')",
    values: [id],
  })
  const look = () => there.manageAs(token, 'GET', '/organizations')
  expect((await look()).status).toBe(200)
  expect((await here.manage('DELETE', `/users/${id}`)).status).toBe(204)
  expect((await look()).status).toBe(401)
})

it('GET /audit returns the events of all services', async () => {
  const code = await here.issueCode({ sid: 'audited', userId: 'alice', userEpoch: 0 })
  expect((await here.redeem(code)).status).toBe(200)
  await here.logout({ sid: 'audited', userId: 'alice' })
  const { body } = await there.manage('GET', '/audit?limit=500')
  const { items } = body as { items: readonly { service: string; at: string }[] }
  expect(new Set(items.map(({ service }) => service))).toEqual(new Set(['directory', 'token', 'keys']))
  const times = items.map(({ at }) => at)
  expect(times).toEqual(times.toSorted().reverse())
})
