import { createFormBodyParser, queryParameters } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import { noStore } from '@signet/http/response-headers'
import { type Response, Router } from 'express'
import { describedBy, formPage, formProblem } from '../pages/form-page.ts'
import { anonymousFields, submittedForm } from '../pages/forms.ts'
import { layout, type Page, type PageFrame, type PageFrames, sendPage } from '../pages/page.ts'
import { continuePath, PATHS } from '../pages/paths.ts'
import { orUnavailable } from '../pages/problems.ts'
import type { Texts } from '../pages/texts/message.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { OpenDevice } from './open-device.service.ts'
import { readUserCode, shownUserCode } from './user-code.ts'

interface DeviceRouteDependencies {
  readonly openDevice: OpenDevice
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
}

/**
 * The page on which a person enters the code of a device (RFC 8628 section 3.3), and the one that ends the request. The code of an
 * address fills the field and does nothing else: the person sends it, signs in and answers the consent page. The form has the
 * token of its browser: a page of another site could use up the limit of the network otherwise.
 */
export function deviceRoute({ openDevice, cookies, frames }: DeviceRouteDependencies): Router {
  const show = (res: Response, shown: Omit<CodePage, 'fields'> = {}, status = 200) => {
    const fields = anonymousFields(res, cookies, 'device')
    sendPage(res, codePage(frames(res.req), { ...shown, fields }), { status, isolated: true })
  }
  return Router()
    .get(PATHS.device, noStore, (req, res) => {
      const code = readUserCode(queryParameters(req).user_code ?? '')
      show(res, code === undefined ? {} : { code: shownUserCode(code) })
    })
    .post(PATHS.device, noStore, createFormBodyParser(), async (req, res) => {
      const { browser, form } = submittedForm(req, cookies, 'device')
      const { user_code: typed = '' } = form
      if (typed.trim() === '') return show(res, { problem: 'missing' }, 400)
      const outcome = await orUnavailable(() => openDevice(typed, browser))
      switch (outcome.kind) {
        case 'opened':
          cookies.setBrowser(req, res, browser, outcome.requestId)
          return res.redirect(303, continuePath(outcome.requestId))
        case 'throttled':
          res.setHeader('Retry-After', outcome.retryAfterSeconds)
          return show(res, { code: typed, problem: outcome }, 429)
        case 'unavailable':
          return show(res, { code: typed, problem: 'unavailable' }, 503)
        case 'unknown':
          return show(res, { code: typed, problem: 'unknown' }, 400)
      }
    })
    .get(PATHS.deviceDone, noStore, (req, res) => {
      sendPage(res, endPage(frames(req), queryParameters(req).error), { isolated: true })
    })
}

type CodeProblem = 'missing' | 'unknown' | 'unavailable' | { readonly retryAfterSeconds: number }

interface CodePage {
  /** The hidden fields of the form. */
  readonly fields: Html
  readonly code?: string
  readonly problem?: CodeProblem
}

/** `#user-code`, `#device-submit`. */
function codePage(frame: PageFrame, page: CodePage): Page {
  const { device } = frame.texts
  const problem = formProblem('device-problem', page.problem && problemText(device, page.problem))
  return formPage(frame, {
    title: device.title,
    intro: html`<p class="intro">${device.intro}</p>
<p id="device-advice">${device.advice}</p>
`,
    problem,
    path: PATHS.device,
    hidden: page.fields,
    fields: html`<label for="user-code">${device.code}</label>
<input id="user-code" name="user_code" type="text" value="${page.code ?? ''}" dir="ltr" autocomplete="off" autocapitalize="characters" autocorrect="off" spellcheck="false" maxlength="64" required autofocus${problem.invalid}${describedBy('device-advice', problem.id)}>
<button id="device-submit" type="submit">${device.submit}</button>`,
  })
}

function problemText(
  { missing, unknown, unavailable, throttled }: Texts['device'],
  problem: CodeProblem,
): string {
  if (typeof problem === 'string') return { missing, unknown, unavailable }[problem]
  const { retryAfterSeconds } = problem
  return retryAfterSeconds < 60
    ? throttled.seconds({ count: retryAfterSeconds })
    : throttled.minutes({ count: Math.ceil(retryAfterSeconds / 60) })
}

/** `error` is that of the response; undefined for an approval. */
function endPage(frame: PageFrame, error: string | undefined): Page {
  const { device } = frame.texts
  const { title, text } =
    error === undefined ? device.approved : error === 'access_denied' ? device.denied : device.failed
  return layout(frame, {
    title,
    content: html`<h1>${title}</h1>
<p>${text}</p>
${error !== undefined && error !== 'access_denied' && html`<p class="also"><a id="device-again" href="${PATHS.device}">${device.again}</a></p>`}`,
  })
}
