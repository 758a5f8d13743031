// The passkeys of the accounts of a browser: lists, adds, renames and deletes them, and offers one after a sign-in.
import type { Branding } from '@signet/directory-reader/branding'
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import type { Browser } from '../sessions/browser.ts'
import { type BrowserSession, passkeyFactor, recentProof } from '../sessions/browser-session.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'
import type { EndOfFactor, FactorEnd } from '../sessions/end-of-factor.ts'
import type { OwnAccounts } from '../sessions/own-accounts.service.ts'
import type { AddPasskey, BeginPasskey, OwnPasskey, PasskeyPerson } from '../sign-in/own-passkey.ts'
import type { PasskeyChallenges } from '../sign-in/passkey-challenge.ts'
import type { IsConfirmed } from './usable-factors.ts'

interface Owner {
  readonly userId: string
  /** Network address of the user, for the audit log. */
  readonly clientAddress: string
}

/** The passkeys in the passkeyDirectory. */
export interface PasskeyDirectory {
  list(userId: string): Promise<{ readonly passkeys: readonly OwnPasskey[]; readonly mayAdd: boolean }>
  readonly begin: BeginPasskey
  readonly add: AddPasskey
  /** Both do nothing where the user has no such passkey. */
  rename(change: Owner & { readonly passkeyId: string; readonly name: string }): Promise<void>
  delete(deletion: Owner & { readonly passkeyId: string }): Promise<void>
  /** The offer rests for as long as the policy says. */
  skipOffer(userId: string): Promise<void>
}

/** An account that is signed in to this browser, with its passkeys. */
export interface AccountWithPasskeys {
  readonly sid: string
  readonly loginName: string
  readonly branding: Branding | undefined
  readonly passkeys: readonly OwnPasskey[]
  readonly mayAdd: boolean
  /** The user authenticated a short time ago, with a second factor if the account has one, as changes need it. */
  readonly isConfirmed: boolean
}

/** `unconfirmed`: the user has to authenticate again first. `expired`: the challenge is too old or used. */
export type PasskeyChange =
  | FactorEnd
  | { readonly kind: 'done' | 'unconfirmed' | 'refused' | 'expired'; readonly cookie?: undefined }

interface Choice {
  readonly sid: string
  readonly clientAddress: string
}

/** Every method but `list` throws PageExpiredError when the session is not one of this browser. */
export interface OwnPasskeys {
  list(browser: Browser): Promise<readonly AccountWithPasskeys[]>
  begin(browser: Browser, sid: string): Promise<PasskeyPerson | undefined>
  add(browser: Browser, addition: Choice & { readonly response: string }): Promise<PasskeyChange>
  rename(
    browser: Browser,
    change: Choice & { readonly passkeyId: string; readonly name: string },
  ): Promise<PasskeyChange>
  /** The sessions that rest on the passkey end with it, and with `endsOthers` all others but this one. */
  delete(
    browser: Browser,
    deletion: Choice & { readonly passkeyId: string; readonly endsOthers: boolean },
  ): Promise<PasskeyChange>
  /** The person who was signed in for a pending request and may add a passkey now. */
  offered(browser: Browser, requestId: string): Promise<PasskeyPerson | undefined>
  acceptOffer(
    browser: Browser,
    requestId: string,
    addition: Omit<Choice, 'sid'> & { readonly response: string },
  ): Promise<PasskeyChange>
  skipOffer(browser: Browser, requestId: string): Promise<void>
}

interface Dependencies {
  readonly ownAccounts: OwnAccounts
  readonly sessions: Pick<BrowserSessions, 'confirm'>
  readonly flow: Pick<AuthorizationFlow, 'assess'>
  readonly passkeyDirectory: PasskeyDirectory
  readonly challenges: Pick<PasskeyChallenges, 'redeem'>
  readonly isConfirmed: IsConfirmed
  readonly endOfFactor: EndOfFactor
  readonly now: () => Date
}

export function createOwnPasskeys(dependencies: Dependencies): OwnPasskeys {
  const { ownAccounts, sessions, flow, passkeyDirectory, challenges, isConfirmed, endOfFactor, now } =
    dependencies

  async function requireSession(browser: Browser, sid: string | undefined): Promise<BrowserSession> {
    return (await ownAccounts.require(browser, sid)).session
  }

  async function offeredTo(browser: Browser, requestId: string): Promise<BrowserSession> {
    const { progress } = await flow.assess(requestId, browser)
    return requireSession(browser, progress.signedInSid)
  }

  async function addTo(
    session: BrowserSession,
    use: Parameters<PasskeyChallenges['redeem']>[0],
    { response, clientAddress }: { readonly response: string; readonly clientAddress: string },
  ): Promise<PasskeyChange> {
    if (!(await isConfirmed(session))) return { kind: 'unconfirmed' }
    const challenged = await challenges.redeem(use, response)
    if (challenged === undefined) return { kind: 'expired' }
    const factorProven = recentProof(session, now().getTime()) === 'factor'
    const { userId } = session
    const added = await passkeyDirectory.add({ userId, clientAddress, factorProven, ...challenged })
    if (added === undefined) return { kind: 'refused' }
    const { sessionCookie } = use.browser
    // The user has just used the new passkey.
    if (sessionCookie !== undefined) {
      const factor = passkeyFactor(added.passkeyId)
      await sessions.confirm(sessionCookie, session.sid, { withFactor: true, factor })
    }
    return { kind: 'done' }
  }

  return {
    async list(browser) {
      const accounts = (await ownAccounts.list(browser)).map(async ({ session, loginName, branding }) => {
        const { passkeys, mayAdd } = await passkeyDirectory.list(session.userId)
        const { sid } = session
        return { sid, loginName, branding, passkeys, mayAdd, isConfirmed: await isConfirmed(session) }
      })
      return Promise.all(accounts)
    },
    async begin(browser, sid) {
      return passkeyDirectory.begin((await requireSession(browser, sid)).userId)
    },
    async add(browser, { sid, ...addition }) {
      const session = await requireSession(browser, sid)
      return addTo(session, { purpose: 'add', browser, subject: sid }, addition)
    },
    async rename(browser, { sid, ...change }) {
      const { userId } = await requireSession(browser, sid)
      await passkeyDirectory.rename({ userId, ...change })
      return { kind: 'done' }
    },
    async delete(browser, { sid, ...deletion }) {
      const session = await requireSession(browser, sid)
      if (!(await isConfirmed(session))) return { kind: 'unconfirmed' }
      const { endsOthers, ...chosen } = deletion
      await passkeyDirectory.delete({ userId: session.userId, ...chosen })
      return endOfFactor(browser, session, {
        factor: passkeyFactor(chosen.passkeyId),
        endsOthers,
        clientAddress: chosen.clientAddress,
      })
    },
    async offered(browser, requestId) {
      const session = await offeredTo(browser, requestId)
      return (await isConfirmed(session)) ? passkeyDirectory.begin(session.userId) : undefined
    },
    async acceptOffer(browser, requestId, addition) {
      const session = await offeredTo(browser, requestId)
      return addTo(session, { purpose: 'offer', browser, subject: requestId }, addition)
    },
    async skipOffer(browser, requestId) {
      await passkeyDirectory.skipOffer((await offeredTo(browser, requestId)).userId)
    },
  }
}
