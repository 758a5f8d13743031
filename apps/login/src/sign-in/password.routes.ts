import type { FindSignInPage, OfferedProvider } from '@signet/directory-reader/sign-in-page'
import { createFormBodyParser, queryParameters } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import { clientAddress, requestId as responseId } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Response, Router } from 'express'
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import { LOGIN_HINT_LIMIT } from '../authorize/parameters.ts'
import type { UpstreamProblem } from '../authorize/pending-authorization.ts'
import { describedBy, formPage, formProblem, pageForm } from '../pages/form-page.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { ownDescription, type Page, type PageFrame, sendPage } from '../pages/page.ts'
import { passwordField } from '../pages/password-field.ts'
import { continuePath, interactionPath, PATHS } from '../pages/paths.ts'
import { orUnavailable, throttledText } from '../pages/problems.ts'
import type { Texts } from '../pages/texts/message.ts'
import type { Browser } from '../sessions/browser.ts'
import type { PasskeyForms } from './passkey-form.page.ts'
import type { SignIn } from './password-sign-in.ts'
import { type AnsweringDependencies, leaveSignIn, leavesPage, reportProblem } from './sign-in-step.page.ts'
import type { Throttled } from './throttle.ts'

interface LoginRouteDependencies extends AnsweringDependencies {
  readonly flow: Pick<AuthorizationFlow, 'assess' | 'update'>
  readonly findSignInPage: FindSignInPage
  readonly signIn: SignIn
  /** Undefined: there are no passkeys. */
  readonly passkeyForms: PasskeyForms | undefined
}

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
  const { flow, frames, passkeyForms, findSignInPage } = dependencies
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
    const forms = organizationId === undefined || allowsPasskey ? passkeyForms : undefined
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
    if (forms === undefined) {
      return sendPage(res, loginPage(frame, page), { status })
    }
    const passkeys = forms.get(frame, {
      use: { purpose: 'sign-in', browser, subject: requestId },
      action: PATHS.passkey,
      formPurpose: 'passkey',
      submitId: 'passkey-submit',
      submit: frame.texts.passkey.signIn,
      isSecondary: true,
      isAutofill: true,
    })
    forms.send(res, frame, (script) => loginPage(frame, page, html`${passkeys}${script}`), { status })
  }
}

const statusOf = (problem: LoginProblem | Throttled) => (typeof problem === 'object' ? 429 : STATUS[problem])

interface Shown {
  readonly problem?: LoginProblem | Throttled
  readonly loginName?: string
  /** Asks for the login name again, also where the request names one. */
  readonly asksName?: boolean
}

/** The reason for showing the page again. The text reveals no more than this. */
type LoginProblem = 'refused' | 'missing' | 'forbidden' | 'unavailable' | PasskeyProblem
type PasskeyProblem = 'passkey-refused' | 'passkey-expired' | 'passkey-forbidden'

interface LoginPage {
  readonly requestId: string
  readonly browser: Browser
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
function loginPage(frame: PageFrame, page: LoginPage, passkeys?: Html): Page {
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
    ({ id, name }, index) =>
      html`<button class="second" id="provider-${index + 1}" type="submit" name="provider" value="${id}">${texts.upstream.with({ provider: name })}</button>\n`,
  )
  const use = { path: PATHS.upstream, purpose: 'upstream', browser, subject: requestId } as const
  return html`${pageForm(use, html`${buttons}`)}\n`
}

function alsoLink(id: string, path: string | undefined, text: string): Html | undefined {
  return path === undefined ? undefined : html`<p class="also"><a id="${id}" href="${path}">${text}</a></p>\n`
}
