// Shared by the account pages: finds the account that they show, or leads to the sign-in page.
import { queryParameters } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import type { Request, Response } from 'express'
import { ownClientQuery } from '../authorize/own-sign-in.ts'
import { layout, type Page, type PageFrame, type PageFrames } from '../pages/page.ts'
import { ofAccount, PATHS, withRawQuery } from '../pages/paths.ts'
import type { Browser } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { SessionCookie } from '../sessions/browser-session.ts'
import type { OwnAccount, OwnAccounts } from '../sessions/own-accounts.service.ts'

export interface AccountPageDependencies {
  readonly ownAccounts: OwnAccounts
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
  readonly issuer: string
}

interface ShownAccount {
  readonly browser: Browser
  readonly account: OwnAccount
  /** The other accounts of this browser. */
  readonly others: readonly OwnAccount[]
}

/**
 * The account of the query, or else the one that signed in last. Without one it redirects to the sign-in page, from
 * which the user returns to the account page, and returns undefined.
 */
export async function shownAccount(
  req: Request,
  res: Response,
  { ownAccounts, cookies, issuer }: AccountPageDependencies,
): Promise<ShownAccount | undefined> {
  const browser = cookies.known(req)
  const accounts = await ownAccounts.list(browser)
  const { account: sid } = queryParameters(req)
  const account = accounts.find(({ session }) => session.sid === sid) ?? accounts[0]
  if (browser !== undefined && account !== undefined) {
    return { browser, account, others: accounts.filter((other) => other !== account) }
  }
  res.redirect(303, withRawQuery(PATHS.authorize, ownClientQuery(`${issuer}${PATHS.account}`)))
  return undefined
}

/**
 * Sets the new session cookie of a browser. Without one it changes nothing: the cookie of the request names no session any
 * more, and a sign-in in another tab may have set a later one, which must stay.
 */
export function renewCookie(
  res: Response,
  cookies: BrowserCookies,
  sessionCookie: SessionCookie | undefined,
): void {
  if (sessionCookie !== undefined) cookies.setSignedIn(res, { sessionCookie })
}

/** A page about one account, with a link back to its overview (`#account-back`). */
export function accountPage(
  frame: PageFrame,
  { session, loginName }: OwnAccount,
  { title, content }: { readonly title: string; readonly content: Html },
): Page {
  const { account } = frame.texts
  return layout(frame, {
    title,
    content: html`<h1>${title}</h1>
<p class="intro">${frame.texts.confirm.account({ loginName })}</p>
${content}
<p class="also"><a id="account-back" href="${ofAccount(PATHS.account, session.sid)}">${account.back}</a></p>`,
  })
}
