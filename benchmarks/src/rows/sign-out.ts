import type { HttpRequest } from '../load/http-exchange.ts'
import { WrongAnswer } from '../load/lane.ts'
import { SIGNED_OUT_URI } from '../stage/directory-document.ts'
import { formRequest, getRequest, limitOf, usingUp } from './requests.ts'
import type { LoadRow } from './row.ts'
import { codeFlow, signetEndpoints, signIn } from './sign-in.ts'

const MOST_PER_SECOND = 500
/** Passwords are verified by a pool of threads; more at once only wait for it. */
const SIGN_INS_AT_ONCE = 4

/**
 * Each request ends another browser session with its grant, on every replica, before it is answered. The peer asks the
 * user first, so it has no request to compare with.
 */
export const signOut: LoadRow = {
  kind: 'load',
  name: 'sign-out',
  title: 'sign out of a session with a grant, final at the answer',
  limit: 'reads the form, does one guarded UPDATE, answers the same bytes',
  budgets: [],
  most: { cpuMicroseconds: 4_000 },
  async open(stage) {
    const { signet, connections } = stage
    const origin = signet.originOf('login')
    /** A session, as the text of the request that ends it. */
    const session = async (): Promise<string> => {
      const cookie = await signIn(stage)
      const { id_token } = await codeFlow(
        signetEndpoints(stage),
        { clientId: 'web', cookie },
        connections.send,
      )
      const query = { id_token_hint: id_token, post_logout_redirect_uri: SIGNED_OUT_URI }
      return JSON.stringify(
        getRequest(origin, `/oidc/v1/end_session?${new URLSearchParams(query)}`, { cookie }),
      )
    }
    const requestOf = (text: string) => JSON.parse(text) as HttpRequest
    const fresh = async (count: number) => {
      const sessions: string[] = []
      const signingIn = Array.from({ length: SIGN_INS_AT_ONCE }, async () => {
        while (sessions.length < count) sessions.push(await session())
      })
      await Promise.all(signingIn)
      return sessions
    }
    const sample = requestOf(await session())
    const answer = await connections.send(sample)
    if (answer.headers.location !== SIGNED_OUT_URI) throw new WrongAnswer(sample, answer)
    const { searchParams } = new URL(sample.path, origin)
    const like = formRequest(origin, '/', { clientId: 'web', form: Object.fromEntries(searchParams) })
    return [
      {
        name: 'signet',
        pids: [signet.replica('login').pid, signet.replica('token').pid],
        ...usingUp(stage, {
          row: 'sign-out',
          mostPerSecond: MOST_PER_SECOND,
          status: answer.status,
          fresh,
          requestOf,
        }),
      },
      await limitOf(stage, { name: 'sign-out', work: 'update', like, answer }),
    ]
  },
}
