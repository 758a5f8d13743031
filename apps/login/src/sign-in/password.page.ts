// The page with the form for a login name and a password.
import type { OfferedProvider } from '@signet/directory-reader/sign-in-page'
import { type Html, html } from '@signet/http/html'
import { brandingFilePath } from '@signet/protocol/branding-files'
import type { UpstreamProblem } from '../authorize/pending-authorization.ts'
import { describedBy, formPage, formProblem, pageForm } from '../pages/form-page.ts'
import { ownDescription, type Page, type PageFrame } from '../pages/page.ts'
import { passwordField } from '../pages/password-field.ts'
import { interactionPath, PATHS } from '../pages/paths.ts'
import { throttledText } from '../pages/problems.ts'
import type { Texts } from '../pages/texts/message.ts'
import type { Browser } from '../sessions/browser.ts'
import type { Throttled } from './throttle.ts'

/** The reason for showing the page again. The text reveals no more than this. */
export type LoginProblem = 'refused' | 'missing' | 'forbidden' | 'unavailable' | PasskeyProblem
type PasskeyProblem = 'passkey-refused' | 'passkey-expired' | 'passkey-forbidden'

export interface LoginPage {
  readonly requestId: string
  readonly browser: Pick<Browser, 'id'>
  /** Both at once, or one of two pages. */
  readonly fields: 'both' | 'name' | 'password'
  /** Name of the application to which the user returns. */
  readonly application: string
  readonly loginName: string
  readonly providers: readonly OfferedProvider[]
  readonly upstreamProblem: UpstreamProblem | undefined
  /** Path of the account page. */
  readonly accountsPath?: string
  /** Path of the registration page, if registration is allowed. */
  readonly registerPath?: string
  /** Path of the page for a forgotten password, if messages can be sent. */
  readonly forgotPath?: string
  readonly problem?: LoginProblem | Throttled
}

/** The sign-in form: `#login-name`, `#password`, `#login-submit`, `#login-other`. */
export function loginPage(frame: PageFrame, page: LoginPage, passkeys?: Html): Page {
  const { login, custom } = frame.texts
  const problem = formProblem(
    'login-problem',
    page.problem ? problemText(frame.texts, page.problem) : upstreamProblemText(frame.texts, page),
  )
  const described = describedBy(problem.id)
  const isInvalid = page.problem === 'refused' || page.problem === 'missing'
  const invalid = isInvalid && problem.invalid
  // Focuses the first empty field.
  const [nameFocus, passwordFocus] = page.loginName === '' ? [html` autofocus`, ''] : ['', html` autofocus`]
  const readOnly = page.fields === 'password' && html` readonly`
  const password =
    page.fields !== 'name' &&
    html`<label for="password">${login.password}</label>
${passwordField(frame, {
  id: 'password',
  name: 'password',
  label: login.password,
  autocomplete: 'current-password',
  attributes: html`${invalid}${described}${passwordFocus}`,
})}`
  const otherPath =
    page.fields === 'password' ? `${PATHS.login}?request=${page.requestId}&name=other` : undefined
  const other = alsoLink('login-other', otherPath, custom.passwordOther)
  const [title, description] =
    page.fields === 'password'
      ? [custom.passwordTitle, custom.passwordDescription]
      : [login.title, custom.loginDescription]
  return formPage(frame, {
    title,
    intro: html`<p class="intro">${login.intro({ application: page.application })}</p>
${ownDescription(description)}`,
    problem,
    path: interactionPath('sign-in', page.requestId),
    purpose: 'login',
    browser: page.browser,
    subject: page.requestId,
    fields: html`<label for="login-name">${login.loginName}</label>
<input id="login-name" name="login_name" type="text" value="${page.loginName}" dir="auto" autocomplete="username webauthn" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="300" required${readOnly}${invalid}${described}${nameFocus}>
${password}${passkeys && html`<input id="passkey-capable" name="passkey_capable" type="hidden" value="">\n`}<button id="login-submit" type="submit">${page.fields === 'name' ? custom.loginNext : login.submit}</button>`,
    after: html`
${providerForm(frame, page)}${passkeys}${other}${alsoLink('login-forgot', page.forgotPath, login.forgot)}${alsoLink('login-register', page.registerPath, login.register)}${alsoLink('login-accounts', page.accountsPath, login.accounts)}`,
  })
}

function problemText(texts: Texts, problem: LoginProblem | Throttled): string {
  if (typeof problem === 'object') return throttledText(texts, problem)
  switch (problem) {
    case 'passkey-refused':
      return texts.passkey.refused
    case 'passkey-expired':
      return texts.passkey.expired
    case 'passkey-forbidden':
      return texts.passkey.forbidden
    default:
      return texts.login[problem]
  }
}

/** The problem of the last sign-in by an identity provider. */
function upstreamProblemText({ upstream }: Texts, { upstreamProblem, providers }: LoginPage) {
  if (upstreamProblem === undefined) return undefined
  const { outcome, providerId, responseId: id } = upstreamProblem
  const provider = providers.find((one) => one.id === providerId)?.name
  return provider === undefined ? upstream.switchedOff({ id }) : upstream[outcome]({ provider, id })
}

/** A button for each identity provider: `#provider-1` … */
function providerForm({ texts }: PageFrame, { requestId, browser, providers }: LoginPage): Html | undefined {
  if (providers.length === 0) return undefined
  const buttons = providers.map(
    ({ id, name, logo }, index) =>
      html`<button class="second" id="provider-${index + 1}" type="submit" name="provider" value="${id}">${logo !== null && html`<img src="${brandingFilePath(logo)}" alt="">`}${texts.upstream.with({ provider: name })}</button>\n`,
  )
  const use = { path: PATHS.upstream, purpose: 'upstream', browser, subject: requestId } as const
  return html`${pageForm(use, html`${buttons}`)}\n`
}

function alsoLink(id: string, path: string | undefined, text: string): Html | undefined {
  return path === undefined ? undefined : html`<p class="also"><a id="${id}" href="${path}">${text}</a></p>\n`
}
