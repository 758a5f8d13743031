// The accounts that are signed in to a browser, for the pages on which their owners look after them.
import type { Branding } from '@signet/directory-reader/branding'
import type { FindBranding } from '../branding/find-branding.ts'
import type { FindAccountNames } from './account-names.ts'
import { type Browser, PageExpiredError } from './browser.ts'
import type { BrowserSession } from './browser-session.ts'
import type { BrowserSessions } from './browser-sessions.ts'

export interface OwnAccount {
  readonly session: BrowserSession
  readonly loginName: string
  /** The account has an address that is not verified. */
  readonly isUnconfirmed: boolean
  /** The preferred language of the person, for the pages about the account. */
  readonly language: string | undefined
  /** Branding of the pages about this account. */
  readonly branding: Branding | undefined
}

export interface OwnAccounts {
  /** The latest authentication first. */
  list(browser: Browser | undefined): Promise<readonly OwnAccount[]>
  /** The account of a session. Throws PageExpiredError when the session is not one of this browser. */
  require(browser: Browser, sid: string | undefined): Promise<OwnAccount>
}

interface Dependencies {
  readonly sessions: Pick<BrowserSessions, 'live'>
  readonly findAccountNames: FindAccountNames
  readonly branding: Pick<FindBranding, 'ofOrganization'>
}

export function createOwnAccounts({ sessions, findAccountNames, branding }: Dependencies): OwnAccounts {
  async function list(browser: Browser | undefined): Promise<readonly OwnAccount[]> {
    const accounts = (await sessions.live(browser?.sessionCookie)).map(async (session) => {
      const names = await findAccountNames(session.userId)
      if (names === undefined) return []
      const { loginName, isUnconfirmed, language } = names
      const own = await branding.ofOrganization(session.organizationId)
      return [{ session, loginName, isUnconfirmed, language, branding: own }]
    })
    return (await Promise.all(accounts)).flat()
  }
  return {
    list,
    async require(browser, sid) {
      const account = (await list(browser)).find(({ session }) => session.sid === sid)
      if (account === undefined) throw new PageExpiredError('the session has ended')
      return account
    },
  }
}
