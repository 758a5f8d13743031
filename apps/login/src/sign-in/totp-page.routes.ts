import { type Html, html } from '@signet/http/html'
import { layout, type Page, type PageFrame } from '../pages/page.ts'
import { throttledText } from '../pages/problems.ts'
import type { Throttled } from './throttle.ts'
import type { AcceptedCodes, NewSecret } from './totp.service.ts'
import { totpSecret } from './totp-secret.page.ts'

/** Why the page is shown again. */
export type TotpProblem = 'refused' | 'recovery-refused' | 'missing' | 'unavailable' | PasskeyProblem
type PasskeyProblem = 'passkey-refused' | 'passkey-expired'

export type CodeProblem = TotpProblem | Throttled

interface TotpPage {
  readonly requestId: string
  readonly csrfToken: string
  /** Name of the application to which the user returns. */
  readonly application: string
  /** Path of the page that starts the sign-in again. */
  readonly otherAccountPath: string
  readonly problem?: CodeProblem
}

/** The alert of a page, and the attributes of its input that refer to it. */
function alertOf(texts: PageFrame['texts'], problem: CodeProblem | undefined, prefix: 'totp' | 'enrolment') {
  const text = problem && problemText(texts, problem)
  const isInvalid = problem === 'refused' || problem === 'missing'
  const describedBy = problem ? `${prefix}-problem ${prefix}-advice` : `${prefix}-advice`
  return {
    alert: text && html`<p class="alert" role="alert" id="${prefix}-problem">${text}</p>`,
    attributes: html` aria-describedby="${describedBy}"${isInvalid && html` aria-invalid="true"`}`,
  }
}

function problemText(texts: PageFrame['texts'], problem: CodeProblem): string {
  if (typeof problem === 'object') return throttledText(texts, problem)
  if (problem === 'passkey-refused') return texts.passkey.refused
  if (problem === 'recovery-refused') return texts.totp.recoveryRefused
  return problem === 'passkey-expired' ? texts.passkey.expired : texts.totp[problem]
}

/** Asks for the code of an authenticator after the password: `#totp-code`, `#totp-submit`; `#recovery-code` for another one. */
export function totpPage(
  frame: PageFrame,
  page: TotpPage & { readonly accepts: AcceptedCodes },
  passkeys?: Html,
): Page {
  const { texts } = frame
  const { totp, passkey } = texts
  const { accepts } = page
  const { alert, attributes } = alertOf(texts, page.problem, 'totp')
  return layout(frame, {
    title: totp.title,
    content: html`<h1>${totp.title}</h1>
<p class="intro">${totp.intro({ application: page.application })}</p>
<p id="totp-advice">${accepts.totp ? totp.advice : passkeys === undefined ? (accepts.recoveryCode ? totp.stoppedWithCodes : totp.stopped) : passkey.only}</p>
${alert}
${
  accepts.totp &&
  html`<form method="post" action="/ui/totp">
${codeInput(totp, page, 'totp', attributes, trustChoice(frame, accepts.trustSeconds, 'totp'))}
</form>
`
}${passkeys}${accepts.recoveryCode && recoveryForm(texts, page)}
<p class="also"><a id="totp-other" href="${page.otherAccountPath}">${totp.other}</a></p>`,
  })
}

/** Asks whether this browser is trusted: `#totp-trust` or `#passkey-trust`. Nothing where that is not offered. */
export function trustChoice(
  { texts }: PageFrame,
  seconds: number,
  prefix: 'totp' | 'passkey',
): Html | undefined {
  if (seconds === 0) return undefined
  const text = texts.totp.trust({ duration: durationText(texts.language, seconds) })
  return html`<label class="choice" for="${prefix}-trust"><input id="${prefix}-trust" name="trust" type="checkbox" value="yes"> <span>${text}</span></label>
`
}

/** In the largest unit that is whole after rounding down: `30 days`. */
function durationText(language: string, seconds: number): string {
  const units = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
  ] as const
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? ['second', 1]
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(Math.floor(seconds / size))
}

function recoveryForm(texts: PageFrame['texts'], { requestId, csrfToken, problem }: TotpPage): Html {
  const { totp } = texts
  const isRefused = problem === 'recovery-refused'
  return html`
<details${isRefused && html` open`}>
<summary id="recovery-show">${totp.recovery}</summary>
<form method="post" action="/ui/totp">
<input type="hidden" name="request" value="${requestId}">
<input type="hidden" name="csrf" value="${csrfToken}">
<label for="recovery-code">${totp.recoveryCode}</label>
<input id="recovery-code" name="code" type="text" dir="ltr" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="60" required${isRefused && html` aria-describedby="totp-problem" aria-invalid="true"`}>
<button class="second" id="recovery-submit" type="submit">${totp.submit}</button>
</form>
</details>`
}

function codeInput(
  { code, submit }: { readonly code: string; readonly submit: string },
  page: TotpPage,
  prefix: string,
  attributes: Html,
  choice?: Html,
): Html {
  return html`<input type="hidden" name="request" value="${page.requestId}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<label for="${prefix}-code">${code}</label>
<input id="${prefix}-code" name="code" type="text" dir="ltr" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required autofocus${attributes}>
${choice}<button id="${prefix}-submit" type="submit">${submit}</button>`
}

/** Shows the secret of a second factor and asks for its first code: `#enrolment-secret`, `#enrolment-code`. */
export function enrolmentPage(
  frame: PageFrame,
  page: TotpPage & { readonly secret: NewSecret },
  passkeys?: Html,
): Page {
  const { enrolment, totp, custom } = frame.texts
  const inputTexts = { code: custom.enrolmentCode, submit: custom.enrolmentSubmit }
  const { alert, attributes } = alertOf(frame.texts, page.problem, 'enrolment')
  return layout(frame, {
    title: enrolment.title,
    content: html`<h1>${enrolment.title}</h1>
<p class="intro">${enrolment.intro({ application: page.application })}</p>
<p id="enrolment-advice">${enrolment.advice}</p>
${alert}
${totpSecret(frame.texts, page.secret)}<form method="post" action="/ui/totp/new">
${codeInput(inputTexts, page, 'enrolment', attributes)}
</form>
${passkeys}
<p class="also"><a id="enrolment-other" href="${page.otherAccountPath}">${totp.other}</a></p>`,
  })
}
