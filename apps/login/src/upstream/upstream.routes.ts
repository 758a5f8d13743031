// The way to an identity provider and back.
import { createFormBodyParser, queryParameters } from '@signet/http/forms'
import { clientAddress, requestId as responseId } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Request, type Response, Router } from 'express'
import type { PostedParameters } from '../authorize/pending-authorization.ts'
import { submittedForm } from '../pages/forms.ts'
import { PATHS, unlinkedPath, upstreamPasswordPath } from '../pages/paths.ts'
import { orUnavailable } from '../pages/problems.ts'
import { PageExpiredError } from '../sessions/browser.ts'
import { type AnsweringDependencies, leaveSignIn, leavesPage } from '../sign-in/sign-in-step.page.ts'
import { sendProblem, sendResult } from './provider-tests.routes.ts'
import { isTestState, type ProviderTests } from './provider-tests.service.ts'
import type { createUpstreamProblemSender } from './upstream-problem.page.ts'
import { requestOfState, type UpstreamSignIn } from './upstream-sign-in.service.ts'

interface UpstreamRouteDependencies extends AnsweringDependencies {
  readonly upstreamSignIn: UpstreamSignIn
  readonly providerTests: ProviderTests
  readonly showProblem: ReturnType<typeof createUpstreamProblemSender>
  readonly posted: Pick<PostedParameters, 'take'>
}

/** Leads to the provider whose button was used, and takes its answer. Every answer is taken once. */
export function upstreamRoute(dependencies: UpstreamRouteDependencies): Router {
  const { upstreamSignIn, providerTests, cookies, frames, events, sendResponse, posted, showProblem } =
    dependencies

  /** The parameters of a response with its state: those of the address, or those that came by POST before it. */
  async function responseOf(req: Request) {
    // A response of SAML comes by POST alone (Profiles section 4.1.2), so that it is in no log of addresses.
    const { SAMLResponse: _, ...query } = queryParameters(req)
    if (query.posted === undefined) return { parameters: query, state: query.state ?? '' }
    const parameters = await posted.take(query.posted)
    if (parameters === undefined) throw new PageExpiredError('the posted parameters were read already')
    return { parameters, state: parameters.RelayState ?? parameters.state ?? '' }
  }

  async function complete(req: Request, res: Response) {
    const { parameters, state } = await responseOf(req)
    if (isTestState(state)) return completeTest(req, res, { parameters, state })
    const requestId = requestOfState(state)
    const browser = cookies.known(req, requestId)
    if (requestId === undefined || browser === undefined) throw new PageExpiredError('no pending request')
    const providerId = String(req.params.providerId)
    const answer = {
      ...{ providerId, state, parameters: Object.entries(parameters) },
      ...{ clientAddress: clientAddress(req), responseId: responseId(req) },
    }
    const outcome = await orUnavailable(() => upstreamSignIn.complete(requestId, browser, answer))
    if (leavesPage(outcome)) return leaveSignIn(res, requestId, outcome, { cookies, events, sendResponse })
    if (outcome.kind === 'unlinked') return res.redirect(303, unlinkedPath(requestId))
    return showProblem(req, res, { requestId, browser }, { ...outcome, providerId })
  }

  /** Shows what came of a test. It has no pending request, so nothing goes on from here. */
  async function completeTest(
    req: Request,
    res: Response,
    { parameters, state }: { readonly parameters: Readonly<Record<string, string>>; readonly state: string },
  ) {
    const browser = cookies.known(req)
    if (browser === undefined) throw new PageExpiredError('no test of this browser')
    const providerId = String(req.params.providerId)
    const answer = { providerId, state, parameters: Object.entries(parameters) }
    const outcome = await providerTests.complete(browser, answer)
    if (outcome.kind === 'expired') return sendProblem(res, frames, 'expired')
    sendResult(res, frames, outcome.result)
  }

  return Router()
    .post(PATHS.upstream, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'upstream')
      const { provider: providerId = '' } = form
      const outcome = await orUnavailable(() => upstreamSignIn.begin(requestId, browser, providerId))
      if (outcome.kind === 'begun') return res.redirect(303, outcome.location)
      if (outcome.kind === 'asks-password')
        return res.redirect(303, upstreamPasswordPath(requestId, providerId))
      await showProblem(req, res, { requestId, browser }, { ...outcome, providerId })
    })
    .head(PATHS.upstreamCallback, noStore, keepUnread)
    .get(PATHS.upstreamCallback, noStore, complete)
}

/** Answers a HEAD request: a program that looks at the address of an answer does not use it up. */
function keepUnread(_req: Request, res: Response): void {
  res.sendStatus(204)
}
