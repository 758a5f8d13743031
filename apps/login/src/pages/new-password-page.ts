import { type Html, html } from '@signet/http-server/html'
import type { RegistrationPolicy } from '../registration/registration-rules.ts'
import type { NewPasswordProblem } from '../sign-in/new-password.service.ts'
import { layout, type PageFrame } from './page.ts'
import { passwordHint } from './password-hint.ts'

export interface NewPasswordPage {
  readonly requestId: string
  readonly csrfToken: string
  /** Name of the application that the person returns to. */
  readonly application: string
  readonly policy: RegistrationPolicy
  /** Where the sign-in begins anew. */
  readonly otherAccountPath: string
  readonly problems: readonly (NewPasswordProblem | 'required')[]
  /** The directory is away. */
  readonly isUnavailable: boolean
}

/** Asks for another password before a sign-in goes on: `#new-password`, `#new-password-submit`. */
export function newPasswordPage(frame: PageFrame, page: NewPasswordPage): Html {
  const { newPassword, register, login } = frame.texts
  const problems = page.problems.map((code) =>
    code === 'password_same' ? newPassword.same : register.problems[code],
  )
  const messages = page.isUnavailable ? [login.unavailable] : problems
  const describedBy = messages.length > 0 ? 'new-password-hint new-password-problem' : 'new-password-hint'
  return layout(frame, {
    title: newPassword.title,
    content: html`<h1>${newPassword.title}</h1>
<p class="intro">${newPassword.intro(page.application)}</p>
<p>${newPassword.advice}</p>
${messages.length > 0 && html`<p class="alert" role="alert" id="new-password-problem">${messages.join(' ')}</p>`}
<form method="post" action="/ui/password">
<input type="hidden" name="request" value="${page.requestId}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<label for="new-password">${newPassword.password}</label>
<p class="hint" id="new-password-hint">${passwordHint(register, page.policy)}</p>
<input id="new-password" name="password" type="password" autocomplete="new-password" maxlength="1000" required autofocus aria-describedby="${describedBy}"${problems.length > 0 && html` aria-invalid="true"`}>
<button id="new-password-submit" type="submit">${newPassword.submit}</button>
</form>
<p class="also"><a id="new-password-other" href="${page.otherAccountPath}">${frame.texts.totp.other}</a></p>`,
  })
}
