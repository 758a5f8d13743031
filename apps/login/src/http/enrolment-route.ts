import { clientAddress } from '@signet/http-server/client-address'
import { formBody } from '@signet/http-server/form-body'
import { noStore } from '@signet/http-server/response-headers'
import { type Response, Router } from 'express'
import type { AuthorizationFlow } from '../authorize/authorize.service.ts'
import type { LoginEvents } from '../events.ts'
import { enrolmentPage } from '../pages/enrolment-page.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { continuePath, interactionPath, PATHS, stepPath } from '../pages/paths.ts'
import type { TotpProblem } from '../pages/totp-page.ts'
import { type Browser, formToken } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { EnrolmentFlow } from '../sign-in/enrolment.ts'
import type { Throttled } from '../sign-in/throttle.ts'
import { totpStatus } from '../sign-in/totp.routes.ts'
import type { PageFrames } from './page-frames.ts'
import { sendPage } from './page-sender.ts'
import { orUnavailable } from './unavailable.ts'

export interface EnrolmentRouteDependencies {
  readonly flow: Pick<AuthorizationFlow, 'look'>
  readonly enrolment: EnrolmentFlow
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
  readonly events: LoginEvents
}

/** Adds a second factor to an account that has none, where a policy or the request demands one. */
export function enrolmentRoute({
  flow,
  enrolment,
  cookies,
  frames,
  events,
}: EnrolmentRouteDependencies): Router {
  async function show(res: Response, browser: Browser, requestId: string, problem?: TotpProblem | Throttled) {
    const { redirect, request } = await flow.look(requestId, browser)
    const secret = await enrolment.show(requestId, browser)
    if (secret === undefined) return res.redirect(303, continuePath(requestId))
    const page = enrolmentPage(frames(res.req, request.uiLocales), {
      requestId,
      csrfToken: formToken(browser, 'enrolment', requestId),
      application: redirect.client.name,
      secret,
      otherAccountPath: interactionPath('sign-in', requestId),
      ...(problem && { problem }),
    })
    sendPage(res, page, { status: totpStatus(problem) })
  }

  return Router()
    .get(PATHS.enrolment, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      await show(res, browser, requestId)
    })
    .post(PATHS.enrolment, noStore, formBody(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'enrolment')
      const { code = '' } = form
      if (code.trim() === '') return show(res, browser, requestId, 'missing')
      const factor = { code, clientAddress: clientAddress(req) }
      const outcome = await orUnavailable(() => enrolment.confirm(requestId, browser, factor))
      switch (outcome.kind) {
        case 'signed-in':
          events.signedIn(req, outcome)
          cookies.setSignedIn(res, outcome)
          return res.redirect(303, continuePath(requestId))
        case 'next-step':
          return res.redirect(303, stepPath(outcome.step, requestId))
        case 'password-first':
          return res.redirect(303, continuePath(requestId))
        case 'throttled':
          events.signInRefused(req)
          res.setHeader('Retry-After', outcome.retryAfterSeconds)
          return show(res, browser, requestId, outcome)
        case 'refused':
          events.signInRefused(req)
          return show(res, browser, requestId, 'refused')
        case 'unavailable':
          return show(res, browser, requestId, 'unavailable')
      }
    })
}
