import { type Html, html } from '@signet/http-server/html'
import type { RegistrationField, RegistrationProblem } from '../registration/registration-problem.ts'
import type { RegistrationPolicy } from '../registration/registration-rules.ts'
import { layout, type PageFrame } from './page.ts'
import { passwordHint } from './password-hint.ts'

export interface RegisterPage {
  readonly requestId: string
  readonly csrfToken: string
  /** Name of the application that the person returns to. */
  readonly application: string
  readonly policy: RegistrationPolicy
  /** What was typed before; never the password. */
  readonly values: Readonly<Partial<Record<RegistrationField, string>>>
  readonly problems: readonly RegistrationProblem[]
  /** The directory is away. */
  readonly isUnavailable: boolean
  /** Where people who have an account sign in. */
  readonly signInPath: string
}

/** How each field is entered; in the order of the form. */
const INPUTS = {
  given_name: { type: 'text', autocomplete: 'given-name', maxlength: 200 },
  family_name: { type: 'text', autocomplete: 'family-name', maxlength: 200 },
  email: { type: 'email', autocomplete: 'email', maxlength: 320 },
  user_name: { type: 'text', autocomplete: 'username', maxlength: 200 },
  password: { type: 'password', autocomplete: 'new-password', maxlength: 1000 },
} as const satisfies Record<RegistrationField, unknown>

const FIELDS = Object.keys(INPUTS) as readonly RegistrationField[]

/** The registration form: `#register-given-name` …, `#register-submit`. Every problem stands at its field. */
export function registerPage(frame: PageFrame, page: RegisterPage): Html {
  const { register } = frame.texts
  const general = page.problems
    .filter(({ field }) => field === undefined)
    .map(({ code }) => register.problems[code])
  const alerts = [
    ...general,
    ...(page.isUnavailable ? [register.unavailable] : []),
    ...(page.problems.length > general.length ? [register.check] : []),
  ]
  // The cursor starts where something is to be done.
  const focused =
    FIELDS.find((field) => page.problems.some((problem) => problem.field === field)) ?? FIELDS[0]
  return layout(frame, {
    title: register.title,
    content: html`<h1>${register.title}</h1>
<p class="intro">${register.intro(page.application)}</p>
${alerts.length > 0 && html`<p class="alert" role="alert">${alerts.join(' ')}</p>`}
<form method="post" action="/ui/register" novalidate>
<input type="hidden" name="request" value="${page.requestId}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
${FIELDS.map((field) => fieldOf(frame, page, field, field === focused))}<button id="register-submit" type="submit">${register.submit}</button>
</form>
<p class="also"><a id="register-sign-in" href="${page.signInPath}">${register.signIn}</a></p>`,
  })
}

function fieldOf(
  { texts: { register } }: PageFrame,
  page: RegisterPage,
  field: RegistrationField,
  focus: boolean,
) {
  const id = `register-${field.replace('_', '-')}`
  const { type, autocomplete, maxlength } = INPUTS[field]
  const problems = page.problems.filter((problem) => problem.field === field)
  const hint = field === 'password' ? passwordHint(register, page.policy) : undefined
  const describedBy = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(problems.length > 0 ? [`${id}-problem`] : []),
  ]
  return html`<label for="${id}">${register.fields[field]}</label>
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
<input id="${id}" name="${field}" type="${type}" value="${field === 'password' ? '' : page.values[field]}" autocomplete="${autocomplete}" maxlength="${maxlength}" autocapitalize="${field.endsWith('name') && field !== 'user_name' ? 'words' : 'none'}" required${problems.length > 0 && html` aria-invalid="true"`}${describedBy.length > 0 && html` aria-describedby="${describedBy.join(' ')}"`}${focus && html` autofocus`}>
${problems.length > 0 && html`<p class="problem" id="${id}-problem">${problems.map(({ code }) => register.problems[code]).join(' ')}</p>`}
`
}
