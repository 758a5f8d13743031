import { afterAll, beforeAll, expect, it } from 'vitest'
import { asOwner, startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
  await asOwner(env.adminUrl, [
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
afterAll(() => env.stop())

/** The error or code that the client gets after a sign-in, and for a later silent request. */
async function answers(clientId: string, loginName: string): Promise<readonly string[]> {
  const browser = env.newBrowser()
  const request = { client_id: clientId }
  const first = await env.signIn(browser, await env.authorize(browser, request), loginName)
  const silent = await env.authorize(browser, { ...request, prompt: 'none' })
  return [first, new URL(silent.location).searchParams].map((answer) => answer.get('error') ?? 'code')
}

it('hasProjectCheck admits users of the owner and of organizations with a project grant', async () => {
  expect(await answers('owned', 'user1')).toEqual(['code', 'code'])
  expect(await answers('owned', 'globex1')).toEqual(['access_denied', 'access_denied'])
  await asOwner(env.adminUrl, [`INSERT INTO directory.project_grant VALUES ('owned', 'globex')`])
  await expect.poll(() => answers('owned', 'globex1')).toEqual(['code', 'code'])
})

it('projectRoleCheck admits users with a role in the project', async () => {
  expect(await answers('roles', 'user1')).toEqual(['access_denied', 'access_denied'])
  await asOwner(env.adminUrl, [
    `INSERT INTO directory.user_grant (user_grant_id, user_id, project_id) VALUES ('g1', 'user1', 'roles')`,
    `INSERT INTO directory.user_grant_role (user_id, project_id, role_key) VALUES ('user1', 'roles', 'reader')`,
  ])
  await expect.poll(() => answers('roles', 'user1')).toEqual(['code', 'code'])
  expect(await answers('roles', 'user2')).toEqual(['access_denied', 'access_denied'])
})

it('asks for no consent when the project does not admit the user', async () => {
  const browser = env.newBrowser()
  const page = await env.authorize(browser, { client_id: 'roles', prompt: 'consent' })
  const answer = await env.signIn(browser, page, 'user2')
  expect(answer.get('error')).toBe('access_denied')
})

it.each(['nowhere', 'shut-project', 'signet'])(
  'refuses the audience %s, which the application may not name, before the sign-in',
  async (project) => {
    const browser = env.newBrowser()
    const scope = `openid urn:service:iam:org:project:id:${project}:aud`
    const answer = new URL((await env.authorize(browser, { scope })).location).searchParams
    expect(answer.get('error')).toBe('invalid_scope')
    expect(answer.get('error_description')).toBe(
      'scope adds a project to the audience that does not exist or does not allow this client',
    )
  },
)

it('applies the checks of a project that a scope names', async () => {
  const scope = 'openid urn:service:iam:org:project:id:roles:aud'
  const browser = env.newBrowser()
  const answer = await env.signIn(browser, await env.authorize(browser, { scope }), 'user2')
  expect(answer.get('error')).toBe('access_denied')
  const other = env.newBrowser()
  expect((await env.signIn(other, await env.authorize(other, { scope }), 'user1')).has('code')).toBe(true)
})
