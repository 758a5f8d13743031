// The fields of name and password that a provider verifies, on the page of a sign-in and on that of a test.
import { type Html, html } from '@signet/http/html'
import { describedBy, type FormProblem, formProblem } from '../pages/form-page.ts'
import type { PageFrame } from '../pages/page.ts'
import { passwordField } from '../pages/password-field.ts'
import { throttledText } from '../pages/problems.ts'
import type { Throttled } from '../sign-in/throttle.ts'

export type PasswordProblem = 'missing' | 'wrong' | Throttled

interface Typed {
  readonly name: string
  readonly problem: PasswordProblem | undefined
}

/** The status of the page with this problem. */
export const statusOfProblem = (problem: PasswordProblem | undefined): number =>
  problem === undefined ? 200 : typeof problem === 'object' ? 429 : 400

/** `#login-name` and `#password`, with the alert `#login-problem`. */
export function passwordFields(
  frame: PageFrame,
  typed: Typed,
): { readonly problem: FormProblem; readonly fields: Html } {
  const { login } = frame.texts
  const problem = formProblem('login-problem', typed.problem && problemText(frame, typed.problem))
  const described = describedBy(problem.id)
  const invalid = typeof typed.problem === 'string' && problem.invalid
  const [nameFocus, passwordFocus] = typed.name === '' ? [html` autofocus`, ''] : ['', html` autofocus`]
  return {
    problem,
    fields: html`<label for="login-name">${login.loginName}</label>
<input id="login-name" name="login_name" type="text" value="${typed.name}" dir="auto" autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="300" required${invalid}${described}${nameFocus}>
<label for="password">${login.password}</label>
${passwordField(frame, {
  ...{ id: 'password', name: 'password', label: login.password, autocomplete: 'current-password' },
  attributes: html`${invalid}${described}${passwordFocus}`,
})}`,
  }
}

/** Says the same for each reason for which name and password are refused. */
function problemText({ texts }: PageFrame, problem: PasswordProblem): string {
  if (typeof problem === 'object') return throttledText(texts, problem)
  return problem === 'missing' ? texts.login.missing : texts.login.refused
}
