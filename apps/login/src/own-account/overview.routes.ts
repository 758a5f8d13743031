import { queryParameters } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import { noStore } from '@signet/http/response-headers'
import { Router } from 'express'
import { formProblem, pageForm } from '../pages/form-page.ts'
import { layout, type Page, type PageFrame, sendPage } from '../pages/page.ts'
import { ofAccount, PATHS } from '../pages/paths.ts'
import type { Browser } from '../sessions/browser.ts'
import type { OwnAccount } from '../sessions/own-accounts.service.ts'
import { type AccountPageDependencies, pagesOfAccount, shownAccount } from './account-page.routes.ts'
import type { OwnDetails, OwnDirectory } from './own-directory.ts'
import type { LinkDirectory } from './own-links.service.ts'

interface OverviewDependencies extends AccountPageDependencies {
  readonly ownDirectory: Pick<OwnDirectory, 'find'>
  readonly linkDirectory: Pick<LinkDirectory, 'list'>
}

/** The first page of the signed-in user, with links to the pages about parts of the account. */
export function overviewRoute(dependencies: OverviewDependencies): Router {
  const { frames, ownDirectory, linkDirectory } = dependencies
  return Router()
    .get([PATHS.ui, PATHS.accountShort], noStore, (_req, res) => res.redirect(303, PATHS.account))
    .get(PATHS.account, noStore, async (req, res) => {
      const shown = await shownAccount(req, res, dependencies)
      if (shown === undefined) return
      const frame = frames(req, shown.account.language, shown.account.branding)
      const { sid, userId } = shown.account.session
      const [details, links] = await Promise.all([ownDirectory.find(userId), linkDirectory.list(userId)])
      const shownPages = { ...details, sid, hasPasskeys: frame.hasPasskeys, hasLinks: links.length > 0 }
      const pages = pagesOfAccount(frame.texts.account.links, shownPages)
      const { done, message = '' } = queryParameters(req)
      const isChanged = done === 'password'
      sendPage(res, overviewPage(frame, { ...shown, details, pages, isChanged, message }), { isolated: true })
    })
}

interface OverviewPage {
  readonly browser: Browser
  readonly account: OwnAccount
  readonly details: OwnDetails
  readonly others: readonly OwnAccount[]
  readonly pages: readonly (readonly [path: string, text: string])[]
  /** The password was just changed. */
  readonly isChanged: boolean
  /** The outcome of the request for another message. */
  readonly message: string
}

/** Offers the message that proves the address again: `#email-again`, then `#email-again-done` with a link to the page of its code. */
function confirmationForm({ texts }: PageFrame, { browser, account, message }: OverviewPage): Html {
  const { email } = texts.account
  const { sid } = account.session
  const problems = { no_server: email.problems.no_server, limited: email.problems.limited }
  const problem = Object.hasOwn(problems, message) ? problems[message as keyof typeof problems] : undefined
  if (message === 'sent')
    return html`<p role="status" id="email-again-done">${email.againSent} <a href="${PATHS.verifyEmail}">${email.againCode}</a></p>\n`
  return html`${formProblem('email-again-problem', problem).alert}${pageForm(
    { path: PATHS.ownEmail, purpose: 'own-email', browser, subject: sid },
    html`<p>${email.againAdvice}</p>
<button class="second" id="email-again" type="submit" name="verify" value="yes">${email.again}</button>`,
  )}\n`
}

/** The login name, the email address, and a link to each page. The element ids are used by tests. */
function overviewPage(frame: PageFrame, page: OverviewPage): Page {
  const { account, details, others, pages, isChanged } = page
  const { account: texts, logout } = frame.texts
  const { loginName } = account
  const { profile, email, emailVerified } = details
  const proven = emailVerified ? texts.verified : texts.unverified
  const links = pages.map(([path, text]) => html`<li><a href="${path}">${text}</a></li>\n`)
  const otherLinks = others.map(
    (other) =>
      html`<li><a href="${ofAccount(PATHS.account, other.session.sid)}"><bdi>${other.loginName}</bdi></a></li>\n`,
  )
  return layout(frame, {
    title: texts.title,
    content: html`<h1>${texts.title}</h1>
${isChanged && html`<p role="status" id="account-done">${texts.password.done}</p>`}
<dl class="facts">
<dt>${texts.name}</dt><dd><bdi>${profile.display_name}</bdi></dd>
<dt>${texts.loginName}</dt><dd id="account-login-name"><bdi>${loginName}</bdi></dd>
<dt>${texts.emailAddress}</dt><dd id="account-email">${email === '' ? texts.noEmail : html`<bdi>${email}</bdi> ${proven}`}</dd>
</dl>
${email !== '' && !emailVerified && confirmationForm(frame, page)}<nav aria-label="${texts.pages}"><ul class="links">
${links}</ul></nav>
${
  otherLinks.length > 0 &&
  html`<h2>${texts.others}</h2>
<ul class="links">
${otherLinks}</ul>
`
}<p class="also"><a id="account-sign-out" href="${PATHS.logout}">${logout.confirm}</a></p>`,
  })
}
