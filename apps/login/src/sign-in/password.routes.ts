import { clientAddress } from '@signet/http/client-address'
import { formBody } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import { noStore } from '@signet/http/response-headers'
import { type Response, Router } from 'express'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { layout, type PageFrame, sendPage } from '../pages/page.ts'
import { continuePath, interactionPath, PATHS } from '../pages/paths.ts'
import {
  leavesPage,
  orUnavailable,
  redirectToNextStep,
  reportProblem,
  type SignInPageDependencies,
  throttledText,
} from '../pages/sign-in-step.ts'
import { type Browser, formToken } from '../sessions/browser.ts'
import type { SignIn } from './sign-in.service.ts'
import type { Throttled } from './throttle.ts'

interface LoginRouteDependencies extends SignInPageDependencies {
  readonly signIn: SignIn
}

const STATUS: Readonly<Record<LoginProblem, number>> = {
  refused: 400,
  missing: 400,
  forbidden: 403,
  unavailable: 503,
}

/** The sign-in page of a pending request. Every failed password gets the same response. */
export function loginRoute({ flow, signIn, cookies, frames, events }: LoginRouteDependencies): Router {
  async function show(res: Response, browser: Browser, requestId: string, retry?: Retry): Promise<void> {
    const assessment = await flow.assess(requestId, browser)
    if (!('registration' in assessment)) {
      // Signed in by now, in another tab or before going back.
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
      if (leavesPage(outcome)) return redirectToNextStep(res, requestId, outcome, { cookies, events })
      return show(res, browser, requestId, { problem: reportProblem(res, outcome, events), loginName })
    })
}

const statusOf = (problem: LoginProblem | Throttled) => (typeof problem === 'object' ? 429 : STATUS[problem])

interface Retry {
  readonly problem: LoginProblem | Throttled
  readonly loginName: string
}

/** The reason for showing the page again. The text reveals no more than this. */
type LoginProblem = 'refused' | 'missing' | 'forbidden' | 'unavailable'

interface LoginPage {
  readonly requestId: string
  readonly csrfToken: string
  /** Name of the application to which the user returns. */
  readonly application: string
  readonly loginName: string
  /** Path of the account page. */
  readonly accountsPath?: string
  /** Path of the registration page, if registration is allowed. */
  readonly registerPath?: string
  readonly problem?: LoginProblem | Throttled
}

/** The sign-in form: `#login-name`, `#password`, `#login-submit`. */
function loginPage(frame: PageFrame, page: LoginPage): Html {
  const { login } = frame.texts
  const problem =
    typeof page.problem === 'object'
      ? throttledText(frame.texts, page.problem)
      : page.problem && login[page.problem]
  const alert = problem && html`<p class="alert" role="alert" id="login-problem">${problem}</p>`
  const describedBy = page.problem && html` aria-describedby="login-problem"`
  const isInvalid = page.problem === 'refused' || page.problem === 'missing'
  const invalid = isInvalid && html` aria-invalid="true"`
  // Focuses the first empty field.
  const [nameFocus, passwordFocus] = page.loginName === '' ? [html` autofocus`, ''] : ['', html` autofocus`]
  return layout(frame, {
    title: login.title,
    content: html`<h1>${login.title}</h1>
<p class="intro">${login.intro(page.application)}</p>
${alert}
<form method="post" action="/ui/login">
<input type="hidden" name="request" value="${page.requestId}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<label for="login-name">${login.loginName}</label>
<input id="login-name" name="login_name" type="text" value="${page.loginName}" autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="300" required${invalid}${describedBy}${nameFocus}>
<label for="password">${login.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1000" required${invalid}${describedBy}${passwordFocus}>
<button id="login-submit" type="submit">${login.submit}</button>
</form>
${alsoLink('login-register', page.registerPath, login.register)}${alsoLink('login-accounts', page.accountsPath, login.accounts)}`,
  })
}

function alsoLink(id: string, path: string | undefined, text: string): Html | undefined {
  return path === undefined ? undefined : html`<p class="also"><a id="${id}" href="${path}">${text}</a></p>\n`
}
