import { UI_LOCALES_LIMIT } from '../authorization/limits.ts'
import type { RequestParameters } from '../authorization/parameters.ts'
import { type Browser, hashOf, newRandomValue, type RandomBytes } from '../browser/browser.ts'
import { PageExpiredError } from '../browser/page-errors.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'
import type { ReadEndSessionRequest } from './end-session-request.ts'
import type { EndTokens } from './end-tokens.ts'
import type { EndedSession, PendingLogout, PendingLogouts } from './pending-logout.ts'

export interface SignedOut {
  readonly kind: 'signed-out'
  readonly target: string | undefined
  /** Sessions that were ended. */
  readonly sids: readonly string[]
  /** Whether this browser has no session left, so that its cookie is worth nothing. */
  readonly browserIsEmpty: boolean
}

type LogoutOutcome = SignedOut | { readonly kind: 'confirm'; readonly requestId: string }

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
  /** The waiting sign-out. Throws PageExpiredError when this browser has none under the id. */
  look(requestId: string, browser: Browser): Promise<PendingLogout>
  /** Ends all sessions of this browser and the one that the hint named. */
  confirm(requestId: string, from: Asking): Promise<SignedOut>
}

export interface LogoutFlowOptions {
  readonly readRequest: ReadEndSessionRequest
  readonly sessions: BrowserSessions
  readonly endTokens: EndTokens
  readonly pendingLogouts: PendingLogouts
  readonly random: RandomBytes
}

export function createLogoutFlow(options: LogoutFlowOptions): LogoutFlow {
  const { readRequest, sessions, endTokens, pendingLogouts, random } = options

  /** Tokens first: if that fails the session is still there and the person can try again. */
  async function end(
    { browser, clientAddress }: Asking,
    ended: readonly EndedSession[],
    target: string | undefined,
  ): Promise<SignedOut> {
    const sids = [...new Set(ended.map(({ sid }) => sid))]
    if (sids.length > 0) await endTokens(ended, { clientAddress })
    const { sessionCookie } = browser
    const browserIsEmpty =
      sessionCookie === undefined || (await sessions.forget(sessionCookie, new Set(sids)))
    return { kind: 'signed-out', target, sids, browserIsEmpty }
  }

  async function look(requestId: string, browser: Browser): Promise<PendingLogout> {
    const pending = await pendingLogouts.load(requestId, browser.id)
    if (pending === undefined) throw new PageExpiredError('the pending sign-out is gone')
    return pending
  }

  return {
    look,
    async begin(parameters, from) {
      const { browser } = from
      const { hint, client, target } = await readRequest(parameters)
      const known = await sessions.all(browser.sessionCookie)
      const own = known.filter((session) => session.sid === hint?.sid)
      if (own.length > 0) return end(from, own, target)
      const requestId = newRandomValue(random)
      await pendingLogouts.create(requestId, {
        browserHash: hashOf(browser.id),
        application: client?.name,
        target,
        uiLocales: parameters.get('ui_locales')?.slice(0, UI_LOCALES_LIMIT),
        hinted: hint?.sid === undefined ? undefined : { sid: hint.sid, userId: hint.userId },
      })
      return { kind: 'confirm', requestId }
    },
    async confirm(requestId, from) {
      const { browser } = from
      const { hinted, target } = await look(requestId, browser)
      const known = await sessions.all(browser.sessionCookie)
      const signedOut = await end(from, hinted === undefined ? known : [...known, hinted], target)
      await pendingLogouts.finish(requestId)
      return signedOut
    },
  }
}
