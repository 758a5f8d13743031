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
import { type LoginProblem, loginPage } from '../pages/login-page.ts'
import { continuePath, interactionPath, PATHS, stepPath } from '../pages/paths.ts'
import { type Browser, formToken } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { SignIn } from './sign-in.service.ts'
import type { Throttled } from './throttle.ts'

export interface LoginRouteDependencies {
  readonly flow: Pick<AuthorizationFlow, 'look'>
  readonly signIn: SignIn
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
  readonly events: LoginEvents
}

const STATUS: Readonly<Record<LoginProblem, number>> = {
  refused: 400,
  missing: 400,
  forbidden: 403,
  unavailable: 503,
}

/** The sign-in page of a pending authorization request. Every reason to refuse a sign-in gives the same answer. */
export function loginRoute({ flow, signIn, cookies, frames, events }: LoginRouteDependencies): Router {
  async function show(res: Response, browser: Browser, requestId: string, retry?: Retry): Promise<void> {
    const assessment = await flow.look(requestId, browser)
    if (!('registration' in assessment)) {
      // Signed in meanwhile, in another tab or before the way back: nothing is left to ask.
      res.redirect(303, continuePath(requestId))
      return
    }
    const { interaction, redirect, request, loginName, registration } = assessment
    const page = loginPage(frames(res.req, request.uiLocales), {
      requestId,
      csrfToken: formToken(browser, 'login', requestId),
      application: redirect.client.name,
      loginName: retry?.loginName ?? loginName,
      ...(interaction === 'choose-account' && { accountsPath: interactionPath(interaction, requestId) }),
      ...(registration !== undefined && { registerPath: interactionPath('register', requestId) }),
      ...(retry && { problem: retry.problem }),
    })
    sendPage(res, page, { status: retry === undefined ? 200 : statusOf(retry.problem) })
  }

  return Router()
    .get(PATHS.login, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      await show(res, browser, requestId)
    })
    .post(PATHS.login, noStore, formBody(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'login')
      const { login_name: loginName = '', password = '' } = form
      if (loginName.trim() === '' || password === '') {
        return show(res, browser, requestId, { problem: 'missing', loginName })
      }
      const credentials = { loginName, password, clientAddress: clientAddress(req) }
      const outcome = await orUnavailable(() => signIn(requestId, browser, credentials))
      switch (outcome.kind) {
        case 'signed-in':
          events.signedIn(req, outcome)
          cookies.setSignedIn(res, outcome)
          return res.redirect(303, continuePath(requestId))
        case 'next-step':
          return res.redirect(303, stepPath(outcome.step, requestId))
        case 'forbidden':
          events.signInRefused(req)
          return show(res, browser, requestId, { problem: 'forbidden', loginName })
        case 'throttled':
          events.signInRefused(req)
          res.setHeader('Retry-After', outcome.retryAfterSeconds)
          return show(res, browser, requestId, { problem: outcome, loginName })
        case 'refused':
          events.signInRefused(req)
          return show(res, browser, requestId, { problem: 'refused', loginName })
        case 'unavailable':
          return show(res, browser, requestId, { problem: 'unavailable', loginName })
      }
    })
}

const statusOf = (problem: LoginProblem | Throttled) => (typeof problem === 'object' ? 429 : STATUS[problem])

interface Retry {
  readonly problem: LoginProblem | Throttled
  readonly loginName: string
}
