// Ends what rests on a factor that its person removed (ASVS 7.4.3).
import type { Browser } from './browser.ts'
import { type BrowserSession, restsOn, type SessionCookie } from './browser-session.ts'
import type { BrowserSessions } from './browser-sessions.ts'
import type { UserSessions } from './user-sessions.ts'

/**
 * `done`: this session goes on; `cookie` is its new session cookie, undefined where it keeps the one that it has. `ended`: this
 * session rested on the factor.
 */
export type FactorEnd =
  | { readonly kind: 'done'; readonly cookie?: SessionCookie | undefined }
  | { readonly kind: 'ended' }

/** When it resolves, the sessions that rest on the factor have ended with their tokens. */
export type EndOfFactor = (
  browser: Browser,
  session: BrowserSession,
  ending: {
    readonly factor: string
    /** All other sessions and all tokens of the account end too. */
    readonly endsOthers: boolean
    readonly clientAddress: string
  },
) => Promise<FactorEnd>

interface Dependencies {
  readonly sessions: Pick<BrowserSessions, 'renew' | 'forgetConfirmation'>
  readonly userSessions: Pick<UserSessions, 'endAll'>
  /** Raises the epoch of the account; returns undefined where it may not sign in. */
  readonly raiseEpoch: (
    session: BrowserSession,
    clientAddress: string,
  ) => Promise<Pick<BrowserSession, 'userEpoch' | 'organizationEpoch'> | undefined>
}

export function createEndOfFactor({ sessions, userSessions, raiseEpoch }: Dependencies): EndOfFactor {
  return async ({ sessionCookie }, session, { factor, endsOthers, clientAddress }) => {
    const { userId, sid } = session
    const isEnded = restsOn(session, factor)
    const isConfirmedBy = session.confirmedFactor === undefined || session.confirmedFactor === factor
    if (!isEnded && isConfirmedBy && session.confirmedWithFactor && sessionCookie !== undefined) {
      await sessions.forgetConfirmation(sessionCookie, sid)
    }
    if (!endsOthers) {
      const rests = (other: BrowserSession) =>
        other.sid === sid ? isEnded : restsOn(other, factor) || other.confirmedFactor === factor
      await userSessions.endAll({ userId, clientAddress }, rests)
      return isEnded ? { kind: 'ended' } : { kind: 'done' }
    }
    const epochs = await raiseEpoch(session, clientAddress)
    if (isEnded || epochs === undefined || sessionCookie === undefined) return { kind: 'ended' }
    return { kind: 'done', cookie: await sessions.renew(sessionCookie, sid, epochs) }
  }
}
