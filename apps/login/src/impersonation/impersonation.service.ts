// Sign-ins of administrators as another person: from the link of the management API to the end of the session.
import type { IsConfirmed } from '../own-account/usable-factors.ts'
import type { FindAccountNames } from '../sessions/account-names.ts'
import type { Browser } from '../sessions/browser.ts'
import {
  type EndSessions,
  endImpersonated,
  recentProof,
  type SessionCookie,
} from '../sessions/browser-session.ts'
import type { BegunImpersonation, BrowserSessions } from '../sessions/browser-sessions.ts'

/** A link that was not used yet. */
export interface WaitingImpersonation {
  readonly administratorId: string
  readonly userId: string
  readonly loginName: string
  readonly organizationName: string
  readonly reason: string
}

/** Stores the impersonations. `undefined` stands for a link that is not there. */
export interface StoredImpersonations {
  find(token: string): Promise<WaitingImpersonation | undefined>
  /** Uses the link of an administrator up. Of concurrent calls one gets it. `refused`: a rule does not hold any more. */
  begin(opening: {
    readonly token: string
    readonly administratorId: string
    readonly clientAddress: string
  }): Promise<Omit<BegunImpersonation, 'signedInFrom'> | 'refused' | undefined>
}

/** The session of an impersonation of this browser. */
export interface ActiveImpersonation {
  readonly sid: string
  readonly loginName: string
  /** Login name of the administrator. */
  readonly administrator: string
  readonly reason: string
  readonly endsAt: number
}

/**
 * `expired`: the link was used or is too old. `foreign`: this browser has no session of its administrator. `stale`: the administrator
 * did not authenticate a short time ago. `unconfirmed`: the administrator did, without a factor that the account has. `nested`: an
 * impersonation goes on here. `refused`: a rule does not hold any more.
 */
export type ImpersonationProblem = 'expired' | 'foreign' | 'stale' | 'unconfirmed' | 'nested' | 'refused'

export type NoImpersonation =
  | { readonly kind: Exclude<ImpersonationProblem, 'unconfirmed'> }
  /** The session that confirms. */
  | { readonly kind: 'unconfirmed'; readonly sid: string }

export interface Impersonations {
  open(
    token: string,
    browser: Browser,
  ): Promise<
    | ({ readonly kind: 'waiting'; readonly administrator: string } & Pick<
        WaitingImpersonation,
        'loginName' | 'organizationName' | 'reason'
      >)
    | NoImpersonation
  >
  begin(
    token: string,
    browser: Browser,
  ): Promise<{ readonly kind: 'begun'; readonly cookie: SessionCookie } | NoImpersonation>
  active(browser: Browser | undefined): Promise<ActiveImpersonation | undefined>
  /** Ends the session with its tokens, if it is one of this browser. */
  end(browser: Browser, sid: string): Promise<void>
}

interface Dependencies {
  readonly storedImpersonations: StoredImpersonations
  readonly sessions: Pick<BrowserSessions, 'answering' | 'impersonate' | 'all' | 'remove'>
  readonly endSessions: EndSessions
  readonly findAccountNames: FindAccountNames
  readonly isConfirmed: IsConfirmed
  readonly now: () => Date
}

export function createImpersonations(dependencies: Dependencies): Impersonations {
  const { storedImpersonations, sessions, endSessions, findAccountNames, isConfirmed, now } = dependencies

  async function find(token: string, { sessionCookie }: Browser) {
    const waiting = await storedImpersonations.find(token)
    if (waiting === undefined) return { kind: 'expired' as const }
    const live = await sessions.answering(sessionCookie)
    const own = live.find(
      ({ userId, impersonation }) => userId === waiting.administratorId && impersonation === undefined,
    )
    if (own === undefined || sessionCookie === undefined) return { kind: 'foreign' as const }
    if (live.some(({ impersonation }) => impersonation !== undefined)) return { kind: 'nested' as const }
    if (recentProof(own, now().getTime()) === undefined) return { kind: 'stale' as const }
    // To act as another person is no less than to change the own account.
    if (!(await isConfirmed(own))) return { kind: 'unconfirmed' as const, sid: own.sid }
    return { kind: 'waiting' as const, ...waiting, sessionCookie }
  }

  const nameOf = async (userId: string) => (await findAccountNames(userId))?.loginName ?? userId

  return {
    async open(token, browser) {
      const found = await find(token, browser)
      if (found.kind !== 'waiting') return found
      const { kind, loginName, organizationName, reason } = found
      return { kind, loginName, organizationName, reason, administrator: await nameOf(found.administratorId) }
    },
    async begin(token, browser) {
      const found = await find(token, browser)
      if (found.kind !== 'waiting') return found
      const { administratorId, sessionCookie } = found
      const { clientAddress } = browser
      const begun = await storedImpersonations.begin({ token, administratorId, clientAddress })
      if (begun === undefined) return { kind: 'expired' }
      if (begun === 'refused') return { kind: 'refused' }
      const signedInFrom = { ...browser.agent, clientAddress }
      const made = await sessions.impersonate(sessionCookie, { ...begun, signedInFrom })
      return made === undefined ? { kind: 'foreign' } : { kind: 'begun', cookie: made.cookie }
    },
    async active(browser) {
      const live = await sessions.answering(browser?.sessionCookie)
      const found = live.find(({ impersonation }) => impersonation !== undefined)
      if (found?.impersonation === undefined) return undefined
      const { sid, userId, impersonation } = found
      const { administratorId, reason, endsAt } = impersonation
      const [loginName, administrator] = await Promise.all([nameOf(userId), nameOf(administratorId)])
      return { sid, loginName, administrator, reason, endsAt }
    },
    async end({ sessionCookie, clientAddress }, sid) {
      const ended = (await sessions.all(sessionCookie)).filter(
        (session) => session.sid === sid && session.impersonation !== undefined,
      )
      if (ended.length === 0 || sessionCookie === undefined) return
      await endImpersonated(endSessions, ended, clientAddress)
      await sessions.remove(sessionCookie, new Set([sid]))
    },
  }
}
