import { formBody } from '@signet/http-server/form-body'
import { noStore } from '@signet/http-server/response-headers'
import { ENDPOINT_PATHS } from '@signet/oauth-protocol/endpoint-paths'
import { type Request, type Response, Router } from 'express'
import { bearerToken } from '../userinfo/bearer-token.ts'
import type { UserInfo } from '../userinfo/user-info.ts'

/** The userinfo endpoint (OIDC Core section 5.3), by GET and POST. */
export function userinfoRoute({ userInfo }: { readonly userInfo: UserInfo }): Router {
  const answer = async (req: Request, res: Response, form: Readonly<Record<string, string>>) => {
    res.json(await userInfo(bearerToken(req.headers.authorization, form)))
  }
  return Router()
    .get(ENDPOINT_PATHS.userinfo, noStore, (req, res) => answer(req, res, {}))
    .post(ENDPOINT_PATHS.userinfo, noStore, formBody(), (req, res) => answer(req, res, req.body))
}
