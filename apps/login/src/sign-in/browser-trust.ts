// Trusted browsers: after the password they are not asked for the second factor for some time.
import type { Browser } from '../sessions/browser.ts'
import type { AccountCookies } from './account-cookies.ts'
import { type FindFactorPolicy, trustSeconds } from './factor-policy.ts'
import type { VerifiedAccount } from './password-proof.ts'

/** Returns the key of the directory for trusted browsers of an account; undefined without a second factor. */
export type AddBrowserTrust = (account: {
  readonly userId: string
  readonly userEpoch: number
  /** Network address of the user, for the audit log. */
  readonly clientAddress: string
}) => Promise<string | undefined>

export interface BrowserTrust {
  /** As `trustSeconds`, for people of an organization. */
  seconds(organizationId: string): Promise<number>
  /** When the second factor of the account was proven in this browser, if that still counts (Unix milliseconds). */
  provenAt(browser: Browser, account: VerifiedAccount): Promise<number | undefined>
  readonly add: AddBrowserTrust
}

interface Dependencies {
  readonly cookies: Pick<AccountCookies, 'find'>
  readonly findFactorPolicy: FindFactorPolicy
  readonly addBrowserTrust: AddBrowserTrust
  readonly now: () => Date
}

export function createBrowserTrust(dependencies: Dependencies): BrowserTrust {
  const { cookies, findFactorPolicy, addBrowserTrust, now } = dependencies
  const seconds = async (organizationId: string) => trustSeconds(await findFactorPolicy(organizationId))
  return {
    seconds,
    async provenAt({ trustCookie }, { secondFactorRequired, trustKey, organizationId }) {
      const entry = secondFactorRequired ? cookies.find(trustCookie, trustKey) : undefined
      if (entry === undefined) return undefined
      const age = now().getTime() - entry.issuedAt
      return age < (await seconds(organizationId)) * 1000 ? entry.issuedAt : undefined
    },
    add: addBrowserTrust,
  }
}
