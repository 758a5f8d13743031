import type { IncomingMessage } from 'node:http'
import { type Claims, claimsOfScopes } from '@signet/directory-reader/claims'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import { userinfoClaims } from '@signet/directory-reader/endpoint-claims'
import { clientCertificate } from '@signet/http/client-certificate'
import { type IsRegisteredOrigin, registeredCors } from '@signet/http/cors'
import { type Endpoint, jsonAnswer, NO_STORE } from '@signet/http/endpoint'
import { readForm } from '@signet/http/forms'
import type { RequestLimit } from '@signet/http/rate-limit'
import type { RefusalRecorder } from '@signet/http/refusals'
import type { Logger } from '@signet/platform/logger/logger'
import type { Clock } from '@signet/platform/runtime/clock'
import { InsufficientScopeError, InvalidRequestError, InvalidTokenError } from '@signet/protocol/errors'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import { parseScopeString } from '@signet/protocol/scopes'
import type { AccessToken } from '@signet/tokens/access-token'
import { bearerForm } from '@signet/tokens/access-token-reader'
import type { RequireProof } from '@signet/tokens/dpop/require-proof'
import type { AccessTokens } from './access-tokens.ts'
import { type FindPersonalToken, PERSONAL_TOKEN_SCOPES } from './access-tokens.ts'

/** The userinfo endpoint (OIDC Core section 5.3), by GET and POST. */
export function createUserinfoEndpoint({
  userInfo,
  isRegisteredOrigin,
  logger,
  refusals,
  nonceForNext,
}: {
  readonly userInfo: UserInfo
  /** The nonce that the next DPoP proof needs (RFC 9449 section 8.2); undefined when it needs none. */
  readonly nonceForNext: () => Promise<string | undefined>
  readonly isRegisteredOrigin: IsRegisteredOrigin
  readonly logger: Logger
  readonly refusals: RefusalRecorder
}): Endpoint {
  const respond = async (req: IncomingMessage, form: Readonly<Record<string, string>>) => {
    const presented = presentedToken(req, form)
    const claims = await userInfo(presented, (clientId) => refusals.knowClient(req, clientId))
    const nonce = presented.dpop && (await nonceForNext())
    return jsonAnswer(claims, nonce === undefined ? NO_STORE : [...NO_STORE, 'DPoP-Nonce', nonce])
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

/** An access token, and the way in which it was presented. */
interface PresentedToken {
  readonly value: string
  /** Present where the scheme is DPoP (RFC 9449 section 7.1). */
  readonly dpop?: { readonly proof: string; readonly method: string }
  /** Thumbprint of the certificate of the connection. */
  readonly certificate?: string | undefined
}

/**
 * The one access token of a request (RFC 6750 sections 2.1 and 2.2, RFC 9449 section 7.1): Authorization header or form field,
 * never the query, which ends up in logs. Throws InvalidTokenError without one and InvalidRequestError with two.
 */
function presentedToken(req: IncomingMessage, form: Readonly<Record<string, string>>): PresentedToken {
  const { authorization = '', dpop = '' } = req.headers
  const [, scheme, inHeader] = /^(bearer|dpop) +(\S+) *$/i.exec(authorization) ?? []
  const inForm = form.access_token
  if (inHeader !== undefined && inForm !== undefined) {
    throw new InvalidRequestError('send the access token in the header or in the form, not in both', {
      reason: 'several_access_tokens',
    })
  }
  const value = inHeader ?? inForm
  const certificate = clientCertificate(req)?.thumbprint
  if (value && scheme?.toLowerCase() === 'dpop') {
    return { value, certificate, dpop: { proof: String(dpop), method: req.method ?? '' } }
  }
  if (value) return { value, certificate }
  throw new InvalidTokenError('an access token is required in the Authorization header', {
    reason: 'access_token_missing',
    tokenGiven: false,
  })
}

/**
 * OIDC Core sections 5.3 and 5.5: the claims that the token's scopes reveal about its user, and those that its
 * application asked for by name. Throws InvalidTokenError for a token that is expired, revoked, unknown or without a
 * user, or a bound one without its certificate, InsufficientScopeError for one without `openid`, DpopProofError without a valid proof of its key,
 * RateLimitedError above the request limit. `onClient` is called with the
 * client of a valid token.
 */
export type UserInfo = (token: PresentedToken, onClient?: (clientId: string) => void) => Promise<Claims>

export function createUserInfo(deps: {
  readonly directory: DirectoryReader
  readonly accessTokens: AccessTokens
  readonly findPersonalToken: FindPersonalToken
  /** Limit of requests of the client that a token was issued to, or of the user of a personal token. */
  readonly limit: RequestLimit
  readonly issuer: string
  readonly requireProof: RequireProof
  readonly now: Clock
}): UserInfo {
  const { directory, accessTokens } = deps

  /**
   * RFC 9449 section 7.1: a token that is bound to a key counts by the scheme DPoP with a proof of it, every other one by Bearer; RFC
   * 8705 section 3: that of a certificate with this certificate.
   */
  async function requireKey(presented: PresentedToken, { cnf, user }: AccessToken): Promise<void> {
    const { value, dpop, certificate } = presented
    if (cnf?.jkt === undefined) {
      if (dpop !== undefined) throw keyNotProven(dpop, user?.id)
      if (cnf !== undefined && cnf['x5t#S256'] !== certificate) throw certificateNotPresented(user?.id)
      return
    }
    if (dpop === undefined) throw keyNotProven(dpop, user?.id)
    const request = {
      method: dpop.method,
      url: `${deps.issuer}${ENDPOINT_PATHS.userinfo}`,
      accessToken: value,
    }
    const { jkt } = await deps.requireProof(dpop.proof, request, deps.now())
    if (jkt !== cnf.jkt) throw keyNotProven(dpop, user?.id)
  }

  return async (presented, onClient) => {
    const { value } = presented
    if (bearerForm(value) === 'personal') {
      if (presented.dpop !== undefined) throw keyNotProven(presented.dpop)
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
    await requireKey(presented, token)
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

function certificateNotPresented(userId?: string): InvalidTokenError {
  return new InvalidTokenError(
    'the access token is bound to a certificate; call userinfo of mtls_endpoint_aliases in discovery with it',
    { reason: 'key_of_access_token', tokenGiven: true, values: { userId } },
  )
}

function keyNotProven(dpop: PresentedToken['dpop'], userId?: string): InvalidTokenError {
  return new InvalidTokenError(
    dpop === undefined
      ? 'the access token is bound to a key; present it by the scheme DPoP with a proof of that key'
      : 'the access token is not bound to the key of the DPoP proof',
    {
      reason: 'key_of_access_token',
      tokenGiven: true,
      scheme: 'DPoP',
      values: { userId },
    },
  )
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
