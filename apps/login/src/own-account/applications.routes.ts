import { createFormBodyParser } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { Router } from 'express'
import type { AudienceNames, FindAudienceNames } from '../authorize/consent-rule.ts'
import { scopeLines } from '../consent/scope-lines.page.ts'
import { withoutFont } from '../pages/brand.ts'
import { pageForm } from '../pages/form-page.ts'
import { submittedForm } from '../pages/forms.ts'
import { layout, type Page, type PageFrame, type PageFrames, sendPage } from '../pages/page.ts'
import { ofAccount, PATHS } from '../pages/paths.ts'
import type { Browser } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import { accountNavigation, ownSignInPath } from './account-page.routes.ts'
import type { AccountWithApplications, OwnApplications } from './applications.service.ts'

interface ApplicationsRouteDependencies {
  readonly ownApplications: OwnApplications
  readonly findAudienceNames: FindAudienceNames
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
  readonly issuer: string
}

/** The page on which users see and end the access of applications to their accounts. */
export function applicationsRoute({
  ownApplications,
  findAudienceNames,
  cookies,
  frames,
  issuer,
}: ApplicationsRouteDependencies): Router {
  return Router()
    .get(PATHS.applications, noStore, async (req, res) => {
      const browser = cookies.known(req)
      const accounts = browser === undefined ? [] : await ownApplications.list(browser)
      if (browser === undefined || accounts.length === 0) {
        return res.redirect(303, ownSignInPath(issuer, PATHS.applications))
      }
      const scopes = accounts.flatMap(({ applications }) => applications.flatMap((one) => one.scopes))
      const audiences = await findAudienceNames(scopes)
      sendPage(
        res,
        applicationsPage(frames(req, accounts[0]?.language, withoutFont(accounts[0]?.branding)), {
          accounts,
          audiences,
          browser,
        }),
        { isolated: true },
      )
    })
    .post(PATHS.applications, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId: sid, browser, form } = submittedForm(req, cookies, 'applications')
      const { client_id: clientId = '' } = form
      await ownApplications.endAccess(browser, { sid, clientId, clientAddress: clientAddress(req) })
      res.redirect(303, PATHS.applications)
    })
}

interface ApplicationsPage {
  readonly accounts: readonly AccountWithApplications[]
  readonly audiences: AudienceNames
  readonly browser: Browser
}

const NOTHING_ALLOWED: ReadonlySet<string> = new Set()

/** Leads to the page that sends the confirmation of the address again: `#unconfirmed-1` … */
function unconfirmedLine(
  { texts: { account } }: PageFrame,
  { number, sid }: { readonly number: number; readonly sid: string },
): Html {
  return html`<p>${account.email.againAdvice} <a id="unconfirmed-${number}" href="${ofAccount(PATHS.account, sid)}">${account.title}</a></p>
`
}

/** Lists each account of this browser with its applications, a link to each that names a page (`#application-1` …), and a button to end each access
 * (`#end-access-1` …). */
function applicationsPage(frame: PageFrame, { accounts, audiences, browser }: ApplicationsPage): Page {
  const { applications } = frame.texts
  let number = 0
  const sections = accounts.map((account, index) => {
    const items = account.applications.map(({ clientId, name, start, scopes, byAssertion }) => {
      number += 1
      const lines = scopeLines(scopes, { allowed: NOTHING_ALLOWED, audiences }, frame.texts).map(
        ({ text }) => html`<li>${text}</li>\n`,
      )
      const list = lines.length > 0 && html`<ul class="scopes">\n${lines}</ul>\n`
      const title = html`<bdi>${name}</bdi>`
      return html`<li><h3>${start === undefined ? title : html`<a id="application-${number}" href="${start}" rel="noopener noreferrer">${title}</a>`}</h3>
${list}${byAssertion && html`<p>${applications.byAssertion}</p>\n`}<button class="danger" id="end-access-${number}" type="submit" name="client_id" value="${clientId}">${applications.end({ application: name })}</button></li>\n`
    })
    return html`<section aria-labelledby="account-${index + 1}">
<h2 id="account-${index + 1}"><bdi>${account.loginName}</bdi></h2>
${account.isUnconfirmed && unconfirmedLine(frame, { number: index + 1, sid: account.sid })}${items.length === 0 && html`<p>${applications.none}</p>`}${
  items.length > 0 &&
  pageForm(
    { path: PATHS.applications, purpose: 'applications', browser, subject: account.sid },
    html`<ul class="applications">
${items}</ul>`,
  )
}
</section>\n`
  })
  return layout(frame, {
    title: applications.title,
    content: html`<h1>${applications.title}</h1>
<p class="intro">${applications.intro}</p>
${sections}${accountNavigation(frame, { sid: accounts[0]?.sid ?? '', path: PATHS.applications })}`,
  })
}
