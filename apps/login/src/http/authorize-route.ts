import { noStore } from '@signet/http-server/response-headers'
import { type Response, Router } from 'express'
import type { AuthorizationFlow, AuthorizationOutcome } from '../authorization/authorization-flow.ts'
import { PageExpiredError } from '../browser/page-errors.ts'
import type { PostedParameters } from '../browser/pending.ts'
import type { BrowserCookies } from './browser-cookies.ts'
import { interactionPath, PATHS } from './paths.ts'
import { endpointParameters, keepPosted } from './posted-parameters.ts'
import { onlyParameter } from './request-query.ts'
import type { SendAuthorizationResponse } from './send-authorization-response.ts'

export interface AuthorizeRouteDependencies {
  readonly flow: AuthorizationFlow
  readonly cookies: BrowserCookies
  readonly posted: PostedParameters
  readonly sendResponse: SendAuthorizationResponse
}

/** OIDC Core section 3.1.2: GET and POST. A request that waited for a person comes back as `?continue=<id>`. */
export function authorizeRoute({ flow, cookies, posted, sendResponse }: AuthorizeRouteDependencies): Router {
  const proceed = (res: Response, outcome: AuthorizationOutcome) => {
    if (outcome.kind === 'respond') sendResponse(res, outcome.response)
    else res.redirect(303, interactionPath(outcome.interaction, outcome.requestId))
  }
  return Router()
    .get(PATHS.authorize, noStore, async (req, res) => {
      const requestId = onlyParameter(req, 'continue')
      if (requestId !== undefined) {
        const browser = cookies.known(req)
        if (browser === undefined) throw new PageExpiredError('the browser is not known')
        proceed(res, await flow.resume(requestId, browser))
        return
      }
      const parameters = await endpointParameters(req, posted)
      proceed(res, await flow.begin(parameters, cookies.recognise(req, res)))
    })
    .post(PATHS.authorize, ...keepPosted(posted, PATHS.authorize))
}
