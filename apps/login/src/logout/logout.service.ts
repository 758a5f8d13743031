import { UI_LOCALES_LIMIT } from '../authorization/limits.ts'
import type { RequestParameters } from '../authorize/parameters.ts'
import type { Browser } from '../sessions/browser.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'
import type { ReadEndSessionRequest } from './end-session-request.ts'
import type { EndedSession, EndTokens } from './end-tokens.ts'

export interface SignedOut {
  readonly kind: 'signed-out'
  readonly target: string | undefined
  /** Sessions that were ended. */
  readonly sids: readonly string[]
  /** Whether this browser has no session left, so that its cookie is worth nothing. */
  readonly browserIsEmpty: boolean
}

type LogoutOutcome = SignedOut | { readonly kind: 'confirm' }

/** What the question before a sign-out says. */
interface LogoutQuestion {
  /** Name of the application that asked. */
  readonly application: string | undefined
  /** The languages that the application wishes the question in. */
  readonly uiLocales: string | undefined
}

/** Who asks, and from where. */
interface Asking {
  readonly browser: Browser
  readonly clientAddress: string
}

export interface LogoutFlow {
  /**
   * Signs out at once when the hint names a session of this browser; otherwise another site could be asking, and
   * the person has to confirm.
   */
  begin(parameters: RequestParameters, from: Asking): Promise<LogoutOutcome>
  /** Checks the request and returns what the person is asked. */
  look(parameters: RequestParameters): Promise<LogoutQuestion>
  /** Ends all sessions of this browser and the one that the hint names, in whichever browser. The person has confirmed. */
  confirm(parameters: RequestParameters, from: Asking): Promise<SignedOut>
}

export interface LogoutFlowOptions {
  readonly readRequest: ReadEndSessionRequest
  readonly sessions: BrowserSessions
  readonly endTokens: EndTokens
}

export function createLogoutFlow(options: LogoutFlowOptions): LogoutFlow {
  const { readRequest, sessions, endTokens } = options

  /**
   * Tokens first: if that fails the session is still there and the person can try again. If forgetting fails instead, a
   * record is left whose session is refused because it has ended. `elsewhere` are sessions that this browser does not
   * hold; to find them costs one read for each browser of their user.
   */
  async function end(
    { browser, clientAddress }: Asking,
    { own, elsewhere = [] }: { own: readonly EndedSession[]; elsewhere?: readonly EndedSession[] },
    target: string | undefined,
  ): Promise<SignedOut> {
    const ended = [...own, ...elsewhere]
    const sids = ended.map(({ sid }) => sid)
    if (sids.length > 0) await endTokens(ended, { clientAddress })
    await sessions.forgetEverywhere(elsewhere)
    const { sessionCookie } = browser
    const browserIsEmpty =
      sessionCookie === undefined || (await sessions.forget(sessionCookie, new Set(sids)))
    return { kind: 'signed-out', target, sids, browserIsEmpty }
  }

  return {
    async look(parameters) {
      const { client } = await readRequest(parameters)
      return {
        application: client?.name,
        uiLocales: parameters.get('ui_locales')?.slice(0, UI_LOCALES_LIMIT),
      }
    },
    async begin(parameters, from) {
      const { hint, target } = await readRequest(parameters)
      const known = await sessions.all(from.browser.sessionCookie)
      const own = known.filter((session) => session.sid === hint?.sid)
      return own.length > 0 ? end(from, { own }, target) : { kind: 'confirm' }
    },
    async confirm(parameters, from) {
      const { hint, target } = await readRequest(parameters)
      const own = await sessions.all(from.browser.sessionCookie)
      const isElsewhere = hint?.sid !== undefined && !own.some(({ sid }) => sid === hint.sid)
      const elsewhere = isElsewhere ? [{ sid: hint.sid, userId: hint.userId }] : []
      return end(from, { own, elsewhere }, target)
    },
  }
}
