// The way to an identity provider and back.
import type {
  FindInitiatingProvider,
  InitiatingProvider,
} from '@signet/directory-reader/initiating-providers'
import { createFormBodyParser, queryParameters, readForm } from '@signet/http/forms'
import { clientAddress, requestId as responseId } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { CONSUMER_PREFIXES } from '@signet/protocol/assertion-consumer'
import { InvalidRequestError } from '@signet/protocol/errors'
import { type Request, type Response, Router } from 'express'
import type { CountStored, PostedParameters } from '../authorize/pending-authorization.ts'
import { submittedForm } from '../pages/forms.ts'
import {
  PATHS,
  unlinkedPath,
  upstreamPasswordPath,
  upstreamPostedPath,
  upstreamStartPath,
} from '../pages/paths.ts'
import { orUnavailable } from '../pages/problems.ts'
import { PageExpiredError } from '../sessions/browser.ts'
import { type AnsweringDependencies, leaveSignIn, leavesPage } from '../sign-in/sign-in-step.page.ts'
import { sendProblem, sendResult } from './provider-tests.routes.ts'
import { isTestState, type ProviderTests } from './provider-tests.service.ts'
import type { UpstreamAccounts } from './upstream.ts'
import type { createUpstreamProblemSender } from './upstream-problem.page.ts'
import { requestOfState, type UpstreamSignIn } from './upstream-sign-in.service.ts'

interface UpstreamRouteDependencies extends AnsweringDependencies {
  readonly upstreamSignIn: UpstreamSignIn
  readonly providerTests: ProviderTests
  readonly showProblem: ReturnType<typeof createUpstreamProblemSender>
  readonly posted: PostedParameters
  readonly findInitiatingProvider: FindInitiatingProvider
  readonly upstreamAccounts: Pick<UpstreamAccounts, 'findByConsumer'>
  readonly countPosted: CountStored
}

/** Most bytes of a response that comes by POST. */
const POST_BYTES_LIMIT = 262_144

/** Leads to the provider whose button was used, and takes its answer. Every answer is taken once. */
export function upstreamRoute(dependencies: UpstreamRouteDependencies): Router {
  const { upstreamSignIn, providerTests, cookies, frames, events, sendResponse, posted, countPosted } =
    dependencies
  const { upstreamAccounts, findInitiatingProvider, showProblem } = dependencies

  /** The parameters of a response with its state: those of the address, or those that came by POST before it. */
  async function responseOf(req: Request) {
    // A response of SAML comes by POST alone (Profiles section 4.1.2), so that it is in no log of addresses.
    const { SAMLResponse: _, ...query } = queryParameters(req)
    if (query.posted === undefined) return { parameters: query, state: query.state ?? '' }
    const parameters = await posted.take(query.posted)
    if (parameters === undefined) throw new PageExpiredError('the posted parameters were read already')
    return { parameters, state: parameters.RelayState ?? parameters.state ?? '' }
  }

  /** Takes an assertion at the path of another product, which an administrator gave to a provider. */
  async function keepAtConsumer(req: Request, res: Response) {
    const reads = new Set(OF_SAML)
    const form = await readForm(req, { limitBytes: POST_BYTES_LIMIT, reads })
    if (form.SAMLResponse === undefined) throw nothingHere()
    if (!isKnown(form.RelayState))
      return startInitiated(res, await findInitiatingProvider.byConsumerPath(req.originalUrl))
    await keepPosted(req, res, form, async () => {
      const providerId = await upstreamAccounts.findByConsumer(req.originalUrl)
      if (providerId === undefined) throw nothingHere()
      return providerId
    })
  }

  async function keepAtCallback(req: Request, res: Response) {
    const reads = new Set([...OF_SAML, ...OF_FORM_POST])
    const form = await readForm(req, { limitBytes: POST_BYTES_LIMIT, reads })
    const providerId = String(req.params.providerId)
    if (form.SAMLResponse !== undefined && !isKnown(form.RelayState))
      return startInitiated(res, await findInitiatingProvider.byId(providerId), providerId)
    await keepPosted(req, res, form, async () => providerId)
  }

  /**
   * Takes a response of SAML that belongs to no request as a wish to sign in, where the provider may send it. Nothing of it is read or stored,
   * neither the assertion nor RelayState: a response to a request of Signet has the RelayState of that (SAML 2.0 Bindings section 3.5.3).
   */
  function startInitiated(res: Response, provider: InitiatingProvider | undefined, providerId?: string) {
    if (provider !== undefined) return res.redirect(303, upstreamStartPath(provider.providerId))
    throw new InvalidRequestError(
      'The response of the identity provider belongs to no sign-in that began here.',
      {
        reason: 'identity_provider_refused',
        values: {
          received: 'response_unsolicited',
          ...(providerId !== undefined && { others: { provider: providerId } }),
        },
      },
    )
  }

  /** Stores a response that came by POST: the form of another site brings no cookie, and the redirect after it does. */
  async function keepPosted(
    req: Request,
    res: Response,
    form: Readonly<Record<string, string>>,
    findProviderId: () => Promise<string>,
  ) {
    const isSaml = form.SAMLResponse !== undefined
    const parameters = only(form, isSaml ? OF_SAML : OF_FORM_POST)
    const isResponse = isSaml || parameters.code !== undefined || parameters.error !== undefined
    const { RelayState, state = RelayState } = parameters
    if (!isKnown(state) || !isResponse) throw new PageExpiredError('no pending request')
    countPosted(clientAddress(req), parameters)
    const providerId = await findProviderId()
    const handle = await posted.store(parameters)
    res.redirect(303, upstreamPostedPath(providerId, handle))
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
    .post(PATHS.upstreamCallback, noStore, keepAtCallback)
    .post(CONSUMER_PATHS, noStore, keepAtConsumer)
}

const CONSUMER_PATHS = CONSUMER_PREFIXES.map((prefix) => `${prefix}/*path`)

const nothingHere = () =>
  new InvalidRequestError('there is nothing at this path', { reason: 'path_unknown', status: 404 })

/** The parameters of a response of SAML (Bindings section 3.5). */
const OF_SAML = ['SAMLResponse', 'RelayState']

/** The parameters of OAuth 2.0 Form Post Response Mode, and the names that Apple sends beside the first code. */
const OF_FORM_POST = ['state', 'code', 'error', 'iss', 'user']

const only = (form: Readonly<Record<string, string>>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(form).filter(([name]) => names.includes(name)))

/** Whether a state is one of a sign-in or of a test. It proves nothing. */
const isKnown = (state = '') => requestOfState(state) !== undefined || isTestState(state)

/** Answers a HEAD request: a program that looks at the address of an answer does not use it up. */
function keepUnread(_req: Request, res: Response): void {
  res.sendStatus(204)
}
