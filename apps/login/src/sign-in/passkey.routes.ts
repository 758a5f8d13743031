// The responses of authenticators during a sign-in, and new challenges for pages that are open for long.

import { createFormBodyParser, queryParameters } from '@signet/http/forms'
import { html } from '@signet/http/html'
import { clientAddress, requestId as responseId } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import type { PasskeyParty } from '@signet/platform/config/passkey-settings'
import { InvalidRequestError } from '@signet/protocol/errors'
import { type RequestHandler, type Response, Router } from 'express'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { PATHS } from '../pages/paths.ts'
import { orUnavailable } from '../pages/problems.ts'
import type { Browser, FormPurpose } from '../sessions/browser.ts'
import type { PasskeySignIn } from './passkey.service.ts'
import { PASSKEY_PURPOSES, type PasskeyChallenges } from './passkey-challenge.ts'
import type { PasskeyForms } from './passkey-form.page.ts'
import type { SendWithPasskey, ShowLogin } from './password.routes.ts'
import {
  leavesPage,
  redirectToNextStep,
  reportProblem,
  type SignInPageDependencies,
} from './sign-in-step.page.ts'
import type { ShowStep } from './totp.routes.ts'
import { readTrust } from './trust-form.ts'

interface PasskeyRouteDependencies extends SignInPageDependencies {
  readonly passkeySignIn: PasskeySignIn
  readonly challenges: Pick<PasskeyChallenges, 'issue'>
  readonly party: PasskeyParty
  /** The pages that are shown again after a failure. */
  readonly showLogin: ShowLogin
  readonly showSecondFactor: ShowStep
  readonly showEnrolment: ShowStep
}

type Problem = 'refused' | 'expired' | 'forbidden' | 'unavailable'

/** Every failed response gets the same page, whether the passkey is known or not. */
export function passkeyRoute(dependencies: PasskeyRouteDependencies): Router {
  const { passkeySignIn, challenges, party, cookies, events } = dependencies
  const { showLogin, showSecondFactor, showEnrolment } = dependencies

  function step(
    purpose: FormPurpose,
    prove: PasskeySignIn['signIn'],
    show: (res: Response, browser: Browser, requestId: string, problem: Problem) => Promise<void>,
  ): RequestHandler {
    return async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, purpose)
      const factor = {
        response: form.response ?? '',
        clientAddress: clientAddress(req),
        responseId: responseId(req),
        ...readTrust(req, form),
      }
      const outcome = await orUnavailable(() => prove(requestId, browser, factor))
      if (leavesPage(outcome)) return redirectToNextStep(res, requestId, outcome, { cookies, events })
      return show(res, browser, requestId, reportProblem(res, outcome as ShownOutcome, events) as Problem)
    }
  }

  const onStep = (show: ShowStep) => (res: Response, browser: Browser, requestId: string, problem: Problem) =>
    show(res, browser, requestId, stepProblem(problem))

  const router = Router()
    .post(
      PATHS.passkey,
      noStore,
      createFormBodyParser(),
      step('passkey', passkeySignIn.signIn, (res, browser, requestId, problem) =>
        showLogin(res, browser, requestId, { loginName: '', problem: loginProblem(problem) }),
      ),
    )
    .post(
      PATHS.passkeyFactor,
      noStore,
      createFormBodyParser(),
      step('passkey-factor', passkeySignIn.proveSecondFactor, onStep(showSecondFactor)),
    )
    .post(
      PATHS.passkeyEnrolment,
      noStore,
      createFormBodyParser(),
      step('passkey-enrolment', passkeySignIn.addSecondFactor, onStep(showEnrolment)),
    )
    .get(PATHS.passkeyChallenge, noStore, (req, res) => {
      const { requestId: subject, browser } = openedPage(req, cookies)
      const { for: wanted } = queryParameters(req)
      const purpose = PASSKEY_PURPOSES.find((known) => known === wanted)
      if (purpose === undefined) {
        throw new InvalidRequestError(`for must be one of ${PASSKEY_PURPOSES.join(', ')}`, {
          reason: 'passkey_purpose_unknown',
        })
      }
      res.json({ challenge: challenges.issue({ purpose, browser, subject }) })
    })
  if (party.relatedOrigins.length === 0) return router
  // WebAuthn Level 3 section 5.11.
  return router.get(PATHS.relatedOrigins, (_req, res) => {
    res.setHeader('Cache-Control', 'public, max-age=3600')
    res.json({ origins: [party.origin, ...party.relatedOrigins] })
  })
}

type ShownOutcome = { readonly kind: Problem }

function loginProblem(problem: Problem) {
  if (problem === 'unavailable') return problem
  return `passkey-${problem}` as const
}

function stepProblem(problem: Problem) {
  if (problem === 'unavailable') return problem
  return problem === 'expired' ? 'passkey-expired' : 'passkey-refused'
}

/** Creates the sender of the sign-in page, whose field of the login name suggests passkeys too. */
export function createPasskeySignInSender(forms: Pick<PasskeyForms, 'get' | 'send'>): SendWithPasskey {
  return (res, frame, { requestId, browser, html: page, status }) => {
    const form = forms.get(frame, {
      use: { purpose: 'sign-in', browser, subject: requestId },
      action: PATHS.passkey,
      formPurpose: 'passkey',
      submitId: 'passkey-submit',
      submit: frame.texts.passkey.signIn,
      isSecondary: true,
      isAutofill: true,
    })
    forms.send(res, frame, (script) => page(html`${form}${script}`), { status })
  }
}
