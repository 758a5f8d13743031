import { createFormBodyParser } from '@signet/http/forms'
import { html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Response, Router } from 'express'
import type {
  RegistrationField,
  RegistrationPolicy,
  RegistrationProblem,
} from '../authorize/registration-rules.ts'
import { registrationLinks } from '../pages/footer.ts'
import { describedBy, formPage } from '../pages/form-page.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { ownDescription, type Page, type PageFrame, sendPage } from '../pages/page.ts'
import { passwordField, passwordHint } from '../pages/password-field.ts'
import { continuePath, interactionPath, PATHS } from '../pages/paths.ts'
import { orUnavailable } from '../pages/problems.ts'
import type { Browser } from '../sessions/browser.ts'
import { leavesPage, redirectToNextStep, type SignInPageDependencies } from '../sign-in/sign-in-step.page.ts'
import type { Register } from './register.service.ts'

interface RegisterRouteDependencies extends SignInPageDependencies {
  readonly register: Register
}

// The directory limits the attempts of an address to a number an hour.
const RETRY_AFTER_SECONDS = 3600

/** Initiating User Registration via OpenID Connect: the form that creates an account and signs in to it. */
export function registerRoute({
  flow,
  register,
  cookies,
  frames,
  events,
}: RegisterRouteDependencies): Router {
  async function show(res: Response, browser: Browser, requestId: string, retry?: Retry): Promise<void> {
    const assessment = await flow.assess(requestId, browser)
    if (!('registration' in assessment) || assessment.registration === undefined) {
      // Signed in by now, or registration is not allowed.
      const { interaction } = assessment
      res.redirect(
        303,
        interaction === 'register' ? interactionPath('sign-in', requestId) : continuePath(requestId),
      )
      return
    }
    const { redirect, request, registration, loginName } = assessment
    const frame = frames(res.req, request.uiLocales, await assessment.findBranding())
    const page = registerPage(frame, {
      requestId,
      browser,
      application: redirect.client.name,
      policy: registration,
      values: retry?.form ?? { [loginName.includes('@') ? 'email' : 'user_name']: loginName },
      problems: retry?.problems ?? [],
      isUnavailable: retry?.isUnavailable ?? false,
      signInPath: interactionPath('sign-in', requestId),
    })
    const status = retry === undefined ? 200 : statusOf(retry)
    if (status === 429) res.setHeader('Retry-After', RETRY_AFTER_SECONDS)
    sendPage(res, page, { status })
  }

  return Router()
    .get(PATHS.register, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      await show(res, browser, requestId)
    })
    .post(PATHS.register, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'register')
      const { request } = await flow.assess(requestId, browser)
      const registration = {
        userName: form.user_name ?? '',
        email: form.email ?? '',
        givenName: form.given_name ?? '',
        familyName: form.family_name ?? '',
        password: form.password ?? '',
        preferredLanguage: frames(req, request.uiLocales).texts.language,
        clientAddress: clientAddress(req),
      }
      const outcome = await orUnavailable(() => register(requestId, browser, registration))
      if (leavesPage(outcome))
        return redirectToNextStep(res, requestId, outcome, { cookies, events }, 'registered')
      if (outcome.kind === 'refused')
        return show(res, browser, requestId, { form, problems: outcome.problems })
      return show(res, browser, requestId, { form, problems: [], isUnavailable: true })
    })
}

interface Retry {
  readonly form: Readonly<Record<string, string>>
  readonly problems: readonly RegistrationProblem[]
  readonly isUnavailable?: boolean
}

function statusOf({ problems, isUnavailable }: Retry): number {
  if (isUnavailable) return 503
  return problems.some(({ code }) => code === 'too_many_attempts') ? 429 : 400
}

interface RegisterPage {
  readonly requestId: string
  readonly browser: Browser
  /** Name of the application to which the user returns. */
  readonly application: string
  readonly policy: RegistrationPolicy
  /** The values entered before, without the password. */
  readonly values: Readonly<Partial<Record<RegistrationField, string>>>
  readonly problems: readonly RegistrationProblem[]
  /** The directory is unavailable. */
  readonly isUnavailable: boolean
  /** Path of the sign-in page. */
  readonly signInPath: string
}

/** Input type of each field, in the order of the form. */
const INPUTS = {
  given_name: { type: 'text', autocomplete: 'given-name', maxlength: 200 },
  family_name: { type: 'text', autocomplete: 'family-name', maxlength: 200 },
  email: { type: 'email', autocomplete: 'email', maxlength: 320 },
  user_name: { type: 'text', autocomplete: 'username', maxlength: 200 },
  password: { type: 'password', autocomplete: 'new-password', maxlength: 1000 },
} as const satisfies Record<RegistrationField, unknown>

const FIELDS = Object.keys(INPUTS) as readonly RegistrationField[]

/** The registration form: `#register-given-name` …, `#register-submit`. Each problem is shown at its field. */
function registerPage(frame: PageFrame, page: RegisterPage): Page {
  const { register, custom } = frame.texts
  const general = page.problems
    .filter(({ field }) => field === undefined)
    .map(({ code }) => register.problems[code])
  const alerts = [
    ...general,
    ...(page.isUnavailable ? [register.unavailable] : []),
    ...(page.problems.length > general.length ? [register.check] : []),
  ]
  // Focuses the first field with a problem.
  const focused =
    FIELDS.find((field) => page.problems.some((problem) => problem.field === field)) ?? FIELDS[0]
  return formPage(frame, {
    title: register.title,
    intro: html`<p class="intro">${register.intro({ application: page.application })}</p>
${ownDescription(custom.registerDescription)}${alerts.length > 0 && html`<p class="alert" role="alert">${alerts.join(' ')}</p>`}`,
    path: PATHS.register,
    attributes: html` novalidate`,
    purpose: 'register',
    browser: page.browser,
    subject: page.requestId,
    fields: html`${FIELDS.map((field) => fieldOf(frame, page, field, field === focused))}${registrationLinks(frame)}<button id="register-submit" type="submit">${register.submit}</button>`,
    after: html`
<p class="also"><a id="register-sign-in" href="${page.signInPath}">${register.signIn}</a></p>`,
  })
}

function fieldOf(frame: PageFrame, page: RegisterPage, field: RegistrationField, focus: boolean) {
  const { register } = frame.texts
  const id = `register-${field.replace('_', '-')}`
  const { type, autocomplete, maxlength } = INPUTS[field]
  const problems = page.problems.filter((problem) => problem.field === field)
  const hint = field === 'password' ? passwordHint(register, page.policy) : undefined
  const described = describedBy(
    hint === undefined ? undefined : `${id}-hint`,
    problems.length > 0 ? `${id}-problem` : undefined,
  )
  const label = register.fields[field]
  const attributes = html`${problems.length > 0 && html` aria-invalid="true"`}${described}${focus && html` autofocus`}`
  const input =
    field === 'password'
      ? passwordField(frame, { id, name: field, label, autocomplete: 'new-password', attributes })
      : html`<input id="${id}" name="${field}" type="${type}" value="${page.values[field]}" dir="auto" autocomplete="${autocomplete}" maxlength="${maxlength}" autocapitalize="${field.endsWith('name') && field !== 'user_name' ? 'words' : 'none'}" required${attributes}>`
  return html`<label for="${id}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${input}
${problems.length > 0 && html`<p class="problem" id="${id}-problem">${problems.map(({ code }) => problemText(register, field, code)).join(' ')}</p>`}
`
}

function problemText(
  { problems, invalidEmail }: PageFrame['texts']['register'],
  field: RegistrationField,
  code: RegistrationProblem['code'],
): string {
  return field === 'email' && code === 'invalid' ? invalidEmail : problems[code]
}
