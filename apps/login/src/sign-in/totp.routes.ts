import { clientAddress } from '@signet/http-server/client-address'
import { formBody } from '@signet/http-server/form-body'
import { type Html, html } from '@signet/http-server/html'
import { noStore } from '@signet/http-server/response-headers'
import { type Response, Router } from 'express'
import type { AuthorizationFlow } from '../authorize/authorize.service.ts'
import type { LoginEvents } from '../events.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { layout, type PageFrame, type PageFrames, sendPage } from '../pages/page.ts'
import { continuePath, interactionPath, PATHS, stepPath } from '../pages/paths.ts'
import { orUnavailable, throttledText } from '../pages/sign-in-step.ts'
import { type Browser, formToken } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { Throttled } from './throttle.ts'
import type { EnrolmentFlow, NewSecret, SecondFactorFlow } from './totp.service.ts'

interface TotpRouteDependencies {
  readonly flow: Pick<AuthorizationFlow, 'look'>
  readonly secondFactor: SecondFactorFlow
  readonly enrolment: Pick<EnrolmentFlow, 'isNext'>
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
  readonly events: LoginEvents
}

const STATUS: Readonly<Record<TotpProblem, number>> = { refused: 400, missing: 400, unavailable: 503 }

function totpStatus(problem: TotpProblem | Throttled | undefined): number {
  if (problem === undefined) return 200
  return typeof problem === 'object' ? 429 : STATUS[problem]
}

/** RFC 6238: the second factor of an account that has one, between the password and the session. */
export function totpRoute({
  flow,
  secondFactor,
  enrolment,
  cookies,
  frames,
  events,
}: TotpRouteDependencies): Router {
  async function show(res: Response, browser: Browser, requestId: string, problem?: TotpProblem | Throttled) {
    const { redirect, request } = await flow.look(requestId, browser)
    const page = totpPage(frames(res.req, request.uiLocales), {
      requestId,
      csrfToken: formToken(browser, 'totp', requestId),
      application: redirect.client.name,
      otherAccountPath: interactionPath('sign-in', requestId),
      ...(problem && { problem }),
    })
    sendPage(res, page, { status: totpStatus(problem) })
  }

  return Router()
    .get(PATHS.totp, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      if (await secondFactor.isNext(requestId, browser)) return show(res, browser, requestId)
      if (await enrolment.isNext(requestId, browser))
        return res.redirect(303, stepPath('enrolment', requestId))
      res.redirect(303, continuePath(requestId))
    })
    .post(PATHS.totp, noStore, formBody(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'totp')
      const { code = '' } = form
      if (code.trim() === '') return show(res, browser, requestId, 'missing')
      const factor = { code, clientAddress: clientAddress(req) }
      const outcome = await orUnavailable(() => secondFactor.signIn(requestId, browser, factor))
      switch (outcome.kind) {
        case 'signed-in':
          events.signedIn(req, outcome)
          cookies.setSignedIn(res, outcome)
          return res.redirect(303, continuePath(requestId))
        case 'next-step':
          return res.redirect(303, stepPath(outcome.step, requestId))
        case 'password-first':
          return res.redirect(303, continuePath(requestId))
        case 'throttled':
          events.signInRefused(req)
          res.setHeader('Retry-After', outcome.retryAfterSeconds)
          return show(res, browser, requestId, outcome)
        case 'refused':
          events.signInRefused(req)
          return show(res, browser, requestId, 'refused')
        case 'unavailable':
          return show(res, browser, requestId, 'unavailable')
      }
    })
}

interface EnrolmentRouteDependencies {
  readonly flow: Pick<AuthorizationFlow, 'look'>
  readonly enrolment: EnrolmentFlow
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
  readonly events: LoginEvents
}

/** Adds a second factor to an account that has none, where a policy or the request demands one. */
export function enrolmentRoute({
  flow,
  enrolment,
  cookies,
  frames,
  events,
}: EnrolmentRouteDependencies): Router {
  async function show(res: Response, browser: Browser, requestId: string, problem?: TotpProblem | Throttled) {
    const { redirect, request } = await flow.look(requestId, browser)
    const secret = await enrolment.show(requestId, browser)
    if (secret === undefined) return res.redirect(303, continuePath(requestId))
    const page = enrolmentPage(frames(res.req, request.uiLocales), {
      requestId,
      csrfToken: formToken(browser, 'enrolment', requestId),
      application: redirect.client.name,
      secret,
      otherAccountPath: interactionPath('sign-in', requestId),
      ...(problem && { problem }),
    })
    sendPage(res, page, { status: totpStatus(problem) })
  }

  return Router()
    .get(PATHS.enrolment, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      await show(res, browser, requestId)
    })
    .post(PATHS.enrolment, noStore, formBody(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'enrolment')
      const { code = '' } = form
      if (code.trim() === '') return show(res, browser, requestId, 'missing')
      const factor = { code, clientAddress: clientAddress(req) }
      const outcome = await orUnavailable(() => enrolment.confirm(requestId, browser, factor))
      switch (outcome.kind) {
        case 'signed-in':
          events.signedIn(req, outcome)
          cookies.setSignedIn(res, outcome)
          return res.redirect(303, continuePath(requestId))
        case 'next-step':
          return res.redirect(303, stepPath(outcome.step, requestId))
        case 'password-first':
          return res.redirect(303, continuePath(requestId))
        case 'throttled':
          events.signInRefused(req)
          res.setHeader('Retry-After', outcome.retryAfterSeconds)
          return show(res, browser, requestId, outcome)
        case 'refused':
          events.signInRefused(req)
          return show(res, browser, requestId, 'refused')
        case 'unavailable':
          return show(res, browser, requestId, 'unavailable')
      }
    })
}

/** Why the page is shown again. */
type TotpProblem = 'refused' | 'missing' | 'unavailable'

interface TotpPage {
  readonly requestId: string
  readonly csrfToken: string
  /** Name of the application that the person returns to. */
  readonly application: string
  /** Where the sign-in begins anew. */
  readonly otherAccountPath: string
  readonly problem?: TotpProblem | Throttled
}

function totpProblemText(
  texts: PageFrame['texts'],
  problem: TotpProblem | Throttled | undefined,
): string | undefined {
  return typeof problem === 'object' ? throttledText(texts, problem) : problem && texts.totp[problem]
}

/** Asks for the code of an authenticator after the password: `#totp-code`, `#totp-submit`. */
function totpPage(frame: PageFrame, page: TotpPage): Html {
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

interface EnrolmentPage {
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
function enrolmentPage(frame: PageFrame, page: EnrolmentPage): Html {
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
