import { type Suite, startSuite, type Tokens } from '@signet/testing/system/suite'
import { POST_LOGOUT_URI } from '@signet/testing/system/test-directory'
import { withinASecond } from '@signet/testing/within-a-second'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const OWNER = 'urn:service:iam:user:resourceowner'
const CALLERS = ['api', 'web']

let suite: Suite
beforeAll(async () => {
  suite = await startSuite()
}, 60_000)
afterAll(() => suite?.stop())

/** Asked often enough that each caller gets an answer that was made for it before. */
async function askAgain(token: string): Promise<void> {
  for (const caller of CALLERS) {
    const first = await suite.introspect(token, caller)
    expect(first.json.active).toBe(true)
    for (let time = 0; time < 3; time += 1)
      expect((await suite.introspect(token, caller)).text).toBe(first.text)
  }
}

function answersAbout(token: string) {
  return Promise.all(CALLERS.map(async (caller) => (await suite.introspect(token, caller)).json))
}

describe('cached responses about a token follow a change within a second', () => {
  it('of the user', async () => {
    const { access_token } = await suite.tokens({ loginName: 'bob', scope: 'openid profile' })
    await askAgain(access_token)
    const change = { userName: 'robert', profile: { givenName: 'Robert', familyName: 'Example' } }
    const changed = { active: true, username: 'robert@acme.localhost', given_name: 'Robert' }
    await withinASecond(
      async () => expect((await suite.manage('PATCH', '/users/bob', change)).status).toBe(200),
      async () => expect(await answersAbout(access_token)).toMatchObject(CALLERS.map(() => changed)),
    )
    await askAgain(access_token)
  })

  it('of the organization', async () => {
    const { access_token } = await suite.tokens({ loginName: 'carol', scope: `openid ${OWNER}` })
    await askAgain(access_token)
    const change = { name: 'Acme & Co.' }
    const changed = { active: true, [`${OWNER}:name`]: 'Acme & Co.' }
    await withinASecond(
      async () => expect((await suite.manage('PATCH', '/organizations/acme', change)).status).toBe(200),
      async () => expect(await answersAbout(access_token)).toMatchObject(CALLERS.map(() => changed)),
    )
  })
})

describe('a revocation invalidates cached responses about the token at once', () => {
  type Ending = (tokens: Tokens, browser: ReturnType<Suite['newBrowser']>) => Promise<{ status: number }>

  it.each<[string, string, Ending]>([
    ['when it is revoked', 'alice', ({ access_token }) => suite.revoke('web', access_token)],
    ['when its refresh token is revoked', 'alice', ({ refresh_token }) => suite.revoke('web', refresh_token)],
    [
      'when its user signs out',
      'alice',
      ({ id_token }, browser) => browser.open(`/oidc/v1/end_session?${signOutOf(id_token)}`),
    ],
    ['when its user is signed out everywhere', 'carol', () => suite.manage('POST', '/users/carol/sign-out')],
    [
      'when its user is deactivated',
      'carol',
      () => suite.manage('PATCH', '/users/carol', { state: 'inactive' }),
    ],
    ['when its user is deleted', 'dora', () => suite.manage('DELETE', '/users/dora')],
    [
      'when its application is deactivated',
      'alice',
      () => suite.manage('PATCH', '/applications/web', { state: 'inactive' }),
    ],
  ])('%s', async (_, loginName, end) => {
    const browser = suite.newBrowser()
    const tokens = await suite.tokens({ loginName, browser })
    const [{ access_token: ended }, { access_token: kept }] = [
      tokens,
      await suite.tokens({ clientId: 'spa' }),
    ]
    for (const token of [ended, kept]) await askAgain(token)
    expect((await end(tokens, browser)).status).toBeLessThan(400)
    for (let time = 0; time < 3; time += 1) {
      expect((await suite.introspect(ended)).text).toBe('{"active":false}')
    }
    expect(await suite.isActive(kept)).toBe(true)
  })
})

function signOutOf(idToken: string): URLSearchParams {
  return new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: POST_LOGOUT_URI })
}
