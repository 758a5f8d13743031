import type { IncomingMessage } from 'node:http'
import { type Claims, claimsOfScopes } from '@signet/directory-reader/claims'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import { userinfoClaims } from '@signet/directory-reader/endpoint-claims'
import { type IsRegisteredOrigin, registeredCors } from '@signet/http/cors'
import { type Endpoint, jsonAnswer, NO_STORE } from '@signet/http/endpoint'
import { readForm } from '@signet/http/forms'
import type { RequestLimit } from '@signet/http/rate-limit'
import type { RefusalRecorder } from '@signet/http/refusals'
import type { Logger } from '@signet/platform/logger/logger'
import { InsufficientScopeError, InvalidRequestError, InvalidTokenError } from '@signet/protocol/errors'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import { parseScopeString } from '@signet/protocol/scopes'
import { bearerForm } from '@signet/tokens/access-token-reader'
import type { AccessTokens } from './access-tokens.ts'
import { type FindPersonalToken, PERSONAL_TOKEN_SCOPES } from './access-tokens.ts'

/** The userinfo endpoint (OIDC Core section 5.3), by GET and POST. */
export function createUserinfoEndpoint({
  userInfo,
  isRegisteredOrigin,
  logger,
  refusals,
}: {
  readonly userInfo: UserInfo
  readonly isRegisteredOrigin: IsRegisteredOrigin
  readonly logger: Logger
  readonly refusals: RefusalRecorder
}): Endpoint {
  const respond = async (req: IncomingMessage, form: Readonly<Record<string, string>>) => {
    const token = bearerToken(req.headers.authorization, form)
    return jsonAnswer(await userInfo(token, (clientId) => refusals.knowClient(req, clientId)), NO_STORE)
  }
  return {
    path: ENDPOINT_PATHS.userinfo,
    cors: registeredCors(isRegisteredOrigin, ['GET', 'POST'], logger),
    methods: {
      GET: (req) => respond(req, {}),
      POST: async (req) => respond(req, await readForm(req)),
    },
  }
}

/**
 * The one access token of a request (RFC 6750 sections 2.1 and 2.2): Authorization header or form field, never the
 * query, which ends up in logs. Throws InvalidTokenError without one and InvalidRequestError with two.
 */
function bearerToken(authorization: string | undefined, form: Readonly<Record<string, string>>): string {
  const inHeader = authorization === undefined ? undefined : /^bearer +(\S+) *$/i.exec(authorization)?.[1]
  const inForm = form.access_token
  if (inHeader !== undefined && inForm !== undefined) {
    throw new InvalidRequestError('send the access token in the header or in the form, not in both', {
      reason: 'several_access_tokens',
    })
  }
  const token = inHeader ?? inForm
  if (token) return token
  throw new InvalidTokenError('an access token is required in the Authorization header', {
    reason: 'access_token_missing',
    tokenGiven: false,
  })
}

/**
 * OIDC Core sections 5.3 and 5.5: the claims that the token's scopes reveal about its user, and those that its
 * application asked for by name. Throws InvalidTokenError for a token that is expired, revoked, unknown or without a
 * user, InsufficientScopeError for one without `openid`, RateLimitedError above the request limit. `onClient` is called with the
 * client of a valid token.
 */
export type UserInfo = (token: string, onClient?: (clientId: string) => void) => Promise<Claims>

export function createUserInfo(deps: {
  readonly directory: DirectoryReader
  readonly accessTokens: AccessTokens
  readonly findPersonalToken: FindPersonalToken
  /** Limit of requests of the client that a token was issued to, or of the user of a personal token. */
  readonly limit: RequestLimit
}): UserInfo {
  const { directory, accessTokens } = deps
  return async (value, onClient) => {
    if (bearerForm(value) === 'personal') {
      const found = await deps.findPersonalToken(value)
      if (found === undefined) throw notActive('access_token_not_alive')
      deps.limit(found.account.userId)
      return { ...claimsOfScopes(found.account, PERSONAL_TOKEN_SCOPES), sub: found.account.userId }
    }
    const known = await accessTokens.find(value)
    if (known?.token.user === undefined) throw notActive('access_token_not_alive')
    accessTokens.cache(value, known)
    const { token } = known
    onClient?.(token.clientId)
    deps.limit(token.clientId)
    const scopes = parseScopeString(token.scope)
    if (!scopes.includes('openid')) {
      throw new InsufficientScopeError('the access token was granted without the scope openid', {
        reason: 'openid_missing',
        values: { userId: known.token.user.id },
        scope: 'openid',
      })
    }
    const account = await directory.account(known.token.user.id)
    if (account === undefined || !account.active) throw notActive('account_not_active', known.token.user.id)
    const client = await directory.client(token.clientId)
    return userinfoClaims(directory, { account, client, token })
  }
}

function notActive(reason: string, userId?: string): InvalidTokenError {
  return new InvalidTokenError(
    'the access token is expired, revoked or not one of ours; an ID token is not an access token',
    {
      reason,
      tokenGiven: true,
      values: { userId },
    },
  )
}
