import { afterAll, beforeAll, expect, it } from 'vitest'
import { asOwner } from './fixtures/directory-rows.ts'
import { type LoginWorld, startLoginWorld } from './fixtures/login-world.ts'

let world: LoginWorld

beforeAll(async () => {
  world = await startLoginWorld()
  await asOwner(world.adminUrl, [
    `INSERT INTO directory.project (project_id, organization_id, name, has_project_check, project_role_check)
       VALUES ('owned', 'acme', 'Owned', true, false), ('roles', 'acme', 'Roles', false, true),
              ('shut-project', 'globex', 'Of others', false, false)`,
    `INSERT INTO directory.project_role (project_id, role_key, display_name) VALUES ('roles', 'reader', 'Reader')`,
    ...['owned', 'roles'].map(
      (project) => `INSERT INTO directory.application
        (application_id, client_id, project_id, name, type, auth_method, redirect_uris, post_logout_redirect_uris,
         response_types, grant_types, pkce_optional, first_party, state)
        VALUES ('${project}', '${project}', '${project}', 'X', 'web', 'client_secret_basic',
          '{https://rp.localhost/callback}', '{}', '{code}', '{authorization_code}', false, true, 'active')`,
    ),
  ])
})
afterAll(() => world.stop())

/** What the client hears after a sign-in, and when it asks again silently. */
async function answers(clientId: string, loginName: string): Promise<readonly string[]> {
  const browser = world.newBrowser()
  const request = { client_id: clientId }
  const first = await world.signIn(browser, await world.authorize(browser, request), loginName)
  const silent = await world.authorize(browser, { ...request, prompt: 'none' })
  return [first, new URL(silent.location).searchParams].map((answer) => answer.get('error') ?? 'code')
}

it('hasProjectCheck: lets in people of the owner and of organizations that were granted the project', async () => {
  expect(await answers('owned', 'alice')).toEqual(['code', 'code'])
  expect(await answers('owned', 'dora')).toEqual(['access_denied', 'access_denied'])
  await asOwner(world.adminUrl, [`INSERT INTO directory.project_grant VALUES ('owned', 'globex')`])
  await expect.poll(() => answers('owned', 'dora')).toEqual(['code', 'code'])
})

it('projectRoleCheck: lets in people who have a role in the project', async () => {
  expect(await answers('roles', 'alice')).toEqual(['access_denied', 'access_denied'])
  await asOwner(world.adminUrl, [
    `INSERT INTO directory.user_grant (user_grant_id, user_id, project_id) VALUES ('g1', 'alice', 'roles')`,
    `INSERT INTO directory.user_grant_role (user_id, project_id, role_key) VALUES ('alice', 'roles', 'reader')`,
  ])
  await expect.poll(() => answers('roles', 'alice')).toEqual(['code', 'code'])
  expect(await answers('roles', 'bob')).toEqual(['access_denied', 'access_denied'])
})

it('asks for no consent that would lead nowhere', async () => {
  const browser = world.newBrowser()
  const page = await world.authorize(browser, { client_id: 'roles', prompt: 'consent' })
  const answer = await world.signIn(browser, page, 'bob')
  expect(answer.get('error')).toBe('access_denied')
})

it.each(['nowhere', 'shut-project', 'signet'])(
  'refuses the audience %s, which the application may not name, before anybody signs in',
  async (project) => {
    const browser = world.newBrowser()
    const scope = `openid urn:service:iam:org:project:id:${project}:aud`
    const answer = new URL((await world.authorize(browser, { scope })).location).searchParams
    expect(answer.get('error')).toBe('invalid_scope')
    expect(answer.get('error_description')).toBe(
      'scope adds a project to the audience that does not exist or does not allow this client',
    )
  },
)

it('makes the checks of a project that a scope names', async () => {
  const scope = 'openid urn:service:iam:org:project:id:roles:aud'
  const browser = world.newBrowser()
  const answer = await world.signIn(browser, await world.authorize(browser, { scope }), 'bob')
  expect(answer.get('error')).toBe('access_denied')
  const other = world.newBrowser()
  expect((await world.signIn(other, await world.authorize(other, { scope }), 'alice')).has('code')).toBe(true)
})
