// The second factors of the accounts of a browser, besides passkeys: adds and deletes a TOTP secret, makes recovery codes,
// and ends the trust in browsers.
import type { Branding } from '@signet/directory-reader/branding'
import type { AccountCookies } from '../sessions/account-cookies.ts'
import type { Browser } from '../sessions/browser.ts'
import { type BrowserSession, recentProof, type SessionCookie } from '../sessions/browser-session.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'
import type { EndOfFactor, FactorEnd } from '../sessions/end-of-factor.ts'
import type { FindSecondFactors } from '../sessions/factor-policy.ts'
import type { OwnAccount, OwnAccounts } from '../sessions/own-accounts.service.ts'
import { type OwnChange, ownChange } from '../sessions/sign-in-proof.ts'
import type { Throttled } from '../sign-in/throttle.ts'
import {
  type BeginEnrolment,
  type CodeAttemptDependencies,
  type ConfirmEnrolment,
  type MakeRecoveryCodes,
  type NewSecret,
  RECOVERY_CODES_FACTOR,
  TOTP_FACTOR,
  tryCode,
} from '../sign-in/totp.service.ts'
import type { IsConfirmed } from './usable-factors.ts'

/** The second factors in the factorDirectory. */
export interface FactorDirectory {
  deleteTotp(owner: OwnChange): Promise<void>
  readonly makeRecoveryCodes: MakeRecoveryCodes
  listTrustedBrowsers(userId: string): Promise<readonly TrustedBrowser[]>
  /** Ends the trust in a browser, without an id in all. */
  endBrowserTrust(owner: OwnChange, browserId?: string): Promise<void>
}

/** An account that is signed in to this browser, with its second factors. */
export interface TrustedBrowser {
  readonly id: string
  /** Names of browser and system; empty: unknown. */
  readonly agent: string
  readonly trustedAt: Date
  readonly lastUsedAt: Date
}

export interface AccountWithFactors {
  readonly sid: string
  readonly loginName: string
  readonly branding: Branding | undefined
  /** The preferred language of the person. */
  readonly language: string | undefined
  readonly totp: boolean
  /** A passkey that may follow a password. */
  readonly passkey: boolean
  readonly recoveryCodes: number
  readonly trustedBrowsers: boolean
  /** Browsers that were used last, with the browser of the request marked. */
  readonly browsers: readonly (TrustedBrowser & { readonly isThis: boolean })[]
  /** The user authenticated a short time ago, with a second factor if the account has one, as changes need it. */
  readonly isConfirmed: boolean
}

/** A secret for an authenticator app, which counts after its first right code. */
export interface TotpOffer extends NewSecret {
  readonly loginName: string
  readonly branding: Branding | undefined
  /** The preferred language of the person. */
  readonly language: string | undefined
  /** The sealed secret, in base64. */
  readonly enrolment: string
}

/** `unconfirmed`: the user has to authenticate again first. `codes`: new recovery codes, which are shown once. */
export type FactorChange =
  | FactorEnd
  | { readonly kind: 'unconfirmed' }
  | { readonly kind: 'refused' }
  | {
      readonly kind: 'codes'
      readonly codes: readonly string[]
      readonly branding: Branding | undefined
      /** The preferred language of the person. */
      readonly language: string | undefined
      /** The new session cookie of this browser, if it got one. */
      readonly cookie?: SessionCookie | undefined
    }
  | Throttled

interface Choice {
  readonly sid: string
  readonly clientAddress: string
}

interface Removal extends Choice {
  readonly endsOthers?: boolean
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
  /** Whether a change removes a factor that there is, so that the person is asked first. */
  removal(
    browser: Browser,
    choice: Pick<Choice, 'sid'>,
    change: 'deleteTotp' | 'makeRecoveryCodes',
  ): Promise<
    | { readonly kind: 'unconfirmed' }
    | {
        readonly kind: 'asked'
        readonly removes: boolean
        readonly loginName: string
        readonly branding: Branding | undefined
        /** The preferred language of the person. */
        readonly language: string | undefined
      }
  >
  /** Both end the sessions that rest on what they remove, and with `endsOthers` all others but this one. */
  deleteTotp(browser: Browser, choice: Removal): Promise<FactorChange>
  makeRecoveryCodes(browser: Browser, choice: Removal): Promise<FactorChange>
  /** Needs no confirmation, since it only makes sign-ins harder. */
  endBrowserTrust(browser: Browser, choice: Choice & { readonly browserId?: string }): Promise<FactorChange>
}

interface Dependencies extends CodeAttemptDependencies {
  readonly ownAccounts: OwnAccounts
  readonly sessions: Pick<BrowserSessions, 'confirm'>
  readonly factorDirectory: FactorDirectory
  readonly trustCookies: Pick<AccountCookies, 'ids'>
  readonly beginEnrolment: BeginEnrolment
  readonly confirmEnrolment: ConfirmEnrolment
  readonly findSecondFactors: FindSecondFactors
  readonly isConfirmed: IsConfirmed
  readonly endOfFactor: EndOfFactor
  readonly now: () => Date
}

const UNCONFIRMED = { kind: 'unconfirmed' } as const
const REFUSED = { kind: 'refused' } as const
const DONE = { kind: 'done' } as const

export function createOwnFactors(dependencies: Dependencies): OwnFactors {
  const {
    ownAccounts,
    sessions,
    factorDirectory,
    beginEnrolment,
    confirmEnrolment,
    findSecondFactors,
    isConfirmed,
    endOfFactor,
  } = dependencies

  return {
    list: (browser) => listFactors(dependencies, browser),
    async beginTotp(browser, sid, enrolment = '') {
      const { session, loginName, branding, language } = await ownAccounts.require(browser, sid)
      if (!(await isConfirmed(session))) return UNCONFIRMED
      const request = { enrolment, passkeyProven: factorProven(dependencies, session) }
      const begun = await beginEnrolment(ownChange(session, ''), request)
      return begun === undefined ? REFUSED : { ...begun, loginName, branding, language }
    },
    async confirmTotp(browser, { sid, enrolment, code, clientAddress }) {
      const { session, branding, language } = await ownAccounts.require(browser, sid)
      if (!(await isConfirmed(session))) return UNCONFIRMED
      const owner = ownChange(session, clientAddress)
      const passkeyProven = factorProven(dependencies, session)
      const verify = (throttled: boolean) =>
        confirmEnrolment(owner, { enrolment, passkeyProven, code, throttled })
      const outcome = await tryCode(session, clientAddress, verify, dependencies)
      if (outcome.kind !== 'accepted') return outcome
      // The user has just used the new factor.
      if (browser.sessionCookie !== undefined) {
        await sessions.confirm(browser.sessionCookie, sid, { withFactor: true, factor: TOTP_FACTOR })
      }
      const { recoveryCodes } = await findSecondFactors(session.userId)
      return recoveryCodes > 0 ? DONE : makeCodes(dependencies, owner, { branding, language })
    },
    async removal(browser, { sid }, change) {
      const { session, loginName, branding, language } = await ownAccounts.require(browser, sid)
      if (!(await isConfirmed(session))) return UNCONFIRMED
      const { totp, recoveryCodes } = await findSecondFactors(session.userId)
      const removes = change === 'deleteTotp' ? totp : recoveryCodes > 0
      return { kind: 'asked', removes, loginName, branding, language }
    },
    async deleteTotp(browser, { sid, clientAddress, endsOthers = false }) {
      const { session } = await ownAccounts.require(browser, sid)
      if (!(await isConfirmed(session))) return UNCONFIRMED
      await factorDirectory.deleteTotp(ownChange(session, clientAddress))
      return endOfFactor(browser, session, { factor: TOTP_FACTOR, endsOthers, clientAddress })
    },
    makeRecoveryCodes: (browser, choice) => replaceRecoveryCodes(dependencies, browser, choice),
    async endBrowserTrust(browser, { sid, clientAddress, browserId }) {
      const { session } = await ownAccounts.require(browser, sid)
      await factorDirectory.endBrowserTrust(ownChange(session, clientAddress), browserId)
      return DONE
    },
  }
}

async function listFactors(
  { ownAccounts, factorDirectory, trustCookies, findSecondFactors, isConfirmed }: Dependencies,
  browser: Browser,
): Promise<Awaited<ReturnType<OwnFactors['list']>>> {
  const accounts = (await ownAccounts.list(browser)).map(
    async ({ session, loginName, branding, language }) => {
      const { sid, userId } = session
      const [factors, confirmed] = await Promise.all([findSecondFactors(userId), isConfirmed(session)])
      const { totp, passkey, recoveryCodes, trustedBrowsers } = factors
      const own = trustCookies.ids(browser.trustCookie)
      const known = trustedBrowsers ? await factorDirectory.listTrustedBrowsers(userId) : []
      const browsers = known.map((one) => ({ ...one, isThis: own.includes(one.id) }))
      return {
        ...{ sid, loginName, branding, language, totp, passkey, recoveryCodes, trustedBrowsers, browsers },
        isConfirmed: confirmed,
      }
    },
  )
  return Promise.all(accounts)
}

/** The directory refuses a TOTP secret beside a passkey of a person who did not use one. */
const factorProven = ({ now }: Dependencies, session: BrowserSession) =>
  recentProof(session, now().getTime()) === 'factor'

async function makeCodes(
  { factorDirectory }: Dependencies,
  owner: OwnChange,
  look: Pick<OwnAccount, 'branding' | 'language'>,
): Promise<FactorChange> {
  const codes = await factorDirectory.makeRecoveryCodes(owner)
  return codes === undefined ? REFUSED : { kind: 'codes', codes, ...look }
}

async function replaceRecoveryCodes(
  dependencies: Dependencies,
  browser: Browser,
  { sid, clientAddress, endsOthers = false }: Removal,
): Promise<FactorChange> {
  const { ownAccounts, isConfirmed, findSecondFactors, endOfFactor } = dependencies
  const { session, branding, language } = await ownAccounts.require(browser, sid)
  if (!(await isConfirmed(session))) return UNCONFIRMED
  const { recoveryCodes } = await findSecondFactors(session.userId)
  const made = await makeCodes(dependencies, ownChange(session, clientAddress), { branding, language })
  if (made.kind !== 'codes' || recoveryCodes === 0) return made
  // The person who replaces the codes may have come in with one of them: this session goes on.
  const kept = {
    ...session,
    factors: (session.factors ?? []).filter((one) => one !== RECOVERY_CODES_FACTOR),
  }
  const ending = { factor: RECOVERY_CODES_FACTOR, endsOthers, clientAddress }
  const end = await endOfFactor(browser, kept, ending)
  return end.kind === 'done' ? { ...made, cookie: end.cookie } : made
}
