import type { Branding } from '@signet/directory-reader/branding'
import { createFormBodyParser, queryParameters } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Request, type Response, Router } from 'express'
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import { describedBy, formPage, formProblem } from '../pages/form-page.ts'
import { anonymousFields, submittedForm } from '../pages/forms.ts'
import { type Page, type PageFrame, type PageFrames, sendPage } from '../pages/page.ts'
import { interactionPath, PATHS } from '../pages/paths.ts'
import { orUnavailable } from '../pages/problems.ts'
import { PageExpiredError } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { Recovery } from './recovery.ts'

interface ForgotDependencies {
  readonly recovery: Pick<Recovery, 'requestReset'>
  readonly flow: Pick<AuthorizationFlow, 'assess'>
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
}

/** The context of the sign-in that a person came from, if it is still pending in this browser. */
interface PendingSignIn {
  readonly requestId: string
  readonly organizationId?: string | undefined
  readonly clientId: string
  readonly uiLocales?: string | undefined
  readonly branding: Branding | undefined
}

/**
 * Asks for a login name and has a message sent. The same page follows for every name. The form has the token of its
 * browser: a page of another site could use up the limit of the network otherwise.
 */
export function forgotRoute({ recovery, flow, cookies, frames }: ForgotDependencies): Router {
  async function pending(req: Request, requestId: string | undefined): Promise<PendingSignIn | undefined> {
    const browser = cookies.known(req, requestId)
    if (requestId === undefined || browser === undefined) return undefined
    try {
      const assessment = await flow.assess(requestId, browser)
      return {
        requestId,
        organizationId: assessment.organizationId,
        clientId: assessment.redirect.client.clientId,
        uiLocales: assessment.request.uiLocales,
        branding: await assessment.findBranding(),
      }
    } catch (error) {
      if (error instanceof PageExpiredError) return undefined
      throw error
    }
  }

  const fieldsOf = (res: Response, purpose: 'forgot' | 'mail-link', signIn: PendingSignIn | undefined) =>
    anonymousFields(res, cookies, purpose, signIn?.requestId)

  return Router()
    .get(PATHS.forgot, noStore, async (req, res) => {
      const signIn = await pending(req, queryParameters(req).request)
      const frame = frames(req, signIn?.uiLocales, signIn?.branding)
      sendPage(res, forgotPage(frame, { signIn, fields: fieldsOf(res, 'forgot', signIn) }), {
        isolated: true,
      })
    })
    .post(PATHS.forgot, noStore, createFormBodyParser(), async (req, res) => {
      const { form } = submittedForm(req, cookies, 'forgot')
      const { login_name: loginName = '' } = form
      const signIn = await pending(req, form.request)
      const frame = frames(req, signIn?.uiLocales, signIn?.branding)
      if (loginName.trim() === '') {
        const fields = fieldsOf(res, 'forgot', signIn)
        const page = forgotPage(frame, { signIn, fields, problem: frame.texts.recovery.missing })
        return sendPage(res, page, { status: 400, isolated: true })
      }
      const outcome = await orUnavailable(async () => ({
        kind: await recovery.requestReset({
          loginName,
          organizationId: signIn?.organizationId,
          clientId: signIn?.clientId,
          language: frame.texts.language,
          clientAddress: clientAddress(req),
        }),
      }))
      if (outcome.kind === 'accepted') {
        const page = sentPage(frame, signIn, fieldsOf(res, 'mail-link', signIn))
        return sendPage(res, page, { isolated: true })
      }
      const { throttled, unavailable } = frame.texts.recovery
      const isLimit = outcome.kind === 'throttled'
      const problem = isLimit ? throttled : unavailable
      const page = forgotPage(frame, { signIn, fields: fieldsOf(res, 'forgot', signIn), loginName, problem })
      return sendPage(res, page, { status: isLimit ? 429 : 503, isolated: true })
    })
}

interface ForgotPage {
  readonly signIn: PendingSignIn | undefined
  /** The hidden fields of the form. */
  readonly fields: Html
  readonly loginName?: string
  readonly problem?: string
}

/** `#login-name`, `#forgot-submit`. */
function forgotPage(frame: PageFrame, { signIn, fields, loginName = '', ...page }: ForgotPage): Page {
  const { recovery, login } = frame.texts
  const problem = formProblem('forgot-problem', page.problem)
  return formPage(frame, {
    title: recovery.forgotTitle,
    intro: html`<p class="intro">${recovery.forgotIntro}</p>
`,
    problem,
    path: PATHS.forgot,
    hidden: fields,
    fields: html`<label for="login-name">${login.loginName}</label>
<input id="login-name" name="login_name" type="text" value="${loginName}" dir="auto" autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="300" required autofocus${problem.invalid}${describedBy(problem.id)}>
<button id="forgot-submit" type="submit">${recovery.forgotSubmit}</button>`,
    after: html`
${signInLink(frame, signIn?.requestId)}`,
  })
}

/** `#code`, `#code-submit`. */
function sentPage(frame: PageFrame, signIn: PendingSignIn | undefined, fields: Html): Page {
  const { recovery } = frame.texts
  return formPage(frame, {
    title: recovery.sentTitle,
    intro: html`<p class="intro">${recovery.sentIntro}</p>`,
    path: PATHS.reset,
    hidden: fields,
    fields: html`<label for="code">${recovery.code}</label>
<input id="code" name="token" type="text" dir="ltr" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="100" required>
<button id="code-submit" type="submit">${recovery.codeSubmit}</button>`,
    after: html`
<p class="also"><a href="${PATHS.forgot}${signIn === undefined ? '' : `?request=${signIn.requestId}`}">${recovery.again}</a></p>
${signInLink(frame, signIn?.requestId)}`,
  })
}

/** Back to the sign-in that is still pending in this browser. */
export function signInLink({ texts }: PageFrame, requestId: string | undefined): Html | undefined {
  if (requestId === undefined) return undefined
  return html`<p class="also"><a id="back" href="${interactionPath('sign-in', requestId)}">${texts.recovery.back}</a></p>`
}
