// The passkeys of the accounts of a browser: lists, adds, renames and deletes them, and offers one after a sign-in.
import type { Branding } from '@signet/directory-reader/branding'
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import type { Browser } from '../sessions/browser.ts'
import { type BrowserSession, passkeyFactor, recentProof } from '../sessions/browser-session.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'
import type { EndOfFactor, FactorEnd } from '../sessions/end-of-factor.ts'
import type { OwnAccounts } from '../sessions/own-accounts.service.ts'
import { type OwnChange, ownChange } from '../sessions/sign-in-proof.ts'
import type { AddPasskey, BeginPasskey, OwnPasskey, PasskeyPerson } from '../sign-in/own-passkey.ts'
import type { PasskeyChallenges } from '../sign-in/passkey-challenge.ts'
import type { IsConfirmed } from './usable-factors.ts'

/** The passkeys in the passkeyDirectory. */
export interface PasskeyDirectory {
  list(userId: string): Promise<{ readonly passkeys: readonly OwnPasskey[]; readonly mayAdd: boolean }>
  readonly begin: BeginPasskey
  readonly add: AddPasskey
  /** Both do nothing where the user has no such passkey. */
  rename(owner: OwnChange, change: { readonly passkeyId: string; readonly name: string }): Promise<void>
  delete(owner: OwnChange, passkeyId: string): Promise<void>
  /** The offer rests for as long as the policy says. */
  skipOffer(owner: OwnChange): Promise<void>
}

/** An account that is signed in to this browser, with its passkeys. */
export interface AccountWithPasskeys {
  readonly sid: string
  readonly loginName: string
  readonly branding: Branding | undefined
  /** The preferred language of the person. */
  readonly language: string | undefined
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
    const owner = ownChange(session, clientAddress)
    const added = await passkeyDirectory.add(owner, { factorProven, ...challenged })
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
    list: (browser) => listPasskeys(dependencies, browser),
    async begin(browser, sid) {
      return passkeyDirectory.begin(ownChange(await requireSession(browser, sid), ''))
    },
    async add(browser, { sid, ...addition }) {
      const session = await requireSession(browser, sid)
      return addTo(session, { purpose: 'add', browser, subject: sid }, addition)
    },
    async rename(browser, { sid, clientAddress, ...change }) {
      const session = await requireSession(browser, sid)
      await passkeyDirectory.rename(ownChange(session, clientAddress), change)
      return { kind: 'done' }
    },
    async delete(browser, { sid, clientAddress, passkeyId, endsOthers }) {
      const session = await requireSession(browser, sid)
      if (!(await isConfirmed(session))) return { kind: 'unconfirmed' }
      await passkeyDirectory.delete(ownChange(session, clientAddress), passkeyId)
      return endOfFactor(browser, session, {
        factor: passkeyFactor(passkeyId),
        endsOthers,
        clientAddress,
      })
    },
    async offered(browser, requestId) {
      const session = await offeredTo(browser, requestId)
      return (await isConfirmed(session)) ? passkeyDirectory.begin(ownChange(session, '')) : undefined
    },
    async acceptOffer(browser, requestId, addition) {
      const session = await offeredTo(browser, requestId)
      return addTo(session, { purpose: 'offer', browser, subject: requestId }, addition)
    },
    async skipOffer(browser, requestId) {
      await passkeyDirectory.skipOffer(ownChange(await offeredTo(browser, requestId), ''))
    },
  }
}

async function listPasskeys(
  { ownAccounts, passkeyDirectory, isConfirmed }: Dependencies,
  browser: Browser,
): Promise<Awaited<ReturnType<OwnPasskeys['list']>>> {
  const accounts = (await ownAccounts.list(browser)).map(
    async ({ session, loginName, branding, language }) => {
      const { passkeys, mayAdd } = await passkeyDirectory.list(session.userId)
      const { sid } = session
      return { sid, loginName, branding, language, passkeys, mayAdd, isConfirmed: await isConfirmed(session) }
    },
  )
  return Promise.all(accounts)
}
