import { type Html, html } from '@signet/http-server/html'
import type { Throttled } from '../sign-in/throttle.ts'
import { layout, type PageFrame } from './page.ts'
import { throttledText } from './throttled-text.ts'

/** Why the page is shown again. */
export type TotpProblem = 'refused' | 'missing' | 'unavailable'

export interface TotpPage {
  readonly requestId: string
  readonly csrfToken: string
  /** Name of the application that the person returns to. */
  readonly application: string
  /** Where the sign-in begins anew. */
  readonly otherAccountPath: string
  readonly problem?: TotpProblem | Throttled
}

export function totpProblemText(
  texts: PageFrame['texts'],
  problem: TotpProblem | Throttled | undefined,
): string | undefined {
  return typeof problem === 'object' ? throttledText(texts, problem) : problem && texts.totp[problem]
}

/** Asks for the code of an authenticator after the password: `#totp-code`, `#totp-submit`. */
export function totpPage(frame: PageFrame, page: TotpPage): Html {
  const { totp } = frame.texts
  const problem = totpProblemText(frame.texts, page.problem)
  const alert = problem && html`<p class="alert" role="alert" id="totp-problem">${problem}</p>`
  const isInvalid = page.problem === 'refused' || page.problem === 'missing'
  const invalid = isInvalid && html` aria-invalid="true"`
  const describedBy = page.problem ? 'totp-problem totp-advice' : 'totp-advice'
  return layout(frame, {
    title: totp.title,
    content: html`<h1>${totp.title}</h1>
<p class="intro">${totp.intro(page.application)}</p>
<p id="totp-advice">${totp.advice}</p>
${alert}
<form method="post" action="/ui/totp">
<input type="hidden" name="request" value="${page.requestId}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<label for="totp-code">${totp.code}</label>
<input id="totp-code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required autofocus aria-describedby="${describedBy}"${invalid}>
<button id="totp-submit" type="submit">${totp.submit}</button>
</form>
<p class="also"><a id="totp-other" href="${page.otherAccountPath}">${totp.other}</a></p>`,
  })
}
