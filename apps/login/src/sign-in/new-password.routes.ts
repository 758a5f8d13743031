import { formBody } from '@signet/http/forms'
import { html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Response, Router } from 'express'
import type { NewPasswordProblem, RegistrationPolicy } from '../authorize/registration-rules.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { layout, type Page, type PageFrame, sendPage } from '../pages/page.ts'
import { hiddenLoginName, passwordField, passwordHint } from '../pages/password-field.ts'
import { continuePath, interactionPath, PATHS } from '../pages/paths.ts'
import { orUnavailable } from '../pages/problems.ts'
import { type Browser, formToken } from '../sessions/browser.ts'
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
      csrfToken: formToken(browser, 'new-password', requestId),
      application: redirect.client.name,
      ...rules,
      otherAccountPath: interactionPath('sign-in', requestId),
      problems,
      isUnavailable,
    })
    const refused = problems.length > 0 ? 400 : 200
    sendPage(res, page, { status: isUnavailable ? 503 : refused, scriptNonce: frame.scriptNonce })
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
      if (leavesPage(outcome)) return redirectToNextStep(res, requestId, outcome, dependencies)
      if (outcome.kind === 'unavailable') return show(res, browser, requestId, { isUnavailable: true })
      return show(res, browser, requestId, { problems: outcome.problems })
    })
}

interface NewPasswordPage {
  readonly requestId: string
  readonly csrfToken: string
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
  const describedBy = messages.length > 0 ? 'new-password-hint new-password-problem' : 'new-password-hint'
  return layout(frame, {
    title: newPassword.title,
    content: html`<h1>${newPassword.title}</h1>
<p class="intro">${newPassword.intro({ application: page.application })}</p>
<p>${newPassword.advice}</p>
${messages.length > 0 && html`<p class="alert" role="alert" id="new-password-problem">${messages.join(' ')}</p>`}
<form method="post" action="/ui/password">
<input type="hidden" name="request" value="${page.requestId}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
${hiddenLoginName(page.loginName)}<label for="new-password">${newPassword.password}</label>
<p class="hint" id="new-password-hint">${passwordHint(register, page.policy)}</p>
${passwordField(frame, {
  id: 'new-password',
  name: 'password',
  label: newPassword.password,
  autocomplete: 'new-password',
  attributes: html` autofocus aria-describedby="${describedBy}"${problems.length > 0 && html` aria-invalid="true"`}`,
})}<button id="new-password-submit" type="submit">${newPassword.submit}</button>
</form>
<p class="also"><a id="new-password-other" href="${page.otherAccountPath}">${frame.texts.totp.other}</a></p>`,
  })
}
