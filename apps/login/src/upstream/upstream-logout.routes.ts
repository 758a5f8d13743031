// The back-channel logout URI at an identity provider (OpenID Connect Back-Channel Logout 1.0 section 2.5).
import { readForm } from '@signet/http/forms'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { Router } from 'express'
import type { LoginEvents } from '../events.ts'
import { PATHS } from '../pages/paths.ts'
import type { UpstreamLogouts } from './upstream-logout.service.ts'

interface UpstreamLogoutDependencies {
  readonly upstreamLogouts: UpstreamLogouts
  readonly events: Pick<LoginEvents, 'signedOut' | 'upstreamRefused'>
}

/** A logout token has a few claims. */
const LIMIT_BYTES = 16_384

/** Ends the sessions that a logout token names. Answers 400 for a token that is refused (section 2.8), which has no effect. */
export function upstreamLogoutRoute({ upstreamLogouts, events }: UpstreamLogoutDependencies): Router {
  return Router().post(PATHS.upstreamLogout, noStore, async (req, res) => {
    const { logout_token: logoutToken = '' } = await readForm(req, { limitBytes: LIMIT_BYTES })
    const providerId = String(req.params.providerId)
    const outcome = await upstreamLogouts.end({ providerId, logoutToken, clientAddress: clientAddress(req) })
    if (outcome.kind === 'ended') {
      if (outcome.sids.length > 0) events.signedOut(req, outcome)
      return res.status(200).end()
    }
    events.upstreamRefused(req, { providerId, reason: outcome.rule })
    if (outcome.kind === 'unavailable') return res.status(503).json({ error: 'temporarily_unavailable' })
    const description = 'logout_token is not accepted. The log has the rule.'
    res.status(400).json({ error: 'invalid_request', error_description: description })
  })
}
