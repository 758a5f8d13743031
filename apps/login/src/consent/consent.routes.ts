import { clientAddress } from '@signet/http-server/client-address'
import { formBody } from '@signet/http-server/form-body'
import { noStore } from '@signet/http-server/response-headers'
import { AccessDeniedError } from '@signet/oauth-protocol/errors'
import { Router } from 'express'
import type { AuthorizationFlow } from '../authorize/authorize.service.ts'
import type { PageFrames } from '../http/page-frames.ts'
import { sendPage } from '../http/page-sender.ts'
import { consentPage } from '../pages/consent-page.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { continuePath, PATHS } from '../pages/paths.ts'
import { formToken } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import { askedScopes } from './asked-scopes.ts'
import type { FindAudienceNames, FindOrganizationName } from './audience-names.ts'
import type { AllowAccess, Consents } from './consent.service.ts'

export interface ConsentRouteDependencies {
  readonly flow: Pick<AuthorizationFlow, 'look' | 'refuse'>
  readonly allowAccess: AllowAccess
  readonly consents: Pick<Consents, 'find'>
  readonly findAudienceNames: FindAudienceNames
  readonly findOrganizationName: FindOrganizationName
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
}

/** OIDC Core section 3.1.2.4: asks whether an application may have what it wants. */
export function consentRoute(dependencies: ConsentRouteDependencies): Router {
  const { flow, allowAccess, consents, findAudienceNames, findOrganizationName, cookies, frames } =
    dependencies
  return Router()
    .get(PATHS.consent, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      const assessment = await flow.look(requestId, browser)
      if (assessment.interaction !== 'consent') {
        res.redirect(303, continuePath(requestId))
        return
      }
      const { redirect, request, session, loginName } = assessment
      const { clientId, name, organizationId } = redirect.client
      const isForeign = organizationId !== session.organizationId
      const page = consentPage(frames(req, request.uiLocales), {
        requestId,
        csrfToken: formToken(browser, 'consent', requestId),
        application: name,
        organization: isForeign ? await findOrganizationName(organizationId) : undefined,
        scopes: askedScopes(request),
        allowed: await consents.find(session.userId, clientId),
        audiences: await findAudienceNames(request.scopes),
        loginName,
      })
      sendPage(res, page)
    })
    .post(PATHS.consent, noStore, formBody(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'consent')
      if (form.decision !== 'allow') {
        const reason = 'consent_denied'
        await flow.refuse(
          requestId,
          browser,
          new AccessDeniedError('The user did not allow access', { reason }),
        )
      }
      await allowAccess(requestId, browser, clientAddress(req))
      res.redirect(303, continuePath(requestId))
    })
}
