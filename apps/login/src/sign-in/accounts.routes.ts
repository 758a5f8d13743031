import { formBody } from '@signet/http-server/form-body'
import { noStore } from '@signet/http-server/response-headers'
import { Router } from 'express'
import type { AuthorizationFlow } from '../authorize/authorize.service.ts'
import type { PageFrames } from '../http/page-frames.ts'
import { sendPage } from '../http/page-sender.ts'
import { accountsPage } from '../pages/accounts-page.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { continuePath, interactionPath, PATHS } from '../pages/paths.ts'
import { formToken } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'

export interface AccountsRouteDependencies {
  readonly flow: Pick<AuthorizationFlow, 'look' | 'note'>
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
}

/** The choice among the sessions of this browser (OIDC Core section 3.1.2.1, `select_account`). */
export function accountsRoute({ flow, cookies, frames }: AccountsRouteDependencies): Router {
  return Router()
    .get(PATHS.accounts, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      const assessment = await flow.look(requestId, browser)
      if (assessment.interaction !== 'choose-account') {
        res.redirect(303, continuePath(requestId))
        return
      }
      const page = accountsPage(frames(req, assessment.request.uiLocales), {
        requestId,
        csrfToken: formToken(browser, 'accounts', requestId),
        application: assessment.redirect.client.name,
        accounts: assessment.accounts,
        otherAccountPath: interactionPath('sign-in', requestId),
      })
      sendPage(res, page)
    })
    .post(PATHS.accounts, noStore, formBody(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'accounts')
      // A session that is not among the candidates is a choice of nothing: the request asks again.
      await flow.note(requestId, browser, { chosenSid: form.sid })
      res.redirect(303, continuePath(requestId))
    })
}
