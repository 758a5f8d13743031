import { clientAddress } from '@signet/http-server/client-address'
import { formBody } from '@signet/http-server/form-body'
import { noStore } from '@signet/http-server/response-headers'
import { Router } from 'express'
import type { FindAudienceNames } from '../consent/audience-names.ts'
import type { PageFrames } from '../http/page-frames.ts'
import { sendPage } from '../http/page-sender.ts'
import { applicationsPage, nobodySignedInPage } from '../pages/applications-page.ts'
import { submittedForm } from '../pages/forms.ts'
import { PATHS } from '../pages/paths.ts'
import { formToken } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { OwnApplications } from './applications.service.ts'

export interface ApplicationsRouteDependencies {
  readonly ownApplications: OwnApplications
  readonly findAudienceNames: FindAudienceNames
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
}

/** Shows which applications have access to the accounts of this browser, and ends it. */
export function applicationsRoute({
  ownApplications,
  findAudienceNames,
  cookies,
  frames,
}: ApplicationsRouteDependencies): Router {
  return Router()
    .get(PATHS.applications, noStore, async (req, res) => {
      const browser = cookies.known(req)
      const accounts = browser === undefined ? [] : await ownApplications.list(browser)
      if (browser === undefined || accounts.length === 0) {
        sendPage(res, nobodySignedInPage(frames(req)), { status: 403, isolated: true })
        return
      }
      const csrfTokenOf = (sid: string) => formToken(browser, 'applications', sid)
      const scopes = accounts.flatMap(({ applications }) => applications.flatMap((one) => one.scopes))
      const audiences = await findAudienceNames(scopes)
      sendPage(res, applicationsPage(frames(req), { accounts, audiences, csrfTokenOf }), { isolated: true })
    })
    .post(PATHS.applications, noStore, formBody(), async (req, res) => {
      const { requestId: sid, browser, form } = submittedForm(req, cookies, 'applications')
      const { client_id: clientId = '' } = form
      await ownApplications.endAccess(browser, { sid, clientId, clientAddress: clientAddress(req) })
      res.redirect(303, PATHS.applications)
    })
}
