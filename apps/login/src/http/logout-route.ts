import { clientAddress } from '@signet/http-server/client-address'
import { formBody } from '@signet/http-server/form-body'
import { queryParameters } from '@signet/http-server/query-parameters'
import { noStore } from '@signet/http-server/response-headers'
import { Router } from 'express'
import { formToken } from '../browser/browser.ts'
import { PageExpiredError } from '../browser/page-errors.ts'
import type { LoginEvents } from '../events.ts'
import type { LogoutFlow } from '../logout/logout-flow.ts'
import { logoutPage, signedOutPage } from '../pages/logout-page.ts'
import type { BrowserCookies } from './browser-cookies.ts'
import type { PageFrames } from './page-frames.ts'
import { sendPage } from './page-sender.ts'
import { PATHS } from './paths.ts'
import { submittedForm } from './pending-form.ts'
import { sendSignedOut } from './send-signed-out.ts'

export interface LogoutRouteDependencies {
  readonly flow: Pick<LogoutFlow, 'look' | 'confirm'>
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
  readonly events: LoginEvents
}

/** Asks before a sign-out that another site may have caused, and shows its end. */
export function logoutRoute({ flow, cookies, frames, events }: LogoutRouteDependencies): Router {
  return Router()
    .get(PATHS.logout, noStore, async (req, res) => {
      const requestId = queryParameters(req).request
      if (requestId === undefined) {
        res.redirect(303, PATHS.endSession)
        return
      }
      const browser = cookies.known(req)
      if (browser === undefined) throw new PageExpiredError('the browser is not known')
      const { application, uiLocales } = await flow.look(requestId, browser)
      const csrfToken = formToken(browser, 'logout', requestId)
      sendPage(res, logoutPage(frames(req, uiLocales), { requestId, csrfToken, application }))
    })
    .post(PATHS.logout, noStore, formBody(), async (req, res) => {
      const { requestId, browser } = submittedForm(req, cookies, 'logout')
      const outcome = await flow.confirm(requestId, { browser, clientAddress: clientAddress(req) })
      events.signedOut(req, outcome)
      sendSignedOut(res, outcome, cookies)
    })
    .get(PATHS.signedOut, (req, res) => sendPage(res, signedOutPage(frames(req))))
}
