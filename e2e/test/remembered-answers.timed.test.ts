import { startSystem } from '@signet/testing/system/start-system'
import { POST_LOGOUT_URI } from '@signet/testing/system/test-directory'
import type { TestSystem, Tokens } from '@signet/testing/system/test-system'
import { withinASecond } from '@signet/testing/within-a-second'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const OWNER = 'urn:service:iam:user:resourceowner'
const CALLERS = ['api', 'web']

let system: TestSystem
beforeAll(async () => {
  system = await startSystem({ mode: 'standalone' })
}, 60_000)
afterAll(() => system?.stop())

/** Asked often enough that each caller gets an answer that was made for it before. */
async function askAgain(token: string): Promise<void> {
  for (const caller of CALLERS) {
    const first = await system.introspect(token, caller)
    expect(first.json.active).toBe(true)
    for (let time = 0; time < 3; time += 1)
      expect((await system.introspect(token, caller)).text).toBe(first.text)
  }
}

function answersAbout(token: string) {
  return Promise.all(CALLERS.map(async (caller) => (await system.introspect(token, caller)).json))
}

describe('cached responses about a token follow a change within a second', () => {
  it('of the user', async () => {
    const { access_token } = await system.tokens({ loginName: 'bob', scope: 'openid profile' })
    await askAgain(access_token)
    const change = { userName: 'robert', profile: { givenName: 'Robert', familyName: 'Example' } }
    const changed = { active: true, username: 'robert@acme.localhost', given_name: 'Robert' }
    await withinASecond(
      async () => expect((await system.manage('PATCH', '/users/bob', change)).status).toBe(200),
      async () => expect(await answersAbout(access_token)).toMatchObject(CALLERS.map(() => changed)),
    )
    await askAgain(access_token)
  })

  it('of the organization', async () => {
    const { access_token } = await system.tokens({ loginName: 'carol', scope: `openid ${OWNER}` })
    await askAgain(access_token)
    const change = { name: 'Acme & Co.' }
    const changed = { active: true, [`${OWNER}:name`]: 'Acme & Co.' }
    await withinASecond(
      async () => expect((await system.manage('PATCH', '/organizations/acme', change)).status).toBe(200),
      async () => expect(await answersAbout(access_token)).toMatchObject(CALLERS.map(() => changed)),
    )
  })
})

describe('a revocation invalidates cached responses about the token at once', () => {
  type Ending = (tokens: Tokens, browser: ReturnType<TestSystem['newBrowser']>) => Promise<{ status: number }>

  it.each<[string, string, Ending]>([
    ['when it is revoked', 'alice', ({ access_token }) => system.revoke('web', access_token)],
    [
      'when its refresh token is revoked',
      'alice',
      ({ refresh_token }) => system.revoke('web', refresh_token),
    ],
    [
      'when its user signs out',
      'alice',
      ({ id_token }, browser) => browser.open(`/oidc/v1/end_session?${signOutOf(id_token)}`),
    ],
    ['when its user is signed out everywhere', 'carol', () => system.manage('POST', '/users/carol/sign-out')],
    [
      'when its user is deactivated',
      'carol',
      () => system.manage('PATCH', '/users/carol', { state: 'inactive' }),
    ],
    ['when its user is deleted', 'dora', () => system.manage('DELETE', '/users/dora')],
    [
      'when its application is deactivated',
      'alice',
      () => system.manage('PATCH', '/applications/web', { state: 'inactive' }),
    ],
  ])('%s', async (_, loginName, end) => {
    const browser = system.newBrowser()
    const tokens = await system.tokens({ loginName, browser })
    const [{ access_token: ended }, { access_token: kept }] = [
      tokens,
      await system.tokens({ clientId: 'spa' }),
    ]
    for (const token of [ended, kept]) await askAgain(token)
    expect((await end(tokens, browser)).status).toBeLessThan(400)
    for (let time = 0; time < 3; time += 1) {
      expect((await system.introspect(ended)).text).toBe('{"active":false}')
    }
    expect(await system.isActive(kept)).toBe(true)
  })
})

function signOutOf(idToken: string): URLSearchParams {
  return new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: POST_LOGOUT_URI })
}
