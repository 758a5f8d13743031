// The SingleLogoutService of Signet for a SAML provider (SAML 2.0 Profiles section 4.4), by redirect and by form.
import { queryParameters, readForm } from '@signet/http/forms'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { InvalidRequestError } from '@signet/protocol/errors'
import { type Request, type Response, Router } from 'express'
import type { LoginEvents } from '../events.ts'
import { PATHS } from '../pages/paths.ts'
import { orUnavailable } from '../pages/problems.ts'
import type { LogoutMessage, UpstreamRefusal, Upstreams } from './upstream.ts'
import type { UpstreamLogouts } from './upstream-logout.service.ts'

interface SingleLogoutDependencies {
  readonly upstreams: Pick<Upstreams, 'completeLogout'>
  readonly upstreamLogouts: Pick<UpstreamLogouts, 'endByRequest'>
  readonly events: Pick<LoginEvents, 'signedOut' | 'upstreamRefused'>
}

/** A message has a few hundred characters, and its signature. */
const LIMIT_BYTES = 65_536

const PARAMETERS = ['SAMLRequest', 'SAMLResponse', 'RelayState']

/**
 * Ends the sessions that a request of the provider names and leads the browser back with the answer, or takes the answer to a sign-out that
 * began here. A message that is refused ends nothing and gets a page with the rule. The form of another site brings no cookie, so none is
 * read here: where a browser goes on is read at the address that it is redirected to.
 */
export function singleLogoutRoute({ upstreams, upstreamLogouts, events }: SingleLogoutDependencies): Router {
  async function endByRequest(req: Request, res: Response, message: LogoutMessage) {
    const from = { ...message, clientAddress: clientAddress(req) }
    const outcome = await orUnavailable(() => upstreamLogouts.endByRequest(from))
    if (outcome.kind !== 'ended') throw refusalOf(req, message, outcome)
    if (outcome.sids.length > 0) events.signedOut(req, outcome)
    return res.redirect(303, outcome.location)
  }

  async function complete(req: Request, res: Response, message: LogoutMessage, state: string) {
    const outcome = await orUnavailable(() => upstreams.completeLogout(message))
    // A provider that kept sessions of its own says so. The sessions here have ended, and the person goes on.
    if (outcome.kind === 'declined') report(req, message, outcome)
    else if (outcome.kind !== 'ended') throw refusalOf(req, message, outcome)
    return res.redirect(303, `${PATHS.upstreamLogoutReturn}?${new URLSearchParams({ state })}`)
  }

  function report(req: Request, { providerId }: LogoutMessage, { rule }: UpstreamRefusal) {
    events.upstreamRefused(req, { providerId, reason: rule })
  }

  function refusalOf(
    req: Request,
    message: LogoutMessage,
    refusal: UpstreamRefusal | { readonly kind: 'unavailable' },
  ) {
    const { rule, sent, expected, kind } = { rule: 'sign_out_unavailable', ...refusal } as UpstreamRefusal
    report(req, message, { kind, rule })
    const status = kind === 'unavailable' ? 503 : 400
    const others = { provider: message.providerId, ...(sent && { sent }), ...(expected && { expected }) }
    return new InvalidRequestError(
      `The message of the identity provider is not accepted, and no session has ended (rule ${rule}).`,
      { reason: 'single_logout_refused', status, values: { received: rule, others } },
    )
  }

  async function take(
    req: Request,
    res: Response,
    parameters: Readonly<Record<string, string>>,
    brought: Pick<LogoutMessage, 'posted' | 'query'>,
  ) {
    const { SAMLRequest, SAMLResponse, RelayState: relayState = '' } = parameters
    const message = { providerId: String(req.params.providerId), ...brought, relayState }
    if ((SAMLRequest === undefined) === (SAMLResponse === undefined)) {
      throw refusalOf(req, message, { kind: 'refused', rule: 'logout_message_malformed' })
    }
    return SAMLResponse === undefined
      ? endByRequest(req, res, message)
      : complete(req, res, message, relayState)
  }

  return Router()
    .head(PATHS.upstreamSingleLogout, noStore, (_req, res) => void res.sendStatus(204))
    .get(PATHS.upstreamSingleLogout, noStore, async (req, res) => {
      const [, query = ''] = /\?(.*)$/s.exec(req.originalUrl) ?? []
      await take(req, res, queryParameters(req), { query, posted: '' })
    })
    .post(PATHS.upstreamSingleLogout, noStore, async (req, res) => {
      const form = await readForm(req, { limitBytes: LIMIT_BYTES, reads: new Set(PARAMETERS) })
      await take(req, res, form, { query: '', posted: form.SAMLRequest ?? form.SAMLResponse ?? '' })
    })
}
