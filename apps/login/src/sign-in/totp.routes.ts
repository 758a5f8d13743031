import { createFormBodyParser } from '@signet/http/forms'
import { html } from '@signet/http/html'
import { clientAddress, requestId as responseId } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type RequestHandler, type Response, Router } from 'express'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { sendPage } from '../pages/page.ts'
import { continuePath, interactionPath, PATHS, stepPath } from '../pages/paths.ts'
import { orUnavailable } from '../pages/problems.ts'
import type { Browser } from '../sessions/browser.ts'
import type { PasskeySignIn } from './passkey.service.ts'
import type { PasskeyForms } from './passkey-form.page.ts'
import { recoveryCodesPage } from './recovery-codes.page.ts'
import {
  leavePage,
  leavesPage,
  redirectToNextStep,
  reportProblem,
  type SignInPageDependencies,
} from './sign-in-step.page.ts'
import {
  type AcceptedCodes,
  type EnrolmentFlow,
  type EnrolmentOutcome,
  isTotpCode,
  type SecondFactor,
  type SecondFactorFlow,
  type TrustChoice,
} from './totp.service.ts'
import {
  type CodeProblem,
  enrolmentPage,
  type TotpProblem,
  totpPage,
  trustChoice,
} from './totp-page.routes.ts'
import { readTrust } from './trust-form.ts'

const STATUS: Readonly<Record<TotpProblem, number>> = {
  refused: 400,
  'recovery-refused': 400,
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
function createCodeForm(
  purpose: 'totp' | 'enrolment',
  { cookies, events, frames, flow }: SignInPageDependencies,
  verify: (
    requestId: string,
    browser: Browser,
    factor: SecondFactor & TrustChoice,
  ) => Promise<EnrolmentOutcome>,
  show: (res: Response, browser: Browser, requestId: string, problem: CodeProblem) => Promise<void>,
): RequestHandler {
  return async (req, res) => {
    const { requestId, browser, form } = submittedForm(req, cookies, purpose)
    const { code = '' } = form
    if (code.trim() === '') return show(res, browser, requestId, 'missing')
    const factor = {
      ...{ code, clientAddress: clientAddress(req), responseId: responseId(req) },
      ...readTrust(req, form),
    }
    const outcome = await orUnavailable(() => verify(requestId, browser, factor))
    if (leavesPage(outcome)) {
      const recoveryCodes = 'recoveryCodes' in outcome ? outcome.recoveryCodes : undefined
      if (recoveryCodes === undefined) {
        return redirectToNextStep(res, requestId, outcome, { cookies, events })
      }
      const { request, findBranding } = await flow.assess(requestId, browser)
      const next = leavePage(res, requestId, outcome, { cookies, events })
      const frame = frames(req, request.uiLocales, await findBranding())
      const onward = { path: next, text: frame.texts.factors.codesKept }
      return sendPage(res, recoveryCodesPage(frame, recoveryCodes, onward))
    }
    const problem = reportProblem(res, outcome, events)
    const isRecovery = problem === 'refused' && !isTotpCode(code)
    return show(res, browser, requestId, isRecovery ? 'recovery-refused' : problem)
  }
}

interface TotpRouteDependencies extends SignInPageDependencies {
  readonly secondFactor: SecondFactorFlow
  readonly enrolment: Pick<EnrolmentFlow, 'isNext'>
  readonly passkeySignIn: Pick<PasskeySignIn, 'secondFactors'>
  /** Undefined: there are no passkeys. */
  readonly passkeyForms: PasskeyForms | undefined
}

/** Shows the page of a step, with a problem after a failed attempt. */
export type ShowStep = (
  res: Response,
  browser: Browser,
  requestId: string,
  problem?: CodeProblem,
) => Promise<void>

const TOTP_ONLY: AcceptedCodes = { totp: true, recoveryCode: false, trustSeconds: 0 }

/** The page that asks for a second factor: for a code, for a passkey, or for either. */
export function createTotpPageSender(
  dependencies: Omit<TotpRouteDependencies, 'enrolment' | 'events' | 'cookies'>,
): ShowStep {
  const { flow, secondFactor, passkeySignIn, passkeyForms, frames } = dependencies
  return async (res, browser, requestId, problem) => {
    const { redirect, request, findBranding } = await flow.assess(requestId, browser)
    const frame = frames(res.req, request.uiLocales, await findBranding())
    // Without the directory the page still asks for the code again.
    const isUnavailable = problem === 'unavailable'
    const passkeys = isUnavailable ? [] : ((await passkeySignIn.secondFactors(requestId, browser)) ?? [])
    const accepts = isUnavailable ? TOTP_ONLY : await secondFactor.accepted(requestId, browser)
    const page = {
      requestId,
      browser,
      application: redirect.client.name,
      otherAccountPath: interactionPath('sign-in', requestId),
      accepts,
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
      isSecondary: page.accepts.totp,
      // One check box on the page: with a form for codes, its script sends the one of that form.
      fields: page.accepts.totp
        ? html`<input name="trust" type="hidden" value="" data-copies="totp-trust">`
        : (trustChoice(frame, accepts.trustSeconds, 'passkey') ?? html``),
      passkeys,
    })
    passkeyForms.send(res, frame, (script) => totpPage(frame, page, html`${form}${script}`), { status })
  }
}

/** RFC 6238: the second factor of an account that has one, between the password and the session. */
export function totpRoute(dependencies: TotpRouteDependencies): Router {
  const { secondFactor, enrolment, cookies } = dependencies
  const show = createTotpPageSender(dependencies)
  return Router()
    .get(PATHS.totp, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      if (await secondFactor.isNext(requestId, browser)) return show(res, browser, requestId)
      if (await enrolment.isNext(requestId, browser))
        return res.redirect(303, stepPath('enrolment', requestId))
      res.redirect(303, continuePath(requestId))
    })
    .post(
      PATHS.totp,
      noStore,
      createFormBodyParser(),
      createCodeForm('totp', dependencies, secondFactor.signIn, show),
    )
}

interface EnrolmentRouteDependencies extends SignInPageDependencies {
  readonly enrolment: EnrolmentFlow
  readonly passkeySignIn: Pick<PasskeySignIn, 'newSecondFactor'>
  /** Undefined: there are no passkeys. */
  readonly passkeyForms: PasskeyForms | undefined
}

/** The page on which a user without a second factor adds one: a secret for codes, or a passkey. */
export function createEnrolmentPageSender(
  dependencies: Omit<EnrolmentRouteDependencies, 'events' | 'cookies'>,
): ShowStep {
  const { flow, enrolment, passkeySignIn, passkeyForms, frames } = dependencies
  return async (res, browser, requestId, problem) => {
    const { redirect, request, findBranding } = await flow.assess(requestId, browser)
    const secret = await enrolment.show(requestId, browser)
    if (secret === undefined) return res.redirect(303, continuePath(requestId))
    const frame = frames(res.req, request.uiLocales, await findBranding())
    const page = {
      requestId,
      browser,
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
  const show = createEnrolmentPageSender(dependencies)
  return Router()
    .get(PATHS.enrolment, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      await show(res, browser, requestId)
    })
    .post(
      PATHS.enrolment,
      noStore,
      createFormBodyParser(),
      createCodeForm('enrolment', dependencies, enrolment.confirm, show),
    )
}
