import { setTimeout as pause } from 'node:timers/promises'
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

/** Two to three requests of each kind in a second. */
const EVERY_MS = 400
const RETRY_AFTER_MS = 3_000

export interface Answered {
  readonly request: Request
  readonly tookMs: number
  readonly isRepeated: boolean
  /** The failure of the second attempt, undefined when one of the two succeeded. */
  readonly failure: string | undefined
}

/**
 * Sends every request at a steady rate until `end`, whether the ones before were answered or not, and repeats a failed one once.
 * Returns when all are answered.
 */
export async function sendSteadily(system: TestSystem, end: Promise<unknown>): Promise<readonly Answered[]> {
  const requests = await prepareRequests(system)
  const underWay: Promise<Answered>[] = []
  let isRefreshing = false
  let hasEnded = false
  end.finally(() => (hasEnded = true)).catch(() => undefined)
  const attempt = (request: Request) => requests[request]().catch(toFailure)
  async function send(request: Request): Promise<Answered> {
    const beganAt = performance.now()
    let failure = await attempt(request)
    const isRepeated = failure !== undefined
    if (isRepeated) {
      await pause(RETRY_AFTER_MS)
      failure = await attempt(request)
    }
    return { request, tookMs: performance.now() - beganAt, isRepeated, failure }
  }
  const beganAt = performance.now()
  for (let turn = 0; !hasEnded; turn += 1) {
    for (const request of REQUESTS) {
      // A client uses a refresh token when it has the answer to the use before.
      if (request !== 'refresh') underWay.push(send(request))
      else if (!isRefreshing) {
        isRefreshing = true
        underWay.push(send(request).finally(() => (isRefreshing = false)))
      }
    }
    await pause(Math.max(0, beganAt + (turn + 1) * EVERY_MS - performance.now()))
  }
  return Promise.all(underWay)
}

/** The value that this share of the sorted values does not exceed. */
export const percentile = (sorted: readonly number[], share: number) =>
  sorted[Math.ceil(sorted.length * share) - 1] ?? 0
