import { clientAddress } from '@signet/http-server/client-address'
import { formBody } from '@signet/http-server/form-body'
import { noStore } from '@signet/http-server/response-headers'
import { Router } from 'express'
import { requestParameters } from '../authorize/parameters.ts'
import type { LoginEvents } from '../events.ts'
import { endSessionQuery } from '../logout/end-session-request.ts'
import type { LogoutFlow } from '../logout/logout.service.ts'
import { submittedForm } from '../pages/forms.ts'
import { logoutPage, signedOutPage } from '../pages/logout-page.ts'
import { PATHS } from '../pages/paths.ts'
import { formToken } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { PageFrames } from './page-frames.ts'
import { sendPage } from './page-sender.ts'
import { requestQuery } from './request-query.ts'
import { sendSignedOut } from './send-signed-out.ts'

export interface LogoutRouteDependencies {
  readonly flow: Pick<LogoutFlow, 'look' | 'confirm'>
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
  readonly events: LoginEvents
}

/**
 * Asks before a sign-out that another site may have caused, and shows its end. The sign-out request is in the query of
 * the page and in its form, whose token binds it to this browser; it is checked again when the form comes.
 */
export function logoutRoute({ flow, cookies, frames, events }: LogoutRouteDependencies): Router {
  return Router()
    .get(PATHS.logout, noStore, async (req, res) => {
      const parameters = requestQuery(req)
      const request = endSessionQuery(parameters)
      const { application, uiLocales } = await flow.look(parameters)
      const browser = cookies.recognise(req)
      cookies.keep(req, res, browser)
      const csrfToken = formToken(browser, 'logout', request)
      sendPage(res, logoutPage(frames(req, uiLocales), { request, csrfToken, application }))
    })
    .post(PATHS.logout, noStore, formBody(), async (req, res) => {
      const { requestId: request, browser } = submittedForm(req, cookies, 'logout')
      const parameters = requestParameters(new URLSearchParams(request))
      const outcome = await flow.confirm(parameters, { browser, clientAddress: clientAddress(req) })
      events.signedOut(req, outcome)
      sendSignedOut(res, outcome, cookies)
    })
    .get(PATHS.signedOut, (req, res) => sendPage(res, signedOutPage(frames(req))))
}
