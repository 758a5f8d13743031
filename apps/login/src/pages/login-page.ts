import { type Html, html } from '@signet/http-server/html'
import type { Throttled } from '../sign-in/throttle.ts'
import { layout, type PageFrame } from './page.ts'
import { throttledText } from './throttled-text.ts'

/** Why the page is shown again; the text says no more than this. */
export type LoginProblem = 'refused' | 'missing' | 'forbidden' | 'unavailable'

export interface LoginPage {
  readonly requestId: string
  readonly csrfToken: string
  /** Name of the application that the person returns to. */
  readonly application: string
  readonly loginName: string
  /** Where the sessions of this browser can be chosen instead. */
  readonly accountsPath?: string
  /** Where people make an account, if they may. */
  readonly registerPath?: string
  readonly problem?: LoginProblem | Throttled
}

/** The sign-in form: `#login-name`, `#password`, `#login-submit`. */
export function loginPage(frame: PageFrame, page: LoginPage): Html {
  const { login } = frame.texts
  const problem =
    typeof page.problem === 'object'
      ? throttledText(frame.texts, page.problem)
      : page.problem && login[page.problem]
  const alert = problem && html`<p class="alert" role="alert" id="login-problem">${problem}</p>`
  const describedBy = page.problem && html` aria-describedby="login-problem"`
  const isInvalid = page.problem === 'refused' || page.problem === 'missing'
  const invalid = isInvalid && html` aria-invalid="true"`
  // The cursor starts in the first field that still has to be filled in.
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
