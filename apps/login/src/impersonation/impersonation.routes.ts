import { createFormBodyParser, queryParameters } from '@signet/http/forms'
import { html } from '@signet/http/html'
import { noStore } from '@signet/http/response-headers'
import { type Response, Router } from 'express'
import { ownSignInPath } from '../own-account/account-page.routes.ts'
import { formPage } from '../pages/form-page.ts'
import { submittedForm } from '../pages/forms.ts'
import { layout, type Page, type PageFrame, type PageFrames, sendPage } from '../pages/page.ts'
import { confirmPath, PATHS } from '../pages/paths.ts'
import type { Browser } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { Impersonations, NoImpersonation } from './impersonation.service.ts'

interface ImpersonationDependencies {
  readonly impersonations: Impersonations
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
  readonly issuer: string
}

/**
 * The page of a link of the management API: it says who becomes whom and why, and its form begins the session. Without a link it says
 * that an impersonation goes on. The banner of every page ends it.
 */
export function impersonationRoute(dependencies: ImpersonationDependencies): Router {
  const { impersonations, cookies, frames } = dependencies
  return Router()
    .get(PATHS.impersonation, noStore, async (req, res) => {
      // A form that is shown again names it as forms name their subject, in the links of the languages too.
      const { request, token = request } = queryParameters(req)
      if (token === undefined) {
        if ((await impersonations.active(cookies.known(req))) === undefined)
          return res.redirect(303, PATHS.account)
        return sendPage(res, activePage(frames(req)), { isolated: true })
      }
      const browser = cookies.knownOrNew(req)
      const opened = await impersonations.open(token, browser)
      if (opened.kind !== 'waiting') return sendProblem(res, dependencies, opened)
      cookies.setBrowser(req, res, browser)
      sendPage(res, startPage(frames(req), { ...opened, browser, token }), { isolated: true })
    })
    .post(PATHS.impersonation, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId: token, browser } = submittedForm(req, cookies, 'impersonation')
      const begun = await impersonations.begin(token, browser)
      if (begun.kind !== 'begun') return sendProblem(res, dependencies, begun)
      cookies.setSignedIn(res, { sessionCookie: begun.cookie })
      cookies.setImpersonation(res, true)
      res.redirect(303, PATHS.impersonation)
    })
    .post(PATHS.impersonationEnd, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId: sid, browser } = submittedForm(req, cookies, 'impersonation-end')
      await impersonations.end(browser, sid)
      cookies.setImpersonation(res, false)
      res.redirect(303, PATHS.account)
    })
}

const STATUS = {
  expired: 400,
  foreign: 403,
  stale: 403,
  unconfirmed: 403,
  nested: 409,
  refused: 403,
} as const

/** Says why there is no impersonation: `#impersonation-problem`, `#impersonation-sign-in`, `#impersonation-confirm`. */
function sendProblem(
  res: Response,
  { frames, issuer }: Pick<ImpersonationDependencies, 'frames' | 'issuer'>,
  problem: NoImpersonation,
): void {
  const { kind } = problem
  const frame = frames(res.req)
  const { impersonation, login, confirm } = frame.texts
  const signIn = `${ownSignInPath(issuer, PATHS.account)}&prompt=login`
  const page = layout(frame, {
    title: impersonation.title,
    content: html`<h1>${impersonation.title}</h1>
<p class="alert" role="alert" id="impersonation-problem">${impersonation.problems[kind]}</p>
${(kind === 'foreign' || kind === 'stale') && html`<p class="also"><a id="impersonation-sign-in" href="${signIn}">${login.title}</a></p>\n`}${problem.kind === 'unconfirmed' && html`<p class="also"><a id="impersonation-confirm" href="${confirmPath(problem.sid, 'impersonation')}">${confirm.title}</a></p>\n`}`,
  })
  sendPage(res, page, { status: STATUS[kind], isolated: true })
}

interface StartPage {
  readonly browser: Browser
  readonly token: string
  readonly administrator: string
  readonly loginName: string
  readonly organizationName: string
  readonly reason: string
}

/** Says who becomes whom: `#impersonation-start`. */
function startPage(frame: PageFrame, page: StartPage): Page {
  const { browser, token, administrator, loginName, organizationName: organization, reason } = page
  const { impersonation } = frame.texts
  return formPage(frame, {
    title: impersonation.title,
    intro: html`<p class="intro" id="impersonation-asks">${impersonation.asks({ administrator, loginName, organization })}</p>
<p id="impersonation-reason">${impersonation.reason({ reason })}</p>
<p>${impersonation.meaning}</p>`,
    ...{ path: PATHS.impersonation, purpose: 'impersonation', browser, subject: token },
    fields: html`<button id="impersonation-start" type="submit">${impersonation.start}</button>`,
  })
}

/** Says how to go on, below the banner. */
function activePage(frame: PageFrame): Page {
  const { impersonation } = frame.texts
  return layout(frame, {
    title: impersonation.activeTitle,
    content: html`<h1>${impersonation.activeTitle}</h1>
<p>${impersonation.active}</p>`,
  })
}
