// The second factors of the accounts of a browser, besides passkeys: adds and deletes a TOTP secret, makes recovery codes,
// and ends the trust in browsers.
import type { IsConfirmed } from '../passkeys/usable-factors.ts'
import type { FindAccountNames } from '../sessions/account-names.ts'
import { type Browser, PageExpiredError } from '../sessions/browser.ts'
import { type BrowserSession, recentProof } from '../sessions/browser-session.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'
import type { FindSecondFactors } from '../sign-in/factor-policy.ts'
import type { Throttled } from '../sign-in/throttle.ts'
import {
  type BeginEnrolment,
  type CodeAttemptDependencies,
  type ConfirmEnrolment,
  type MakeRecoveryCodes,
  type NewSecret,
  tryCode,
} from '../sign-in/totp.service.ts'

interface Owner {
  readonly userId: string
  /** Network address of the user, for the audit log. */
  readonly clientAddress: string
}

/** The second factors in the directory. */
export interface FactorDirectory {
  deleteTotp(owner: Owner): Promise<void>
  readonly makeRecoveryCodes: MakeRecoveryCodes
  endBrowserTrust(owner: Owner): Promise<void>
}

/** An account that is signed in to this browser, with its second factors. */
export interface AccountWithFactors {
  readonly sid: string
  readonly loginName: string
  readonly totp: boolean
  /** A passkey that may follow a password. */
  readonly passkey: boolean
  readonly recoveryCodes: number
  readonly trustedBrowsers: boolean
  /** The user authenticated a short time ago, with a second factor if the account has one, as changes need it. */
  readonly isConfirmed: boolean
}

/** A secret for an authenticator app, which counts after its first right code. */
export interface TotpOffer extends NewSecret {
  readonly loginName: string
  /** The sealed secret, in base64. */
  readonly enrolment: string
}

/** `unconfirmed`: the user has to authenticate again first. `codes`: new recovery codes, which are shown once. */
export type FactorChange =
  | { readonly kind: 'done' | 'unconfirmed' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }
  | Throttled

interface Choice {
  readonly sid: string
  readonly clientAddress: string
}

/** Every method but `list` throws PageExpiredError when the session is not one of this browser. */
export interface OwnFactors {
  list(browser: Browser): Promise<readonly AccountWithFactors[]>
  /** A new secret, or the one of `enrolment`; `refused` where the account has one already. */
  beginTotp(
    browser: Browser,
    sid: string,
    enrolment?: string,
  ): Promise<TotpOffer | { readonly kind: 'unconfirmed' | 'refused' }>
  confirmTotp(
    browser: Browser,
    choice: Choice & { readonly enrolment: string; readonly code: string },
  ): Promise<FactorChange>
  deleteTotp(browser: Browser, choice: Choice): Promise<FactorChange>
  makeRecoveryCodes(browser: Browser, choice: Choice): Promise<FactorChange>
  /** Needs no confirmation, since it only makes sign-ins harder. */
  endBrowserTrust(browser: Browser, choice: Choice): Promise<FactorChange>
}

interface Dependencies extends CodeAttemptDependencies {
  readonly sessions: Pick<BrowserSessions, 'live' | 'confirm'>
  readonly directory: FactorDirectory
  readonly beginEnrolment: BeginEnrolment
  readonly confirmEnrolment: ConfirmEnrolment
  readonly findAccountNames: FindAccountNames
  readonly findSecondFactors: FindSecondFactors
  readonly isConfirmed: IsConfirmed
  readonly now: () => Date
}

const UNCONFIRMED = { kind: 'unconfirmed' } as const
const REFUSED = { kind: 'refused' } as const
const DONE = { kind: 'done' } as const

export function createOwnFactors(dependencies: Dependencies): OwnFactors {
  const { sessions, directory, beginEnrolment, confirmEnrolment } = dependencies
  const { findAccountNames, findSecondFactors, isConfirmed, now } = dependencies

  async function requireSession({ sessionCookie }: Browser, sid: string): Promise<BrowserSession> {
    const session = (await sessions.live(sessionCookie)).find((live) => live.sid === sid)
    if (session === undefined) throw new PageExpiredError('the session has ended')
    return session
  }

  /** The directory refuses a TOTP secret beside a passkey of a person who did not use one. */
  const factorProven = (session: BrowserSession) => recentProof(session, now().getTime()) === 'factor'

  async function makeCodes(owner: Owner): Promise<FactorChange> {
    const codes = await directory.makeRecoveryCodes(owner)
    return codes === undefined ? REFUSED : { kind: 'codes', codes }
  }

  return {
    async list({ sessionCookie }) {
      const accounts = (await sessions.live(sessionCookie)).map(async (session) => {
        const { sid, userId } = session
        const names = await findAccountNames(userId)
        if (names === undefined) return []
        const [factors, confirmed] = await Promise.all([findSecondFactors(userId), isConfirmed(session)])
        const { totp, passkey, recoveryCodes, trustedBrowsers } = factors
        const { loginName } = names
        return [{ sid, loginName, totp, passkey, recoveryCodes, trustedBrowsers, isConfirmed: confirmed }]
      })
      return (await Promise.all(accounts)).flat()
    },
    async beginTotp(browser, sid, enrolment = '') {
      const session = await requireSession(browser, sid)
      if (!(await isConfirmed(session))) return UNCONFIRMED
      const { userId } = session
      const begun = await beginEnrolment({ userId, enrolment, passkeyProven: factorProven(session) })
      const names = await findAccountNames(userId)
      return begun === undefined || names === undefined ? REFUSED : { ...begun, loginName: names.loginName }
    },
    async confirmTotp(browser, { sid, enrolment, code, clientAddress }) {
      const session = await requireSession(browser, sid)
      if (!(await isConfirmed(session))) return UNCONFIRMED
      const { userId } = session
      const passkeyProven = factorProven(session)
      const verify = (throttled: boolean) =>
        confirmEnrolment({ userId, enrolment, passkeyProven, code, clientAddress, throttled })
      const outcome = await tryCode(session, clientAddress, verify, dependencies)
      if (outcome.kind !== 'accepted') return outcome
      // The user has just used the new factor.
      if (browser.sessionCookie !== undefined) {
        await sessions.confirm(browser.sessionCookie, sid, { withFactor: true })
      }
      const { recoveryCodes } = await findSecondFactors(userId)
      return recoveryCodes > 0 ? DONE : makeCodes({ userId, clientAddress })
    },
    async deleteTotp(browser, { sid, clientAddress }) {
      const session = await requireSession(browser, sid)
      if (!(await isConfirmed(session))) return UNCONFIRMED
      await directory.deleteTotp({ userId: session.userId, clientAddress })
      return DONE
    },
    async makeRecoveryCodes(browser, { sid, clientAddress }) {
      const session = await requireSession(browser, sid)
      if (!(await isConfirmed(session))) return UNCONFIRMED
      return makeCodes({ userId: session.userId, clientAddress })
    },
    async endBrowserTrust(browser, { sid, clientAddress }) {
      const { userId } = await requireSession(browser, sid)
      await directory.endBrowserTrust({ userId, clientAddress })
      return DONE
    },
  }
}
