// The links of the own account to accounts at identity providers.
import { linkFactor } from '@signet/protocol/factor-demand'
import type { Browser } from '../sessions/browser.ts'
import type { EndOfFactor, FactorEnd } from '../sessions/end-of-factor.ts'
import type { OwnAccount, OwnAccounts } from '../sessions/own-accounts.service.ts'
import { type OwnChange, ownChange } from '../sessions/sign-in-proof.ts'
import type { IsConfirmed } from './usable-factors.ts'

export interface OwnLink {
  readonly id: string
  readonly providerName: string
  /** Name or address of the account at the provider. */
  readonly displayName: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | undefined
  /** People may sign in by the provider now. */
  readonly usable: boolean
}

/** The calls to the directory. */
export interface LinkDirectory {
  list(userId: string): Promise<readonly OwnLink[]>
  /** Returns the rule that refuses the deletion. Throws PageExpiredError when the session has ended. */
  delete(owner: OwnChange, linkId: string): Promise<string | undefined>
}

/** `only-way-in`: the account could not be signed in to any more. */
type LinkDeletion = FactorEnd | { readonly kind: 'unconfirmed' | 'only-way-in'; readonly cookie?: undefined }

export interface OwnLinks {
  list(account: OwnAccount): Promise<{ readonly links: readonly OwnLink[]; readonly isConfirmed: boolean }>
  /** The sessions that rest on the link end with it. Throws PageExpiredError when the session is not one of this browser. */
  delete(
    browser: Browser,
    deletion: {
      readonly sid: string
      readonly linkId: string
      readonly endsOthers: boolean
      readonly clientAddress: string
    },
  ): Promise<LinkDeletion>
}

interface Dependencies {
  readonly ownAccounts: OwnAccounts
  readonly linkDirectory: LinkDirectory
  readonly isConfirmed: IsConfirmed
  readonly endOfFactor: EndOfFactor
}

export function createOwnLinks(dependencies: Dependencies): OwnLinks {
  const { ownAccounts, linkDirectory, isConfirmed, endOfFactor } = dependencies
  return {
    async list({ session }) {
      const [links, confirmed] = await Promise.all([linkDirectory.list(session.userId), isConfirmed(session)])
      return { links, isConfirmed: confirmed }
    },
    async delete(browser, { sid, linkId, endsOthers, clientAddress }) {
      const { session } = await ownAccounts.require(browser, sid)
      if (!(await isConfirmed(session))) return { kind: 'unconfirmed' }
      const refusal = await linkDirectory.delete(ownChange(session, clientAddress), linkId)
      if (refusal !== undefined) return { kind: 'only-way-in' }
      return endOfFactor(browser, session, { factor: linkFactor(linkId), endsOthers, clientAddress })
    },
  }
}
