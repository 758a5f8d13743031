// The page for the name and the password of a person whom the server of a directory knows. It works without a script.
import type { FindSignInPage, OfferedProvider } from '@signet/directory-reader/sign-in-page'
import { createFormBodyParser, queryParameters } from '@signet/http/forms'
import { html } from '@signet/http/html'
import type { RefusalRecorder } from '@signet/http/refusals'
import { clientAddress, requestId as responseId } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Response, Router } from 'express'
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import { formPage } from '../pages/form-page.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { type Page, type PageFrame, sendPage } from '../pages/page.ts'
import { continuePath, interactionPath, PATHS, unlinkedPath } from '../pages/paths.ts'
import { orUnavailable } from '../pages/problems.ts'
import type { Browser } from '../sessions/browser.ts'
import {
  type AnsweringDependencies,
  leaveSignIn,
  leavesPage,
  reportProblem,
} from '../sign-in/sign-in-step.page.ts'
import { type PasswordProblem, passwordFields, statusOfProblem } from './upstream-password.page.ts'
import type { VerifyUpstreamPassword } from './upstream-password.service.ts'
import { createUpstreamProblemSender } from './upstream-problem.page.ts'
import { findOfferedProvider } from './upstream-sign-in.service.ts'

interface UpstreamPasswordDependencies extends AnsweringDependencies {
  readonly verifyUpstreamPassword: VerifyUpstreamPassword
  readonly findSignInPage: FindSignInPage
  readonly flow: Pick<AuthorizationFlow, 'assess' | 'update'>
  readonly refusals: Pick<RefusalRecorder, 'refused'>
}

interface Shown {
  readonly providerId: string
  readonly problem?: PasswordProblem
  readonly name?: string
}

export function upstreamPasswordRoute(dependencies: UpstreamPasswordDependencies): Router {
  const { verifyUpstreamPassword, flow, cookies, frames, events, sendResponse } = dependencies
  const showProblem = createUpstreamProblemSender(dependencies)

  async function show(
    res: Response,
    { requestId, browser }: { readonly requestId: string; readonly browser: Browser },
    { providerId, problem, name }: Shown,
  ): Promise<void> {
    const assessment = await flow.assess(requestId, browser)
    // Signed in by now, in another tab or before going back.
    if (!('registration' in assessment)) return res.redirect(303, continuePath(requestId))
    const provider = await findOfferedProvider(dependencies, assessment, providerId)
    if (provider?.type !== 'ldap') return res.redirect(303, interactionPath('sign-in', requestId))
    const { request, redirect, progress } = assessment
    const frame = frames(res.req, request.uiLocales, await assessment.findBranding())
    const page = passwordPage(frame, {
      ...{ requestId, browser, provider, problem, application: redirect.client.name },
      name: name ?? progress.typedName ?? request.loginHint ?? '',
    })
    sendPage(res, page, { status: statusOfProblem(problem) })
  }

  return Router()
    .get(PATHS.upstreamPassword, noStore, async (req, res) => {
      await show(res, openedPage(req, cookies), { providerId: queryParameters(req).provider ?? '' })
    })
    .post(PATHS.upstreamPassword, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'upstream-password')
      const { provider: providerId = '', login_name: name = '', password = '' } = form
      const pending = { requestId, browser }
      if (name.trim() === '' || password === '')
        return show(res, pending, { providerId, problem: 'missing', name })
      const typed = {
        ...{ providerId, name, password },
        ...{ clientAddress: clientAddress(req), responseId: responseId(req) },
      }
      const outcome = await orUnavailable(() => verifyUpstreamPassword(requestId, browser, typed))
      if (leavesPage(outcome)) return leaveSignIn(res, requestId, outcome, { cookies, events, sendResponse })
      if (outcome.kind === 'unlinked') return res.redirect(303, unlinkedPath(requestId))
      if (outcome.kind === 'wrong' || outcome.kind === 'throttled') {
        return show(res, pending, { providerId, problem: reportProblem(res, outcome, events), name })
      }
      return showProblem(req, res, pending, { ...outcome, providerId })
    })
}

interface PasswordPage {
  readonly requestId: string
  readonly browser: Browser
  readonly provider: OfferedProvider
  readonly application: string
  readonly name: string
  readonly problem: PasswordProblem | undefined
}

/** Asks for the name and the password at the provider: `#login-name`, `#password`, `#login-submit`, `#login-back`. */
function passwordPage(frame: PageFrame, page: PasswordPage): Page {
  const { requestId, browser, provider, application } = page
  const { login, upstream, unlinked } = frame.texts
  const { problem, fields } = passwordFields(frame, page)
  return formPage(frame, {
    title: login.title,
    intro: html`<p class="intro">${login.intro({ application })}</p>
<p id="login-provider">${upstream.with({ provider: provider.name })}</p>`,
    problem,
    ...{ path: PATHS.upstreamPassword, purpose: 'upstream-password', browser, subject: requestId },
    fields: html`<input type="hidden" name="provider" value="${provider.id}">
${fields}<button id="login-submit" type="submit">${login.submit}</button>`,
    after: html`
<p class="also"><a id="login-back" href="${interactionPath('sign-in', requestId)}">${unlinked.back}</a></p>`,
  })
}
