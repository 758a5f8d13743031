import { jsonAnswer } from '@signet/http/answer'
import { type IsRegisteredOrigin, registeredCors } from '@signet/http/cors'
import type { Endpoint } from '@signet/http/endpoint'
import { readForm } from '@signet/http/forms'
import { NO_STORE } from '@signet/http/response-headers'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import { bearerToken } from '../userinfo/bearer-token.ts'
import type { UserInfo } from '../userinfo/user-info.ts'

/** The userinfo endpoint (OIDC Core section 5.3), by GET and POST. */
export function userinfoEndpoint({
  userInfo,
  isRegisteredOrigin,
}: {
  readonly userInfo: UserInfo
  readonly isRegisteredOrigin: IsRegisteredOrigin
}): Endpoint {
  const answer = async (authorization: string | undefined, form: Readonly<Record<string, string>>) =>
    jsonAnswer(await userInfo(bearerToken(authorization, form)), NO_STORE)
  return {
    path: ENDPOINT_PATHS.userinfo,
    cors: registeredCors(isRegisteredOrigin, ['GET', 'POST']),
    methods: {
      GET: ({ headers }) => answer(headers.authorization, {}),
      POST: async (req) => answer(req.headers.authorization, await readForm(req)),
    },
  }
}
