import type { IncomingMessage } from 'node:http'
import { formBody } from '@signet/http-server/form-body'
import { noStore } from '@signet/http-server/response-headers'
import type { RequestHandler } from 'express'
import { type RequestParameters, requestParameters } from '../authorization/parameters.ts'
import { PageExpiredError } from '../browser/page-errors.ts'
import type { PostedParameters } from '../browser/pending.ts'
import { postedPath } from './paths.ts'
import { onlyParameter, requestQuery } from './request-query.ts'

/**
 * Answers a POST with 303 to the same path and a one-time handle: a POST from another site carries no
 * `SameSite=Lax` cookie, the GET that follows does.
 */
export function keepPosted(posted: PostedParameters, endpoint: string): RequestHandler[] {
  return [
    noStore,
    formBody(),
    async (req, res) => {
      res.redirect(303, postedPath(endpoint, await posted.keep(req.body)))
    },
  ]
}

/** The parameters of a GET: those in its query, or those that a POST left behind. */
export async function endpointParameters(
  req: IncomingMessage,
  posted: PostedParameters,
): Promise<RequestParameters> {
  const handle = onlyParameter(req, 'posted')
  if (handle === undefined) return requestQuery(req)
  const parameters = await posted.take(handle)
  if (parameters === undefined) throw new PageExpiredError('the posted parameters were read already')
  return requestParameters(Object.entries(parameters))
}
