import { clientAddress } from '@signet/http-server/client-address'
import { formBody } from '@signet/http-server/form-body'
import { noStore } from '@signet/http-server/response-headers'
import { type Response, Router } from 'express'
import type { AuthorizationFlow } from '../authorize/authorize.service.ts'
import type { LoginEvents } from '../events.ts'
import type { PageFrames } from '../http/page-frames.ts'
import { sendPage } from '../http/page-sender.ts'
import { orUnavailable } from '../http/unavailable.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { continuePath, interactionPath, PATHS, stepPath } from '../pages/paths.ts'
import { type TotpProblem, totpPage } from '../pages/totp-page.ts'
import { type Browser, formToken } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { EnrolmentFlow } from './enrolment.ts'
import type { Throttled } from './throttle.ts'
import type { SecondFactorFlow } from './totp.service.ts'

export interface TotpRouteDependencies {
  readonly flow: Pick<AuthorizationFlow, 'look'>
  readonly secondFactor: SecondFactorFlow
  readonly enrolment: Pick<EnrolmentFlow, 'isNext'>
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
  readonly events: LoginEvents
}

const STATUS: Readonly<Record<TotpProblem, number>> = { refused: 400, missing: 400, unavailable: 503 }

export function totpStatus(problem: TotpProblem | Throttled | undefined): number {
  if (problem === undefined) return 200
  return typeof problem === 'object' ? 429 : STATUS[problem]
}

/** RFC 6238: the second factor of an account that has one, between the password and the session. */
export function totpRoute({
  flow,
  secondFactor,
  enrolment,
  cookies,
  frames,
  events,
}: TotpRouteDependencies): Router {
  async function show(res: Response, browser: Browser, requestId: string, problem?: TotpProblem | Throttled) {
    const { redirect, request } = await flow.look(requestId, browser)
    const page = totpPage(frames(res.req, request.uiLocales), {
      requestId,
      csrfToken: formToken(browser, 'totp', requestId),
      application: redirect.client.name,
      otherAccountPath: interactionPath('sign-in', requestId),
      ...(problem && { problem }),
    })
    sendPage(res, page, { status: totpStatus(problem) })
  }

  return Router()
    .get(PATHS.totp, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      if (await secondFactor.isNext(requestId, browser)) return show(res, browser, requestId)
      if (await enrolment.isNext(requestId, browser))
        return res.redirect(303, stepPath('enrolment', requestId))
      res.redirect(303, continuePath(requestId))
    })
    .post(PATHS.totp, noStore, formBody(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'totp')
      const { code = '' } = form
      if (code.trim() === '') return show(res, browser, requestId, 'missing')
      const factor = { code, clientAddress: clientAddress(req) }
      const outcome = await orUnavailable(() => secondFactor.signIn(requestId, browser, factor))
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
