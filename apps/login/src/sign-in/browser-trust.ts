// Trusted browsers: after the password they are not asked for the second factor for some time.

import { trustSeconds } from '@signet/protocol/factor-demand'
import type { AccountCookies } from '../sessions/account-cookies.ts'
import type { Browser } from '../sessions/browser.ts'
import type { FindFactorPolicy } from '../sessions/factor-policy.ts'
import type { OwnChange, VerifiedAccount } from '../sessions/sign-in-proof.ts'

/** Key of the directory for the cookie of a trusted browser. */
export interface BrowserKey {
  readonly trustKey: string
  readonly browserId: string
}

/** Returns the key of the directory for trusted browsers of an account; undefined without a second factor. */
export type AddBrowserTrust = (
  owner: OwnChange,
  /** Names of browser and system, for the user. */
  agent: string,
) => Promise<BrowserKey | undefined>

/** Whether the directory trusts the browser with this id; it records the use. */
export type UseTrustedBrowser = (use: {
  readonly userId: string
  readonly browserId: string
}) => Promise<boolean>

export interface BrowserTrust {
  /** Returns `trustSeconds` for people of an organization. */
  seconds(organizationId: string): Promise<number>
  /** When the second factor of the account was proven in this browser, if that still counts (Unix milliseconds). */
  provenAt(browser: Browser, account: VerifiedAccount): Promise<number | undefined>
  readonly add: AddBrowserTrust
}

interface Dependencies {
  readonly cookies: Pick<AccountCookies, 'find'>
  readonly findFactorPolicy: FindFactorPolicy
  readonly addBrowserTrust: AddBrowserTrust
  readonly useTrustedBrowser: UseTrustedBrowser
  readonly now: () => Date
}

export function createBrowserTrust(dependencies: Dependencies): BrowserTrust {
  const { cookies, findFactorPolicy, addBrowserTrust, useTrustedBrowser, now } = dependencies
  const seconds = async (organizationId: string) => trustSeconds(await findFactorPolicy(organizationId))
  return {
    seconds,
    async provenAt({ trustCookie }, { userId, secondFactorRequired, trustKey, organizationId }) {
      const entry = secondFactorRequired ? cookies.find(trustCookie, trustKey) : undefined
      if (entry === undefined) return undefined
      const age = now().getTime() - entry.issuedAt
      if (age >= (await seconds(organizationId)) * 1000) return undefined
      return (await useTrustedBrowser({ userId, browserId: entry.id })) ? entry.issuedAt : undefined
    },
    add: addBrowserTrust,
  }
}
