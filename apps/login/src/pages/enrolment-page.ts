import { type Html, html } from '@signet/http-server/html'
import type { NewSecret } from '../sign-in/enrolment.ts'
import type { Throttled } from '../sign-in/throttle.ts'
import { layout, type PageFrame } from './page.ts'
import { type TotpProblem, totpProblemText } from './totp-page.ts'

export interface EnrolmentPage {
  readonly requestId: string
  readonly csrfToken: string
  /** Name of the application that the person returns to. */
  readonly application: string
  readonly secret: NewSecret
  /** Where the sign-in begins anew. */
  readonly otherAccountPath: string
  readonly problem?: TotpProblem | Throttled
}

/** Shows the secret of a second factor and asks for its first code: `#enrolment-secret`, `#enrolment-code`. */
export function enrolmentPage(frame: PageFrame, page: EnrolmentPage): Html {
  const { enrolment, totp } = frame.texts
  const problem = totpProblemText(frame.texts, page.problem)
  const alert = problem && html`<p class="alert" role="alert" id="enrolment-problem">${problem}</p>`
  const isInvalid = page.problem === 'refused' || page.problem === 'missing'
  const invalid = isInvalid && html` aria-invalid="true"`
  const describedBy = page.problem ? 'enrolment-problem enrolment-advice' : 'enrolment-advice'
  return layout(frame, {
    title: enrolment.title,
    content: html`<h1>${enrolment.title}</h1>
<p class="intro">${enrolment.intro(page.application)}</p>
<p id="enrolment-advice">${enrolment.advice}</p>
${alert}
<p id="enrolment-key">${enrolment.key}</p>
<p class="secret"><code id="enrolment-secret" aria-labelledby="enrolment-key">${inGroups(page.secret.secret)}</code></p>
<p class="also"><a id="enrolment-link" href="${page.secret.uri}">${enrolment.open}</a></p>
<form method="post" action="/ui/totp/new">
<input type="hidden" name="request" value="${page.requestId}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<label for="enrolment-code">${totp.code}</label>
<input id="enrolment-code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required autofocus aria-describedby="${describedBy}"${invalid}>
<button id="enrolment-submit" type="submit">${totp.submit}</button>
</form>
<p class="also"><a id="enrolment-other" href="${page.otherAccountPath}">${totp.other}</a></p>`,
  })
}

/** Easier to type; authenticator apps ignore the spaces. */
const inGroups = (secret: string): string => secret.replaceAll(/(.{4})(?=.)/g, '$1 ')
