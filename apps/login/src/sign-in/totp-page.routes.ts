import { type Html, html } from '@signet/http/html'
import { describedBy, type FormProblem, formPage, formProblem, pageForm } from '../pages/form-page.ts'
import { layout, type Page, type PageFrame } from '../pages/page.ts'
import { PATHS } from '../pages/paths.ts'
import { throttledText } from '../pages/problems.ts'
import type { Browser } from '../sessions/browser.ts'
import type { Throttled } from './throttle.ts'
import type { AcceptedCodes, NewSecret } from './totp.service.ts'
import { totpSecret } from './totp-secret.page.ts'

/** Reason for showing the page again. */
export type TotpProblem = 'refused' | 'recovery-refused' | 'missing' | 'unavailable' | PasskeyProblem
type PasskeyProblem = 'passkey-refused' | 'passkey-expired'

export type CodeProblem = TotpProblem | Throttled

interface TotpPage {
  readonly requestId: string
  readonly browser: Browser
  /** Name of the application to which the user returns. */
  readonly application: string
  /** Path of the page that starts the sign-in again. */
  readonly otherAccountPath: string
  readonly problem?: CodeProblem
}

const useOf = ({ browser, requestId: subject }: TotpPage, path: string, purpose: 'totp' | 'enrolment') => ({
  ...{ path, purpose, browser, subject },
})

/** The alert of a page, and the attributes of its input that refer to it. */
function alertOf(texts: PageFrame['texts'], problem: CodeProblem | undefined, prefix: 'totp' | 'enrolment') {
  const shown = formProblem(`${prefix}-problem`, problem && problemText(texts, problem))
  const isInvalid = problem === 'refused' || problem === 'missing'
  return {
    problem: shown,
    attributes: html`${describedBy(shown.id, `${prefix}-advice`)}${isInvalid && shown.invalid}`,
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
  const { problem, attributes } = alertOf(texts, page.problem, 'totp')
  return layout(frame, {
    title: totp.title,
    content: html`<h1>${totp.title}</h1>
<p class="intro">${totp.intro({ application: page.application })}</p>
<p id="totp-advice">${accepts.totp ? totp.advice : passkeys === undefined ? (accepts.recoveryCode ? totp.stoppedWithCodes : totp.stopped) : passkey.only}</p>
${problem.alert}
${
  accepts.totp &&
  html`${pageForm(
    useOf(page, PATHS.totp, 'totp'),
    codeInput(totp, 'totp', attributes, trustChoice(frame, accepts.trustSeconds, 'totp')),
  )}
`
}${passkeys}${accepts.recoveryCode && recoveryForm(texts, page, problem)}
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

/** Returns the duration in the largest unit that is whole after rounding down: `30 days`. */
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

function recoveryForm(texts: PageFrame['texts'], page: TotpPage, { id, invalid }: FormProblem): Html {
  const { totp } = texts
  const isRefused = page.problem === 'recovery-refused'
  return html`
<details${isRefused && html` open`}>
<summary id="recovery-show">${totp.recovery}</summary>
${pageForm(
  useOf(page, PATHS.totp, 'totp'),
  html`<label for="recovery-code">${totp.recoveryCode}</label>
<input id="recovery-code" name="code" type="text" dir="ltr" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="60" required${isRefused && html`${describedBy(id)}${invalid}`}>
<button class="second" id="recovery-submit" type="submit">${totp.submit}</button>`,
)}
</details>`
}

function codeInput(
  { code, submit }: { readonly code: string; readonly submit: string },
  prefix: string,
  attributes: Html,
  choice?: Html,
): Html {
  return html`<label for="${prefix}-code">${code}</label>
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
  const { problem, attributes } = alertOf(frame.texts, page.problem, 'enrolment')
  return formPage(frame, {
    title: enrolment.title,
    intro: html`<p class="intro">${enrolment.intro({ application: page.application })}</p>
<p id="enrolment-advice">${enrolment.advice}</p>
`,
    problem,
    before: totpSecret(frame.texts, page.secret),
    ...useOf(page, PATHS.enrolment, 'enrolment'),
    fields: codeInput(inputTexts, 'enrolment', attributes),
    after: html`
${passkeys}
<p class="also"><a id="enrolment-other" href="${page.otherAccountPath}">${totp.other}</a></p>`,
  })
}
