import { createFormBodyParser } from '@signet/http/forms'
import { html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Response, Router } from 'express'
import type { NewPasswordProblem, RegistrationPolicy } from '../authorize/registration-rules.ts'
import { describedBy, formPage, formProblem } from '../pages/form-page.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { type Page, type PageFrame, sendPage } from '../pages/page.ts'
import { hiddenLoginName, passwordField, passwordHint } from '../pages/password-field.ts'
import { continuePath, interactionPath, PATHS } from '../pages/paths.ts'
import { orUnavailable } from '../pages/problems.ts'
import type { Browser } from '../sessions/browser.ts'
import type { NewPasswordFlow } from './new-password.service.ts'
import { leavesPage, redirectToNextStep, type SignInPageDependencies } from './sign-in-step.page.ts'

interface NewPasswordRouteDependencies extends SignInPageDependencies {
  readonly newPassword: NewPasswordFlow
}

/** The password change that an administrator requires, between the correct password and the session. */
export function newPasswordRoute(dependencies: NewPasswordRouteDependencies): Router {
  const { flow, newPassword, cookies, frames } = dependencies

  async function show(
    res: Response,
    browser: Browser,
    requestId: string,
    {
      problems = [],
      isUnavailable = false,
    }: Partial<Pick<NewPasswordPage, 'problems' | 'isUnavailable'>> = {},
  ) {
    const { redirect, request, findBranding } = await flow.assess(requestId, browser)
    const rules = await newPassword.rules(requestId, browser)
    if (rules === undefined) return res.redirect(303, continuePath(requestId))
    const frame = frames(res.req, request.uiLocales, await findBranding())
    const page = newPasswordPage(frame, {
      requestId,
      browser,
      application: redirect.client.name,
      ...rules,
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
    .post(PATHS.newPassword, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'new-password')
      const { password = '' } = form
      if (password === '') return show(res, browser, requestId, { problems: ['required'] })
      const chosen = { password, clientAddress: clientAddress(req) }
      const outcome = await orUnavailable(() => newPassword.change(requestId, browser, chosen))
      if (leavesPage(outcome)) return redirectToNextStep(res, requestId, outcome, dependencies)
      if (outcome.kind === 'unavailable') return show(res, browser, requestId, { isUnavailable: true })
      return show(res, browser, requestId, { problems: outcome.problems })
    })
}

interface NewPasswordPage {
  readonly requestId: string
  readonly browser: Browser
  /** Name of the application to which the user returns. */
  readonly application: string
  readonly policy: RegistrationPolicy
  readonly loginName: string
  /** Path of the page that starts the sign-in again. */
  readonly otherAccountPath: string
  readonly problems: readonly (NewPasswordProblem | 'required')[]
  /** The directory is unavailable. */
  readonly isUnavailable: boolean
}

/** Asks for a new password before the sign-in continues: `#new-password`, `#new-password-submit`. */
function newPasswordPage(frame: PageFrame, page: NewPasswordPage): Page {
  const { newPassword, register, login } = frame.texts
  const problems = page.problems.map((code) =>
    code === 'password_same' ? newPassword.same : register.problems[code],
  )
  const messages = page.isUnavailable ? [login.unavailable] : problems
  const problem = formProblem('new-password-problem', messages.join(' '))
  return formPage(frame, {
    title: newPassword.title,
    intro: html`<p class="intro">${newPassword.intro({ application: page.application })}</p>
<p>${newPassword.advice}</p>
`,
    problem,
    path: PATHS.newPassword,
    purpose: 'new-password',
    browser: page.browser,
    subject: page.requestId,
    fields: html`${hiddenLoginName(page.loginName)}<label for="new-password">${newPassword.password}</label>
<p class="hint" id="new-password-hint">${passwordHint(register, page.policy)}</p>
${passwordField(frame, {
  id: 'new-password',
  name: 'password',
  label: newPassword.password,
  autocomplete: 'new-password',
  attributes: html` autofocus${describedBy('new-password-hint', problem.id)}${problems.length > 0 && html` aria-invalid="true"`}`,
})}<button id="new-password-submit" type="submit">${newPassword.submit}</button>`,
    after: html`
<p class="also"><a id="new-password-other" href="${page.otherAccountPath}">${frame.texts.totp.other}</a></p>`,
  })
}
