import type { FindSignInPage } from '@signet/directory-reader/sign-in-page'
import { createFormBodyParser, queryParameters } from '@signet/http/forms'
import type { Html } from '@signet/http/html'
import { clientAddress, requestId as responseId } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Response, Router } from 'express'
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import { LOGIN_HINT_LIMIT } from '../authorize/parameters.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { type Page, type PageFrame, sendPage } from '../pages/page.ts'
import { continuePath, interactionPath, PATHS } from '../pages/paths.ts'
import { orUnavailable } from '../pages/problems.ts'
import type { Browser } from '../sessions/browser.ts'
import { type LoginPage, type LoginProblem, loginPage } from './password.page.ts'
import type { SignIn } from './password-sign-in.ts'
import { type AnsweringDependencies, leaveSignIn, leavesPage, reportProblem } from './sign-in-step.page.ts'
import type { Throttled } from './throttle.ts'

interface LoginRouteDependencies extends AnsweringDependencies {
  readonly flow: Pick<AuthorizationFlow, 'assess' | 'update'>
  readonly findSignInPage: FindSignInPage
  readonly signIn: SignIn
  /** Undefined: there are no passkeys. */
  readonly sendWithPasskey: SendWithPasskey | undefined
}

/** Sends the sign-in page of a request with the form that signs in with a passkey. */
export type SendWithPasskey = (
  res: Response,
  frame: PageFrame,
  page: {
    readonly requestId: string
    readonly browser: Browser
    readonly html: (passkeys: Html) => Page
    readonly status: number
  },
) => void

const STATUS: Readonly<Record<LoginProblem, number>> = {
  refused: 400,
  missing: 400,
  forbidden: 403,
  unavailable: 503,
  'passkey-refused': 400,
  'passkey-expired': 400,
  'passkey-forbidden': 403,
}

/** The sign-in page of a pending request. Every failed password gets the same response. */
export function loginRoute(dependencies: LoginRouteDependencies): Router {
  const { flow, signIn, cookies, events, sendResponse } = dependencies
  const show = createLoginPageSender(dependencies)
  return Router()
    .get(PATHS.login, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      await show(res, browser, requestId, queryParameters(req).name === 'other' ? { asksName: true } : {})
    })
    .post(PATHS.login, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'login')
      const { login_name: loginName = '', password = '' } = form
      // The first of two pages: any name leads to the second, which tells nothing about the account.
      if (form.password === undefined && loginName.trim() !== '') {
        // Stored, so that the address of the second page survives a reload.
        await flow.update(requestId, browser, { typedName: loginName.slice(0, LOGIN_HINT_LIMIT) })
        return res.redirect(303, interactionPath('sign-in', requestId))
      }
      if (loginName.trim() === '' || password === '') {
        return show(res, browser, requestId, { problem: 'missing', loginName })
      }
      const canMakePasskey = form.passkey_capable === 'yes'
      const credentials = {
        ...{ loginName, password, canMakePasskey },
        ...{ clientAddress: clientAddress(req), responseId: responseId(req) },
      }
      const outcome = await orUnavailable(() => signIn(requestId, browser, credentials))
      if (leavesPage(outcome)) return leaveSignIn(res, requestId, outcome, { cookies, events, sendResponse })
      return show(res, browser, requestId, { problem: reportProblem(res, outcome, events), loginName })
    })
}

/** Shows the sign-in page of a pending request, or continues a request whose user is signed in. */
export type ShowLogin = (res: Response, browser: Browser, requestId: string, shown?: Shown) => Promise<void>

export function createLoginPageSender(
  dependencies: Omit<LoginRouteDependencies, 'signIn' | 'events' | 'sendResponse'>,
): ShowLogin {
  const { flow, frames, sendWithPasskey, findSignInPage } = dependencies
  return async (res, browser, requestId, shown = {}) => {
    const assessment = await flow.assess(requestId, browser)
    if (!('registration' in assessment)) {
      // Signed in by now, in another tab or before going back.
      res.redirect(303, continuePath(requestId))
      return
    }
    const { interaction, redirect, request, loginName, registration, organizationId } = assessment
    const frame = frames(res.req, request.uiLocales, await assessment.findBranding())
    const { typedName } = assessment.progress
    const signInPage = await findSignInPage(organizationId, typedName ?? request.loginHint)
    const { offersReset, identifierFirst, allowsPasskey, providers } = signInPage
    // Without an organization people of any may sign in, each by the policy of their own.
    const send = organizationId === undefined || allowsPasskey ? sendWithPasskey : undefined
    const { problem, asksName = false } = shown
    const name = asksName ? '' : (shown.loginName ?? typedName ?? loginName)
    const page = {
      requestId,
      fields: !identifierFirst ? 'both' : name.trim() === '' ? 'name' : 'password',
      browser,
      application: redirect.client.name,
      loginName: name,
      ...((interaction === 'choose-account' || interaction === 'hinted-sign-in') && {
        accountsPath: interactionPath('choose-account', requestId),
      }),
      ...(registration !== undefined && { registerPath: interactionPath('register', requestId) }),
      providers,
      upstreamProblem: assessment.progress.upstreamProblem,
      ...(offersReset && { forgotPath: `${PATHS.forgot}?request=${requestId}` }),
      ...(problem && { problem }),
    } satisfies LoginPage
    const status = problem === undefined ? 200 : statusOf(problem)
    if (send === undefined) return sendPage(res, loginPage(frame, page), { status })
    send(res, frame, { requestId, browser, status, html: (passkeys) => loginPage(frame, page, passkeys) })
  }
}

const statusOf = (problem: LoginProblem | Throttled) => (typeof problem === 'object' ? 429 : STATUS[problem])

interface Shown {
  readonly problem?: LoginProblem | Throttled
  readonly loginName?: string
  /** Asks for the login name again, also where the request names one. */
  readonly asksName?: boolean
}
