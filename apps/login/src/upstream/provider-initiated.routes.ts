// The pages of a sign-in that began at a SAML provider: its beginning here, and its end.
import { queryParameters } from '@signet/http/forms'
import { noStore } from '@signet/http/response-headers'
import { InvalidRequestError } from '@signet/protocol/errors'
import { type Request, type Response, Router } from 'express'
import { PATHS, upstreamStartPath } from '../pages/paths.ts'
import { FormRefusedError } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { ProviderInitiated } from './provider-initiated.service.ts'
import type { createUpstreamProblemSender } from './upstream-problem.page.ts'

interface ProviderInitiatedRouteDependencies {
  readonly providerInitiated: ProviderInitiated
  readonly cookies: BrowserCookies
  readonly showProblem: ReturnType<typeof createUpstreamProblemSender>
}

/**
 * Begins the sign-in, and leads on from its end. A browser without a cookie gets one and comes once more: without cookies it could not
 * finish, and a provider that answers each request without naming it would lead it round for ever.
 */
export function providerInitiatedRoute({
  providerInitiated,
  cookies,
  showProblem,
}: ProviderInitiatedRouteDependencies): Router {
  async function begin(req: Request, res: Response) {
    const providerId = String(req.params.providerId)
    const browser = cookies.known(req)
    if (browser === undefined) {
      if (queryParameters(req).cookie !== undefined)
        throw new FormRefusedError('the browser sends no cookies')
      cookies.setBrowser(req, res, cookies.knownOrNew(req))
      return res.redirect(303, `${upstreamStartPath(providerId)}?cookie=set`)
    }
    const lastId = cookies.initiated(req, providerId)
    const last = lastId && { requestId: lastId, browser: cookies.known(req, lastId) ?? browser }
    const outcome = await providerInitiated.begin(providerId, browser, last || undefined)
    if (outcome === undefined) {
      throw new InvalidRequestError('no sign-in begins at this address', {
        reason: 'path_unknown',
        status: 404,
      })
    }
    const { requestId } = outcome
    cookies.setBrowser(req, res, browser, requestId)
    if (outcome.kind !== 'begun') return showProblem(req, res, outcome, { ...outcome, providerId })
    cookies.setInitiated(req, res, providerId, requestId)
    res.redirect(303, outcome.location)
  }

  return Router()
    .head(PATHS.upstreamStart, noStore, (_req, res) => void res.sendStatus(204))
    .get(PATHS.upstreamStart, noStore, begin)
    .get(PATHS.upstreamEnd, noStore, async (req, res) => {
      const end = await providerInitiated.findEnd(queryParameters(req).state ?? '')
      res.redirect(303, end ?? PATHS.account)
    })
}
