// Shared by the account pages: finds the account that they show, or leads to the sign-in page.
import { queryParameters } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import type { Request, Response } from 'express'
import { ownClientQuery } from '../authorize/own-sign-in.ts'
import { layout, type Page, type PageFrame, type PageFrames } from '../pages/page.ts'
import { ofAccount, PATHS, withRawQuery } from '../pages/paths.ts'
import type { Texts } from '../pages/texts/message.ts'
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
 * which the user returns to the account page with this path, and returns undefined.
 */
export async function shownAccount(
  req: Request,
  res: Response,
  { ownAccounts, cookies, issuer }: Pick<AccountPageDependencies, 'ownAccounts' | 'cookies' | 'issuer'>,
  path: string = req.path,
): Promise<ShownAccount | undefined> {
  const browser = cookies.known(req)
  const accounts = await ownAccounts.list(browser)
  const { account: sid } = queryParameters(req)
  const account = accounts.find(({ session }) => session.sid === sid) ?? accounts[0]
  if (browser !== undefined && account !== undefined) {
    return { browser, account, others: accounts.filter((other) => other !== account) }
  }
  res.redirect(303, ownSignInPath(issuer, path))
  return undefined
}

/** The sign-in from which a person returns to an account page. */
export const ownSignInPath = (issuer: string, path: string): string =>
  withRawQuery(PATHS.authorize, ownClientQuery(`${issuer}${path}`))

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

/** A page about one account, with the navigation of all account pages. */
export function accountPage(
  frame: PageFrame,
  { session, loginName }: OwnAccount,
  { path, title, content }: { readonly path: string; readonly title: string; readonly content: Html },
): Page {
  return layout(frame, {
    title,
    content: html`<h1>${title}</h1>
<p class="intro">${frame.texts.confirm.account({ loginName })}</p>
${content}
${accountNavigation(frame, { sid: session.sid, path })}`,
  })
}

/**
 * The links of an account page to the overview (`#account-back`) and to the pages that every account has; `path` is the
 * page that shows them. The overview has the others too.
 */
export function accountNavigation(
  { texts, hasPasskeys }: PageFrame,
  { sid, path }: { readonly sid: string; readonly path: string },
): Html {
  const { account } = texts
  const items = pagesOfAccount(account.links, { sid, hasPasskeys }).map(
    ([page, text]) =>
      html`<li><a href="${page}"${page.split('?')[0] === path && html` aria-current="page"`}>${text}</a></li>\n`,
  )
  return html`<nav class="pages" aria-label="${account.pages}"><ul class="foot">
<li><a id="account-back" href="${ofAccount(PATHS.account, sid)}">${account.title}</a></li>
${items}</ul></nav>`
}

interface Pages {
  readonly sid: string
  readonly hasPasskeys: boolean
  /** Whether the pages that only some accounts have are listed too. */
  readonly hasPassword?: boolean
  readonly hasLinks?: boolean
  readonly mayDelete?: boolean
}

/** The pages about an account, with the texts of their links. Three of them show all accounts of the browser. */
export function pagesOfAccount(
  links: Texts['account']['links'],
  { sid, hasPasskeys, hasPassword = false, hasLinks = false, mayDelete = false }: Pages,
): readonly (readonly [path: string, text: string])[] {
  return [
    [ofAccount(PATHS.ownProfile, sid), links.profile],
    [ofAccount(PATHS.ownEmail, sid), links.email],
    ...(hasPassword ? [[ofAccount(PATHS.ownPassword, sid), links.password] as const] : []),
    ...(hasPasskeys ? [[PATHS.passkeys, links.passkeys] as const] : []),
    ...(hasLinks ? [[ofAccount(PATHS.ownLinks, sid), links.identityProviders] as const] : []),
    [PATHS.factors, links.factors],
    [PATHS.applications, links.applications],
    [ofAccount(PATHS.ownSessions, sid), links.sessions],
    [ofAccount(PATHS.ownData, sid), links.data],
    ...(mayDelete ? [[ofAccount(PATHS.ownDeletion, sid), links.deletion] as const] : []),
  ]
}
