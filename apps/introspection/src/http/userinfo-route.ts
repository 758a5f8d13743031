import { type IsRegisteredOrigin, registeredCors } from '@signet/http-server/cors'
import { formBody } from '@signet/http-server/form-body'
import { noStore } from '@signet/http-server/response-headers'
import { sendJson } from '@signet/http-server/send-json'
import { ENDPOINT_PATHS } from '@signet/oauth-protocol/endpoint-paths'
import { type Request, type Response, Router } from 'express'
import { bearerToken } from '../userinfo/bearer-token.ts'
import type { UserInfo } from '../userinfo/user-info.ts'

/** The userinfo endpoint (OIDC Core section 5.3), by GET and POST. */
export function userinfoRoute({
  userInfo,
  isRegisteredOrigin,
}: {
  readonly userInfo: UserInfo
  readonly isRegisteredOrigin: IsRegisteredOrigin
}): Router {
  const cors = registeredCors(isRegisteredOrigin, ['GET', 'POST'])
  const path = ENDPOINT_PATHS.userinfo
  const answer = async (req: Request, res: Response, form: Readonly<Record<string, string>>) => {
    sendJson(res, await userInfo(bearerToken(req.headers.authorization, form)))
  }
  return Router()
    .options(path, cors)
    .get(path, cors, noStore, (req, res) => answer(req, res, {}))
    .post(path, cors, noStore, formBody(), (req, res) => answer(req, res, req.body))
}
