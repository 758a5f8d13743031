import { clientAddress } from '@signet/http-server/client-address'
import { formBody } from '@signet/http-server/form-body'
import { noStore } from '@signet/http-server/response-headers'
import { Router } from 'express'
import type { AuthorizationFlow } from '../authorize/authorize.service.ts'
import type { PageFrames } from '../http/page-frames.ts'
import { sendPage } from '../http/page-sender.ts'
import type { AnswerRoleOffer } from '../offered-roles/answer-role-offer.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { continuePath, PATHS } from '../pages/paths.ts'
import { rolesPage } from '../pages/roles-page.ts'
import { formToken } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'

export interface RolesRouteDependencies {
  readonly flow: Pick<AuthorizationFlow, 'look'>
  readonly answerRoleOffer: AnswerRoleOffer
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
}

/** Asks a person who has just signed in whether to accept roles in another organization. Both answers go on. */
export function rolesRoute({ flow, answerRoleOffer, cookies, frames }: RolesRouteDependencies): Router {
  return Router()
    .get(PATHS.roles, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      const assessment = await flow.look(requestId, browser)
      if (assessment.interaction !== 'accept-roles') {
        res.redirect(303, continuePath(requestId))
        return
      }
      const { request, offer, loginName } = assessment
      const page = rolesPage(frames(req, request.uiLocales), {
        requestId,
        csrfToken: formToken(browser, 'roles', requestId),
        offer,
        loginName,
      })
      sendPage(res, page)
    })
    .post(PATHS.roles, noStore, formBody(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'roles')
      const { object: objectId = '', roles = '', decision } = form
      await answerRoleOffer(requestId, browser, {
        objectId,
        roles: roles.split(' '),
        accepted: decision === 'accept',
        clientAddress: clientAddress(req),
      })
      res.redirect(303, continuePath(requestId))
    })
}
