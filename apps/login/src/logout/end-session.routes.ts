import { clientAddress } from '@signet/http-server/client-address'
import { readFormPairs } from '@signet/http-server/form-body'
import { noStore } from '@signet/http-server/response-headers'
import { Router } from 'express'
import { requestParameters } from '../authorize/parameters.ts'
import type { LoginEvents } from '../events.ts'
import { requestQuery } from '../http/request-query.ts'
import { sendSignedOut } from '../http/send-signed-out.ts'
import { PATHS, withRawQuery } from '../pages/paths.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import { endSessionQuery } from './end-session-request.ts'
import type { LogoutFlow } from './logout.service.ts'

export interface EndSessionRouteDependencies {
  readonly flow: Pick<LogoutFlow, 'begin'>
  readonly cookies: BrowserCookies
  readonly events: LoginEvents
}

/**
 * OIDC RP-Initiated Logout section 2: GET and POST. Nothing of a request is stored: a POST from another site carries
 * no `SameSite=Lax` cookie, and its parameters go on in the query of the GET that follows.
 */
export function endSessionRoute({ flow, cookies, events }: EndSessionRouteDependencies): Router {
  return Router()
    .get(PATHS.endSession, noStore, async (req, res) => {
      const parameters = requestQuery(req)
      const from = { browser: cookies.recognise(req), clientAddress: clientAddress(req) }
      const outcome = await flow.begin(parameters, from)
      if (outcome.kind === 'confirm') {
        res.redirect(303, withRawQuery(PATHS.logout, endSessionQuery(parameters)))
        return
      }
      events.signedOut(req, outcome)
      sendSignedOut(res, outcome, cookies)
    })
    .post(PATHS.endSession, noStore, async (req, res) => {
      const parameters = requestParameters(await readFormPairs(req))
      res.redirect(303, withRawQuery(PATHS.endSession, endSessionQuery(parameters)))
    })
}
