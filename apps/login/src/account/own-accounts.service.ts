// The accounts that are signed in to a browser, for the pages on which their owners look after them.
import { type Browser, PageExpiredError } from '../sessions/browser.ts'
import type { BrowserSession } from '../sessions/browser-session.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'

interface AccountDetails {
  readonly name: string
  /** `userName@primaryDomain` */
  readonly loginName: string
  readonly email: string | undefined
  readonly emailVerified: boolean
}

/** Returns undefined for a deleted account. */
export type FindAccountDetails = (userId: string) => Promise<AccountDetails | undefined>

export interface OwnAccount extends AccountDetails {
  readonly session: BrowserSession
}

export interface OwnAccounts {
  /** The latest authentication first. */
  list(browser: Browser | undefined): Promise<readonly OwnAccount[]>
  /** The account of a session. Throws PageExpiredError when the session is not one of this browser. */
  require(browser: Browser, sid: string): Promise<OwnAccount>
}

interface Dependencies {
  readonly sessions: Pick<BrowserSessions, 'live'>
  readonly findAccountDetails: FindAccountDetails
}

export function createOwnAccounts({ sessions, findAccountDetails }: Dependencies): OwnAccounts {
  async function list(browser: Browser | undefined): Promise<readonly OwnAccount[]> {
    const accounts = (await sessions.live(browser?.sessionCookie)).map(async (session) => {
      const details = await findAccountDetails(session.userId)
      return details === undefined ? [] : [{ ...details, session }]
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
