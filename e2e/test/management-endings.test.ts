import { type OpenapiContract, openapiContract } from '@signet/testing/openapi-contract'
import { startSystem } from '@signet/testing/system/start-system'
import { bootstrapDocument } from '@signet/testing/system/test-directory'
import type { Answer, TestSystem } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let system: TestSystem
let contract: OpenapiContract

beforeAll(async () => {
  const { organizations, ...rest } = bootstrapDocument()
  // The last administrator could not go with the organization that is deactivated.
  const keeper = {
    ...{ id: 'keeper', name: 'Keeper', primaryDomain: 'keeper.localhost' },
    serviceUsers: [
      { id: 'keeper', userName: 'keeper', clientSecret: 'a-secret-of-the-keeper', roles: ['IAM_OWNER'] },
    ],
  }
  const document = { ...rest, organizations: [...organizations, keeper] }
  system = await startSystem({ mode: 'in-process', document })
  const { text } = await system.fetch('/management/v1/openapi.json')
  contract = openapiContract(JSON.parse(text))
}, 60_000)
afterAll(() => system?.stop())

async function manage(method: string, path: string, body?: object): Promise<Answer> {
  const answer = await system.manage(method, path, body)
  // The suite is asked for the response that it has to give.
  const { status, text, json } = answer
  const shown = { method, path: `/management/v1${path}`, status, body: text === '' ? undefined : json }
  expect(contract.answerProblems(shown)).toEqual([])
  return answer
}

it('a person and a temporary administrator are made and deleted over the API', async () => {
  const person = {
    organizationId: 'acme',
    userName: 'temporary',
    profile: { givenName: 'T', familyName: 'P' },
  }
  const made = await manage('POST', '/users', person)
  expect(made.status).toBe(201)
  const robot = await manage('POST', '/service-users', {
    organizationId: 'acme',
    userName: 'temporary-robot',
  })
  const token = await manage('POST', `/users/${robot.json.id}/tokens`, {})
  expect(token.status).toBe(201)
  expect(
    (await manage('GET', `/audit?action=token.create&targetId=${token.json.id}`)).json.items,
  ).toHaveLength(1)
  for (const { json } of [made, robot]) {
    expect((await manage('DELETE', `/users/${json.id}`)).status).toBe(204)
    expect((await manage('GET', `/users/${json.id}`)).status).toBe(404)
  }
})

it('an administrator ends one session of a user, and the tokens of the other stay valid [D]', async () => {
  const scope = 'openid offline_access urn:service:iam:org:project:id:portal:aud'
  const [ended, kept] = [system.newBrowser(), system.newBrowser()]
  const tokens = await system.tokens({ loginName: 'carol', clientId: 'web', browser: ended, scope })
  const [session] = (await manage('GET', '/users/carol/sessions')).json.items as readonly { id: string }[]
  expect(session).toMatchObject({ amr: ['pwd'] })
  const others = await system.tokens({ loginName: 'carol', clientId: 'web', browser: kept, scope })
  const code = await system.code({ loginName: 'carol', clientId: 'web', browser: ended })
  expect((await manage('GET', '/users/carol/sessions')).json.items).toHaveLength(2)

  expect((await manage('DELETE', `/users/carol/sessions/${session?.id}`)).status).toBe(204)

  expect(await system.isActive(tokens.access_token)).toBe(false)
  expect((await system.refresh('web', tokens.refresh_token)).json.error).toBe('invalid_grant')
  expect((await system.redeem(code)).json.error).toBe('invalid_grant')
  expect(await system.isActive(others.access_token)).toBe(true)
  expect((await manage('GET', '/users/carol/sessions')).json.items).toHaveLength(1)
  const { items } = (await manage('GET', `/audit?targetId=${session?.id}`)).json
  expect(items).toMatchObject([
    { service: 'directory', action: 'session.end', actor: { id: 'administrator' } },
    { service: 'token', action: 'sign_out', actor: { id: 'administrator' } },
  ])
})

describe('no revoked token is active after the ending call returned', () => {
  it.each([
    ['signing out everywhere', 'POST', '/users/alice/sign-out', undefined, undefined],
    ['another password', 'POST', '/users/alice/password', { password: 'Another-horse-7' }, undefined],
    ['deactivating the user', 'PATCH', '/users/bob', { state: 'inactive' }, '/users/bob'],
    [
      'deactivating the application',
      'PATCH',
      '/applications/post',
      { state: 'inactive' },
      '/applications/post',
    ],
    ['deleting the user', 'DELETE', '/users/dora', undefined, undefined],
    ['deactivating the organization', 'PATCH', '/organizations/acme', { state: 'inactive' }, undefined],
  ])('%s', async (_, method, path, body, activate) => {
    const loginName = path.startsWith('/users/') ? (path.split('/')[2] ?? '') : 'carol'
    const clientId = path.startsWith('/applications/') ? 'post' : 'web'
    const browser = system.newBrowser()
    const tokens = await system.tokens({
      loginName,
      clientId,
      browser,
      scope: 'openid offline_access urn:service:iam:org:project:id:portal:aud',
    })
    expect(await system.isActive(tokens.access_token)).toBe(true)
    const code = await system.code({ loginName, clientId, browser })

    const ended = await manage(method, path, body)
    expect(ended.status, ended.text).toBeLessThan(300)

    expect(await system.isActive(tokens.access_token)).toBe(false)
    expect((await system.refresh(clientId, tokens.refresh_token)).status).toBeGreaterThanOrEqual(400)
    expect((await system.redeem(code)).status).toBeGreaterThanOrEqual(400)
    if (activate !== undefined) {
      expect((await manage('PATCH', activate, { state: 'active' })).status).toBe(200)
      expect(await system.isActive(tokens.access_token)).toBe(false)
      // Readers of the directory learn within a second that the application may come in again.
      await expect
        .poll(async () => (await system.refresh(clientId, tokens.refresh_token)).json.error, {
          timeout: 10_000,
        })
        .toBe('invalid_grant')
    }
  })
})
