import { clientAddress } from '@signet/http/client-address'
import { formBody } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import { noStore } from '@signet/http/response-headers'
import { type RequestHandler, type Response, Router } from 'express'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { layout, type PageFrame, sendPage } from '../pages/page.ts'
import { continuePath, interactionPath, PATHS, stepPath } from '../pages/paths.ts'
import {
  leavesPage,
  orUnavailable,
  redirectToNextStep,
  reportProblem,
  type SignInPageDependencies,
  throttledText,
} from '../pages/sign-in-step.ts'
import { type Browser, formToken } from '../sessions/browser.ts'
import type { PasskeySignIn } from './passkeys/passkey.service.ts'
import type { Throttled } from './throttle.ts'
import type {
  EnrolmentFlow,
  NewSecret,
  SecondFactor,
  SecondFactorFlow,
  SecondFactorOutcome,
} from './totp.service.ts'

export type CodeProblem = TotpProblem | Throttled

const STATUS: Readonly<Record<TotpProblem, number>> = {
  refused: 400,
  missing: 400,
  unavailable: 503,
  'passkey-refused': 400,
  'passkey-expired': 400,
}

function statusOf(problem: CodeProblem | undefined): number {
  if (problem === undefined) return 200
  return typeof problem === 'object' ? 429 : STATUS[problem]
}

/** Handles the form of a page that asks for a code. `show` sends the page again with a problem. */
function codeForm(
  purpose: 'totp' | 'enrolment',
  { cookies, events }: SignInPageDependencies,
  verify: (requestId: string, browser: Browser, factor: SecondFactor) => Promise<SecondFactorOutcome>,
  show: (res: Response, browser: Browser, requestId: string, problem: CodeProblem) => Promise<void>,
): RequestHandler {
  return async (req, res) => {
    const { requestId, browser, form } = submittedForm(req, cookies, purpose)
    const { code = '' } = form
    if (code.trim() === '') return show(res, browser, requestId, 'missing')
    const factor = { code, clientAddress: clientAddress(req) }
    const outcome = await orUnavailable(() => verify(requestId, browser, factor))
    if (leavesPage(outcome)) return redirectToNextStep(res, requestId, outcome, { cookies, events })
    return show(res, browser, requestId, reportProblem(res, outcome, events))
  }
}

interface TotpRouteDependencies extends SignInPageDependencies {
  readonly secondFactor: SecondFactorFlow
  readonly enrolment: Pick<EnrolmentFlow, 'isNext'>
  readonly passkeySignIn: Pick<PasskeySignIn, 'secondFactors'>
}

/** Shows the page of a step, with a problem after a failed attempt. */
export type ShowStep = (
  res: Response,
  browser: Browser,
  requestId: string,
  problem?: CodeProblem,
) => Promise<void>

/** The page that asks for a second factor: for a code, for a passkey, or for either. */
export function totpPageSender(
  dependencies: Omit<TotpRouteDependencies, 'enrolment' | 'events' | 'cookies'>,
): ShowStep {
  const { flow, secondFactor, passkeySignIn, passkeyForms, frames } = dependencies
  return async (res, browser, requestId, problem) => {
    const { redirect, request } = await flow.assess(requestId, browser)
    const frame = frames(res.req, request.uiLocales)
    // Without the directory the page still asks for the code again.
    const isUnavailable = problem === 'unavailable'
    const passkeys = isUnavailable ? [] : ((await passkeySignIn.secondFactors(requestId, browser)) ?? [])
    const page = {
      requestId,
      csrfToken: formToken(browser, 'totp', requestId),
      application: redirect.client.name,
      otherAccountPath: interactionPath('sign-in', requestId),
      acceptsCode: passkeys.length === 0 || (await secondFactor.acceptsCode(requestId, browser)),
      ...(problem && { problem }),
    }
    const status = statusOf(problem)
    if (passkeyForms === undefined || passkeys.length === 0) {
      return sendPage(res, totpPage(frame, page), { status })
    }
    const form = passkeyForms.get(frame, {
      use: { purpose: 'second-factor', browser, subject: requestId },
      action: PATHS.passkeyFactor,
      formPurpose: 'passkey-factor',
      submitId: 'totp-passkey',
      submit: frame.texts.passkey.use,
      isSecondary: page.acceptsCode,
      passkeys,
    })
    passkeyForms.send(res, frame, (script) => totpPage(frame, page, html`${form}${script}`), { status })
  }
}

/** RFC 6238: the second factor of an account that has one, between the password and the session. */
export function totpRoute(dependencies: TotpRouteDependencies): Router {
  const { secondFactor, enrolment, cookies } = dependencies
  const show = totpPageSender(dependencies)
  return Router()
    .get(PATHS.totp, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      if (await secondFactor.isNext(requestId, browser)) return show(res, browser, requestId)
      if (await enrolment.isNext(requestId, browser))
        return res.redirect(303, stepPath('enrolment', requestId))
      res.redirect(303, continuePath(requestId))
    })
    .post(PATHS.totp, noStore, formBody(), codeForm('totp', dependencies, secondFactor.signIn, show))
}

interface EnrolmentRouteDependencies extends SignInPageDependencies {
  readonly enrolment: EnrolmentFlow
  readonly passkeySignIn: Pick<PasskeySignIn, 'newSecondFactor'>
}

/** The page on which a user without a second factor adds one: a secret for codes, or a passkey. */
export function enrolmentPageSender(
  dependencies: Omit<EnrolmentRouteDependencies, 'events' | 'cookies'>,
): ShowStep {
  const { flow, enrolment, passkeySignIn, passkeyForms, frames } = dependencies
  return async (res, browser, requestId, problem) => {
    const { redirect, request } = await flow.assess(requestId, browser)
    const secret = await enrolment.show(requestId, browser)
    if (secret === undefined) return res.redirect(303, continuePath(requestId))
    const frame = frames(res.req, request.uiLocales)
    const page = {
      requestId,
      csrfToken: formToken(browser, 'enrolment', requestId),
      application: redirect.client.name,
      secret,
      otherAccountPath: interactionPath('sign-in', requestId),
      ...(problem && { problem }),
    }
    const status = statusOf(problem)
    const person = passkeyForms && (await passkeySignIn.newSecondFactor(requestId, browser))
    if (passkeyForms === undefined || person === undefined) {
      return sendPage(res, enrolmentPage(frame, page), { status })
    }
    const form = passkeyForms.create(frame, {
      use: { purpose: 'enrolment', browser, subject: requestId },
      action: PATHS.passkeyEnrolment,
      formPurpose: 'passkey-enrolment',
      submitId: 'enrolment-passkey',
      submit: frame.texts.passkey.add,
      isSecondary: true,
      person,
    })
    passkeyForms.send(res, frame, (script) => enrolmentPage(frame, page, html`${form}${script}`), { status })
  }
}

/** Adds a second factor to an account that has none, where a policy or the request demands one. */
export function enrolmentRoute(dependencies: EnrolmentRouteDependencies): Router {
  const { enrolment, cookies } = dependencies
  const show = enrolmentPageSender(dependencies)
  return Router()
    .get(PATHS.enrolment, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      await show(res, browser, requestId)
    })
    .post(PATHS.enrolment, noStore, formBody(), codeForm('enrolment', dependencies, enrolment.confirm, show))
}

/** Why the page is shown again. */
type TotpProblem = 'refused' | 'missing' | 'unavailable' | PasskeyProblem
type PasskeyProblem = 'passkey-refused' | 'passkey-expired'

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
  return problem === 'passkey-expired' ? texts.passkey.expired : texts.totp[problem]
}

/** Asks for the code of an authenticator after the password: `#totp-code`, `#totp-submit`. */
function totpPage(
  frame: PageFrame,
  page: TotpPage & { readonly acceptsCode: boolean },
  passkeys?: Html,
): Html {
  const { totp, passkey } = frame.texts
  const { alert, attributes } = alertOf(frame.texts, page.problem, 'totp')
  return layout(frame, {
    title: totp.title,
    content: html`<h1>${totp.title}</h1>
<p class="intro">${totp.intro(page.application)}</p>
<p id="totp-advice">${page.acceptsCode ? totp.advice : passkey.only}</p>
${alert}
${
  page.acceptsCode &&
  html`<form method="post" action="/ui/totp">
${codeInput(frame.texts, page, 'totp', attributes)}
</form>
`
}${passkeys}
<p class="also"><a id="totp-other" href="${page.otherAccountPath}">${totp.other}</a></p>`,
  })
}

function codeInput({ totp }: PageFrame['texts'], page: TotpPage, prefix: string, attributes: Html): Html {
  return html`<input type="hidden" name="request" value="${page.requestId}">
<input type="hidden" name="csrf" value="${page.csrfToken}">
<label for="${prefix}-code">${totp.code}</label>
<input id="${prefix}-code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required autofocus${attributes}>
<button id="${prefix}-submit" type="submit">${totp.submit}</button>`
}

interface EnrolmentPage extends TotpPage {
  readonly secret: NewSecret
}

/** Shows the secret of a second factor and asks for its first code: `#enrolment-secret`, `#enrolment-code`. */
function enrolmentPage(frame: PageFrame, page: EnrolmentPage, passkeys?: Html): Html {
  const { enrolment, totp } = frame.texts
  const { alert, attributes } = alertOf(frame.texts, page.problem, 'enrolment')
  return layout(frame, {
    title: enrolment.title,
    content: html`<h1>${enrolment.title}</h1>
<p class="intro">${enrolment.intro(page.application)}</p>
<p id="enrolment-advice">${enrolment.advice}</p>
${alert}
<p id="enrolment-key">${enrolment.key}</p>
<p class="secret"><code id="enrolment-secret" aria-labelledby="enrolment-key">${inBlocksOfFour(page.secret.secret)}</code></p>
<p class="also"><a id="enrolment-link" href="${page.secret.uri}">${enrolment.open}</a></p>
<form method="post" action="/ui/totp/new">
${codeInput(frame.texts, page, 'enrolment', attributes)}
</form>
${passkeys}
<p class="also"><a id="enrolment-other" href="${page.otherAccountPath}">${totp.other}</a></p>`,
  })
}

/** Easier to type; authenticator apps ignore the spaces. */
const inBlocksOfFour = (secret: string): string => secret.replaceAll(/(.{4})(?=.)/g, '$1 ')
