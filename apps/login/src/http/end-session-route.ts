import { clientAddress } from '@signet/http-server/client-address'
import { noStore } from '@signet/http-server/response-headers'
import { Router } from 'express'
import type { PostedParameters } from '../browser/pending.ts'
import type { LoginEvents } from '../events.ts'
import type { LogoutFlow } from '../logout/logout-flow.ts'
import type { BrowserCookies } from './browser-cookies.ts'
import { logoutPath, PATHS } from './paths.ts'
import { endpointParameters, keepPosted } from './posted-parameters.ts'
import { sendSignedOut } from './send-signed-out.ts'

export interface EndSessionRouteDependencies {
  readonly flow: Pick<LogoutFlow, 'begin'>
  readonly cookies: BrowserCookies
  readonly posted: PostedParameters
  readonly events: LoginEvents
}

/** OIDC RP-Initiated Logout section 2: GET and POST. */
export function endSessionRoute({ flow, cookies, posted, events }: EndSessionRouteDependencies): Router {
  return Router()
    .get(PATHS.endSession, noStore, async (req, res) => {
      const parameters = await endpointParameters(req, posted)
      const outcome = await flow.begin(parameters, {
        browser: cookies.recognise(req, res),
        clientAddress: clientAddress(req),
      })
      if (outcome.kind === 'confirm') {
        res.redirect(303, logoutPath(outcome.requestId))
        return
      }
      events.signedOut(req, outcome)
      sendSignedOut(res, outcome, cookies)
    })
    .post(PATHS.endSession, ...keepPosted(posted, PATHS.endSession))
}
