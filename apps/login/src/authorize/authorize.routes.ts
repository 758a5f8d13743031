import { clientAddress } from '@signet/http-server/client-address'
import { readFormPairs } from '@signet/http-server/form-body'
import { noStore } from '@signet/http-server/response-headers'
import { type Request, type Response, Router } from 'express'
import { PageExpiredError } from '../browser/page-errors.ts'
import type { PostedParameters } from '../browser/pending.ts'
import type { CountStored } from '../browser/storage-limit.ts'
import { onlyParameter, requestQuery } from '../http/request-query.ts'
import type { SendAuthorizationResponse } from '../http/send-authorization-response.ts'
import { interactionPath, PATHS, postedPath } from '../pages/paths.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { AuthorizationFlow, AuthorizationOutcome } from './authorize.service.ts'
import { type RequestParameters, requestParameters } from './parameters.ts'

export interface AuthorizeRouteDependencies {
  readonly flow: AuthorizationFlow
  readonly cookies: BrowserCookies
  readonly posted: PostedParameters
  readonly countStored: CountStored
  readonly sendResponse: SendAuthorizationResponse
}

/**
 * OIDC Core section 3.1.2: GET and POST. A request that waited for a person comes back as `?continue=<id>`. A POST
 * from another site carries no `SameSite=Lax` cookie, the GET that follows it does: `?posted=<handle>`.
 */
export function authorizeRoute(dependencies: AuthorizeRouteDependencies): Router {
  const { flow, cookies, posted, countStored, sendResponse } = dependencies
  const proceed = (res: Response, outcome: AuthorizationOutcome) => {
    if (outcome.kind === 'respond') sendResponse(res, outcome.response)
    else res.redirect(303, interactionPath(outcome.interaction, outcome.requestId))
  }

  async function resume(req: Request, res: Response, requestId: string) {
    const browser = cookies.known(req, requestId)
    if (browser === undefined) throw new PageExpiredError('the browser is not known')
    const outcome = await flow.resume(requestId, browser)
    if (outcome.kind === 'respond') cookies.forget(req, res, requestId)
    proceed(res, outcome)
  }

  async function begin(req: Request, res: Response, parameters: RequestParameters) {
    const browser = cookies.recognise(req)
    const outcome = await flow.begin(parameters, browser, clientAddress(req))
    if (outcome.kind === 'interact') cookies.keep(req, res, browser, outcome.requestId)
    proceed(res, outcome)
  }

  return Router()
    .get(PATHS.authorize, noStore, async (req, res) => {
      const requestId = onlyParameter(req, 'continue')
      if (requestId !== undefined) return resume(req, res, requestId)
      const handle = onlyParameter(req, 'posted')
      if (handle === undefined) return begin(req, res, requestQuery(req))
      const parameters = await posted.take(handle)
      if (parameters === undefined) throw new PageExpiredError('the posted parameters were read already')
      return begin(req, res, requestParameters(Object.entries(parameters)))
    })
    .post(PATHS.authorize, noStore, async (req, res) => {
      const parameters = await flow.check(requestParameters(await readFormPairs(req)))
      countStored(clientAddress(req), parameters)
      res.redirect(303, postedPath(await posted.keep(parameters)))
    })
}
