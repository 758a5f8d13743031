import { createFormBodyParser } from '@signet/http/forms'
import { html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { Router } from 'express'
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import type { RoleOffer } from '../authorize/role-offers.ts'
import { withoutFont } from '../pages/brand.ts'
import { pageForm } from '../pages/form-page.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { layout, type Page, type PageFrame, type PageFrames, sendPage } from '../pages/page.ts'
import { continuePath, PATHS } from '../pages/paths.ts'
import type { Browser } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { AnswerRoleOffer } from './consent.service.ts'

interface RolesRouteDependencies {
  readonly flow: Pick<AuthorizationFlow, 'assess'>
  readonly answerRoleOffer: AnswerRoleOffer
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
}

/** Asks a user who has just signed in to accept roles in another organization. Both answers continue the request. */
export function rolesRoute({ flow, answerRoleOffer, cookies, frames }: RolesRouteDependencies): Router {
  return Router()
    .get(PATHS.roles, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      const assessment = await flow.assess(requestId, browser)
      if (assessment.interaction !== 'accept-roles') {
        res.redirect(303, continuePath(requestId))
        return
      }
      const { request, offer, loginName } = assessment
      const page = rolesPage(frames(req, request.uiLocales, withoutFont(await assessment.findBranding())), {
        requestId,
        browser,
        offer,
        loginName,
      })
      sendPage(res, page)
    })
    .post(PATHS.roles, noStore, createFormBodyParser(), async (req, res) => {
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

interface RolesPage {
  readonly requestId: string
  readonly browser: Browser
  readonly offer: RoleOffer
  /** Login name of the account that is asked. */
  readonly loginName: string
}

/** Names an organization and the roles that it offers: `#roles-accept`, `#roles-refuse`. */
function rolesPage(frame: PageFrame, { requestId, browser, offer, loginName }: RolesPage): Page {
  const { consent, offeredRoles } = frame.texts
  const { organizationName, projectName, roles } = offer
  const names: Readonly<Record<string, string>> = offeredRoles.names
  const lines = roles.map((role) => html`<li><bdi>${names[role] ?? role}</bdi></li>\n`)
  const asks =
    projectName === undefined
      ? offeredRoles.asks({ organization: organizationName })
      : offeredRoles.asksForProject({ organization: organizationName, project: projectName })
  return layout(frame, {
    title: offeredRoles.title,
    content: html`<h1>${offeredRoles.title}</h1>
<p class="intro">${consent.account({ loginName })}</p>
<p id="roles-asks">${asks}</p>
<ul class="scopes" aria-labelledby="roles-asks">
${lines}</ul>
<p>${offeredRoles.meaning}</p>
${pageForm(
  { path: PATHS.roles, purpose: 'roles', browser, subject: requestId },
  html`<input type="hidden" name="object" value="${offer.objectId}">
<input type="hidden" name="roles" value="${roles.join(' ')}">
<button id="roles-accept" type="submit" name="decision" value="accept">${offeredRoles.accept}</button>
<button class="second" id="roles-refuse" type="submit" name="decision" value="refuse">${offeredRoles.refuse}</button>`,
)}`,
  })
}
