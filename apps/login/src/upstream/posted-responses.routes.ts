// Responses of identity providers that come by POST.
import type {
  FindInitiatingProvider,
  InitiatingProvider,
} from '@signet/directory-reader/initiating-providers'
import { readForm } from '@signet/http/forms'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { CONSUMER_PREFIXES } from '@signet/protocol/assertion-consumer'
import { InvalidRequestError } from '@signet/protocol/errors'
import { type Request, type Response, Router } from 'express'
import type { CountStored, PostedParameters } from '../authorize/pending-authorization.ts'
import { PATHS, upstreamPostedPath, upstreamStartPath } from '../pages/paths.ts'
import { PageExpiredError } from '../sessions/browser.ts'
import { isTestState } from './provider-tests.service.ts'
import type { UpstreamAccounts } from './upstream.ts'
import { requestOfState } from './upstream-sign-in.service.ts'

interface PostedResponsesRouteDependencies {
  readonly posted: Pick<PostedParameters, 'store'>
  readonly countPosted: CountStored
  readonly findInitiatingProvider: FindInitiatingProvider
  readonly upstreamAccounts: Pick<UpstreamAccounts, 'findByConsumer'>
}

/** Most bytes of a response that comes by POST. */
const POST_BYTES_LIMIT = 262_144

/** Stores responses that come by POST, and leads the browser to where they are taken. */
export function postedResponsesRoute(dependencies: PostedResponsesRouteDependencies): Router {
  const { posted, countPosted, upstreamAccounts, findInitiatingProvider } = dependencies

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

  return Router()
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
