import type { Page } from '@signet/testing/http-browser'
import { REDIRECT_URI } from '@signet/testing/system/test-directory'
import { type TestSystem, tokensOf } from '@signet/testing/system/test-system'

/** The requests of users, clients and administrators that the drills repeat. */
export const REQUESTS = [
  'key set',
  'introspection',
  'userinfo',
  'refresh',
  'revocation',
  'sign-in page',
  'authorize with a session',
  'sign-in',
  'management API',
  'migration API',
] as const
export type Request = (typeof REQUESTS)[number]

const AUTHORIZE = `/oauth/v2/authorize?${new URLSearchParams({
  client_id: 'web',
  redirect_uri: REDIRECT_URI,
  response_type: 'code',
  scope: 'openid',
})}`

const statusOf = ({ status }: { readonly status: number }, ...good: readonly number[]) =>
  good.includes(status) ? undefined : `${status}`

const codeIn = ({ status, headers }: Page) =>
  headers.get('location')?.includes('code=') === true ? undefined : `${status}`

/** The status that a page had instead of its form, or that there was no connection. */
export const toFailure = (error: unknown) => /^Error: (\d{3})/.exec(String(error))?.[1] ?? 'no connection'

/**
 * Signs in and returns each request, made with its tokens and its browser. A request returns undefined when it succeeded, else
 * what the client saw; two refreshes at once are two uses of one token.
 */
export async function prepareRequests(
  system: TestSystem,
): Promise<Readonly<Record<Request, () => Promise<string | undefined>>>> {
  const browser = system.newBrowser()
  const { access_token: token, ...first } = await system.tokens({ browser })
  let { refresh_token: refreshToken } = first
  const spare = [(await system.tokens()).access_token]
  const headers = { authorization: `Bearer ${token}` }
  return {
    'key set': async () => statusOf(await system.fetch('/oauth/v2/keys'), 200),
    introspection: async () => {
      const answer = await system.introspect(token)
      return answer.json.active === true ? undefined : `${answer.status}`
    },
    userinfo: async () => statusOf(await system.fetch('/oidc/v1/userinfo', { headers }), 200),
    refresh: async () => {
      const answer = await system.refresh('web', refreshToken)
      if (answer.status === 200) refreshToken = tokensOf(answer).refresh_token
      return statusOf(answer, 200)
    },
    revocation: async () => statusOf(await system.revoke('web', spare[0] ?? ''), 200),
    'sign-in page': async () => statusOf(await system.newBrowser().open(AUTHORIZE), 200),
    'authorize with a session': async () => codeIn(await browser.send(AUTHORIZE)),
    'sign-in': async () => codeIn(await system.tryPassword('bob')),
    'management API': async () => statusOf(await system.manage('GET', '/organizations'), 200),
    'migration API': async () => statusOf(await system.administer('GET', '/admin/v1/jobs'), 200),
  }
}
