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
import { type NewPasswordPage, newPasswordPage } from '../pages/new-password-page.ts'
import { continuePath, interactionPath, PATHS, stepPath } from '../pages/paths.ts'
import { type Browser, formToken } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { NewPasswordFlow } from './new-password.service.ts'

export interface NewPasswordRouteDependencies {
  readonly flow: Pick<AuthorizationFlow, 'look'>
  readonly newPassword: NewPasswordFlow
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
  readonly events: LoginEvents
}

/** The change of a password that an administrator has demanded, between the right old one and the session. */
export function newPasswordRoute(dependencies: NewPasswordRouteDependencies): Router {
  const { flow, newPassword, cookies, frames, events } = dependencies

  async function show(
    res: Response,
    browser: Browser,
    requestId: string,
    {
      problems = [],
      isUnavailable = false,
    }: Partial<Pick<NewPasswordPage, 'problems' | 'isUnavailable'>> = {},
  ) {
    const { redirect, request } = await flow.look(requestId, browser)
    const policy = await newPassword.rules(requestId, browser)
    if (policy === undefined) return res.redirect(303, continuePath(requestId))
    const page = newPasswordPage(frames(res.req, request.uiLocales), {
      requestId,
      csrfToken: formToken(browser, 'new-password', requestId),
      application: redirect.client.name,
      policy,
      otherAccountPath: interactionPath('sign-in', requestId),
      problems,
      isUnavailable,
    })
    const refused = problems.length > 0 ? 400 : 200
    sendPage(res, page, { status: isUnavailable ? 503 : refused })
  }

  return Router()
    .get(PATHS.newPassword, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      await show(res, browser, requestId)
    })
    .post(PATHS.newPassword, noStore, formBody(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'new-password')
      const { password = '' } = form
      if (password === '') return show(res, browser, requestId, { problems: ['required'] })
      const chosen = { password, clientAddress: clientAddress(req) }
      const outcome = await orUnavailable(() => newPassword.change(requestId, browser, chosen))
      switch (outcome.kind) {
        case 'signed-in':
          events.signedIn(req, outcome)
          cookies.setSignedIn(res, outcome)
          return res.redirect(303, continuePath(requestId))
        case 'next-step':
          return res.redirect(303, stepPath(outcome.step, requestId))
        case 'password-first':
          return res.redirect(303, continuePath(requestId))
        case 'refused':
          return show(res, browser, requestId, { problems: outcome.problems })
        case 'unavailable':
          return show(res, browser, requestId, { isUnavailable: true })
      }
    })
}
