// Changes how an account is signed in to: its password and its sessions.

import type { NewPasswordProblem, RegistrationPolicy } from '../authorize/registration-rules.ts'
import type { FindAccountNames } from '../sessions/account-names.ts'
import type { Browser } from '../sessions/browser.ts'
import { PageExpiredError } from '../sessions/browser.ts'
import type { BrowserSession, SessionCookie } from '../sessions/browser-session.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'
import type { OwnAccount, OwnAccounts } from '../sessions/own-accounts.service.ts'
import { type OwnChange, ownChange } from '../sessions/sign-in-proof.ts'
import type { UserSessions } from '../sessions/user-sessions.ts'
import type { CheckOwnPassword } from '../sign-in/own-password.ts'
import type { Throttled } from '../sign-in/throttle.ts'
import type { FindNamedApplication } from './applications.service.ts'
import type { IsConfirmed } from './usable-factors.ts'

type NewEpochs = Pick<BrowserSession, 'userEpoch' | 'organizationEpoch'>

/** Ends everything that was made for the account; returns its new epochs, and undefined where it may not sign in. */
export type SignOutEverywhere = (change: OwnChange) => Promise<NewEpochs | undefined>

/** Sets another password and ends everything as SignOutEverywhere does. */
export type ReplacePassword = (
  change: OwnChange & { readonly password: string },
) => Promise<NewEpochs | { readonly problems: readonly NewPasswordProblem[] } | undefined>

/** `cookie` is the new session cookie of this browser; undefined: the one of the request has no sessions left. */
type Renewed = { readonly kind: 'done'; readonly cookie: SessionCookie | undefined }

type PasswordOutcome =
  | Renewed
  | Throttled
  /** `refused`: the current password is wrong. `unconfirmed`: the user has to authenticate with another factor first. */
  | { readonly kind: 'refused' | 'unconfirmed' }
  | { readonly kind: 'problems'; readonly problems: readonly NewPasswordProblem[] }

interface ShownSession
  extends Pick<BrowserSession, 'sid' | 'authenticatedAt' | 'lastUsedAt' | 'signedInFrom'> {
  /** The login name of the administrator who opened the session, and the reason. */
  readonly impersonation: { readonly administrator: string; readonly reason: string } | undefined
  /** The names of the applications that the session was used for, the latest first; without deleted ones. */
  readonly applications: readonly string[]
  /** Whether the session is in the browser of the request. */
  readonly isThis: boolean
}

interface Choice {
  readonly sid: string
  readonly clientAddress: string
}

/** Every method with a browser throws PageExpiredError when the session is not one of that browser. */
export interface OwnSecurity {
  /** The rules for a new password. */
  passwordRules(account: OwnAccount): Promise<RegistrationPolicy | undefined>
  /** Whether the current password is enough to change it: without another factor, or when that was used just now. */
  mayChangePassword(account: OwnAccount): Promise<boolean>
  /** When it resolves with `done`, all other sessions and all tokens of the account have ended; this session goes on. */
  changePassword(
    browser: Browser,
    change: Choice & { readonly current: string; readonly password: string },
  ): Promise<PasswordOutcome>
  /** The session of the browser first, then the last used. */
  sessions(account: OwnAccount): Promise<readonly ShownSession[]>
  /** Ends another session of the user and its tokens; does nothing where there is none. */
  endSession(browser: Browser, ending: Choice & { readonly ended: string }): Promise<'done' | 'unconfirmed'>
  /** When it resolves with `done`, all other sessions and all tokens of the account have ended; this session goes on. */
  endOthers(browser: Browser, choice: Choice): Promise<Renewed | { readonly kind: 'unconfirmed' }>
}

interface Dependencies {
  readonly ownAccounts: OwnAccounts
  readonly sessions: Pick<BrowserSessions, 'renew'>
  readonly userSessions: UserSessions
  readonly isConfirmed: IsConfirmed
  readonly findNamedApplication: FindNamedApplication
  readonly findAccountNames: FindAccountNames
  readonly checkOwnPassword: CheckOwnPassword
  readonly findRegistrationPolicy: (organizationId: string) => Promise<RegistrationPolicy | undefined>
  readonly replacePassword: ReplacePassword
  readonly signOutEverywhere: SignOutEverywhere
  readonly now: () => Date
}

export function createOwnSecurity(dependencies: Dependencies): OwnSecurity {
  const { ownAccounts, sessions, userSessions, isConfirmed, replacePassword, signOutEverywhere } =
    dependencies
  const { checkOwnPassword, findRegistrationPolicy, now } = dependencies

  async function mayChangePassword({ session }: OwnAccount): Promise<boolean> {
    if (await isConfirmed(session)) return true
    // As if the password had been entered just now, which the change demands anyway.
    return isConfirmed({ ...session, confirmedAt: now().getTime(), confirmedWithFactor: false })
  }

  async function renew({ sessionCookie }: Browser, sid: string, epochs: NewEpochs): Promise<Renewed> {
    if (sessionCookie === undefined) throw new PageExpiredError('the session has ended')
    return { kind: 'done', cookie: await sessions.renew(sessionCookie, sid, epochs) }
  }

  return {
    passwordRules: ({ session }) => findRegistrationPolicy(session.organizationId),
    mayChangePassword,
    async changePassword(browser, { sid, current, password, clientAddress }) {
      const account = await ownAccounts.require(browser, sid)
      if (!(await mayChangePassword(account))) return { kind: 'unconfirmed' }
      const { session, loginName } = account
      const { userId, organizationId } = session
      const checked = await checkOwnPassword({
        ...{ userId, organizationId, loginName },
        password: current,
        clientAddress,
      })
      if (checked.kind === 'throttled') return checked
      if (checked.kind === 'wrong') return { kind: 'refused' }
      const outcome = await replacePassword({ ...ownChange(session, clientAddress), password })
      if (outcome === undefined) return { kind: 'refused' }
      if ('problems' in outcome) return { kind: 'problems', problems: outcome.problems }
      return renew(browser, sid, outcome)
    },
    sessions: createSessionList(dependencies),
    async endSession(browser, { sid, ended, clientAddress }) {
      const { session } = await ownAccounts.require(browser, sid)
      if (!(await isConfirmed(session))) return 'unconfirmed'
      await userSessions.end({ userId: session.userId, sid: ended, clientAddress })
      return 'done'
    },
    async endOthers(browser, { sid, clientAddress }) {
      const { session } = await ownAccounts.require(browser, sid)
      if (!(await isConfirmed(session))) return { kind: 'unconfirmed' }
      const epochs = await signOutEverywhere(ownChange(session, clientAddress))
      if (epochs === undefined) throw new PageExpiredError('the account may not sign in')
      return renew(browser, sid, epochs)
    },
  }
}

function createSessionList({
  userSessions,
  findNamedApplication,
  findAccountNames,
}: Pick<
  Dependencies,
  'userSessions' | 'findNamedApplication' | 'findAccountNames'
>): OwnSecurity['sessions'] {
  async function shownImpersonation({
    impersonation,
  }: BrowserSession): Promise<ShownSession['impersonation']> {
    if (impersonation === undefined) return undefined
    const { administratorId, reason } = impersonation
    return { administrator: (await findAccountNames(administratorId))?.loginName ?? administratorId, reason }
  }

  return async ({ session: { userId, sid: own } }) => {
    const known = await userSessions.list(userId)
    const clientIds = [...new Set(known.flatMap((session) => session.clientIds ?? []))]
    const names = new Map(
      await Promise.all(
        clientIds.map(async (clientId) => [clientId, (await findNamedApplication(clientId))?.name] as const),
      ),
    )
    const shown = await Promise.all(
      known.map(async (session) => {
        const { sid, authenticatedAt, lastUsedAt, signedInFrom, startedAt, clientIds = [] } = session
        const impersonation = await shownImpersonation(session)
        return {
          // An administrator authenticated before the session began.
          authenticatedAt: impersonation === undefined ? authenticatedAt : (startedAt ?? authenticatedAt),
          ...{ sid, lastUsedAt, signedInFrom, impersonation },
          applications: clientIds.flatMap((clientId) => names.get(clientId) ?? []),
          isThis: sid === own,
        }
      }),
    )
    return shown.sort(
      (one, other) => Number(other.isThis) - Number(one.isThis) || other.lastUsedAt - one.lastUsedAt,
    )
  }
}
