import type { IncomingMessage } from 'node:http'
import { REPEATED_CALL_TIMEOUT_MS, type RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import {
  type AuthenticateRequest,
  type AuthenticateResponse,
  type BearerService,
  type SignInDemand as SignInDemandMessage,
  SubjectKind,
} from '@signet/grpc/gen/token/v1/bearer_service_pb'
import { clientCertificate } from '@signet/http/client-certificate'
import type { RequestLimit } from '@signet/http/rate-limit'
import { requestId } from '@signet/http/request-context'
import { DpopProofError } from '@signet/protocol/errors'
import { OWN_APIS } from '@signet/protocol/resource-indicator'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import { DPOP_ALGORITHMS } from '@signet/protocol/signing-algorithms'
import { ApiError, unavailableError } from './api-error.ts'
import type { Caller, SignInDemand } from './caller.ts'

/** Two indexed reads and one check for revocation. Every call of the API waits here. */
const TIMEOUT_MS = REPEATED_CALL_TIMEOUT_MS
/** The scheme in any case (RFC 9110 section 11.1); wider than RFC 6750 section 2.1, since people may choose tokens. */
const AUTHORIZATION = /^(Bearer|DPoP) +([\x21-\x7E]+) *$/i

/**
 * The caller, authenticated for each request, because a token may have been revoked since the last one. Rejects with
 * ApiError: UNAUTHENTICATED without a valid bearer (RFC 6750 section 3), UNAVAILABLE when the check is not possible; with
 * RateLimitedError when the caller makes more calls than `limit` lets it.
 */
export type AuthenticateBearer = (req: IncomingMessage) => Promise<Caller>

export function createAuthenticateBearer(
  bearers: RpcClient<typeof BearerService>,
  limit: RequestLimit,
  api: DescribedApi,
): AuthenticateBearer {
  const authenticate = createPlainAuthenticateBearer(bearers, limit)
  if (!api.oauthMetadata) return authenticate
  return async (req) => {
    try {
      return await authenticate(req)
    } catch (error) {
      throw error instanceof ApiError ? withResourceMetadata(error, pathOf(req), api.issuer) : error
    }
  }
}

/** The service whose API is called. */
export interface DescribedApi {
  readonly issuer: string
  /** Whether the metadata of the API is served (RFC 9728). */
  readonly oauthMetadata?: boolean | undefined
}

/** RFC 9728 section 5.1: a challenge names the metadata of the API. */
function withResourceMetadata(error: ApiError, path: string, issuer: string): ApiError {
  const { 'WWW-Authenticate': challenge, ...others } = error.headers
  const api = OWN_APIS.find((prefix) => path.startsWith(`${prefix}/`))
  if (challenge === undefined || api === undefined) return error
  const named = `${challenge}, resource_metadata="${issuer}${ENDPOINT_PATHS.resourceMetadata}${api}"`
  const { code, message, reason, cause } = error
  return new ApiError(code, message, { reason, cause, headers: { ...others, 'WWW-Authenticate': named } })
}

function createPlainAuthenticateBearer(
  bearers: RpcClient<typeof BearerService>,
  limit: RequestLimit,
): AuthenticateBearer {
  return async (req) => {
    const [, scheme, bearer] = AUTHORIZATION.exec(req.headers.authorization ?? '') ?? []
    if (bearer === undefined) {
      throw new ApiError('UNAUTHENTICATED', 'the call needs a header Authorization: Bearer <token>', {
        reason: 'bearer_missing',
        headers: { 'WWW-Authenticate': 'Bearer realm="signet"' },
      })
    }
    const dpop = scheme?.toLowerCase() === 'dpop' ? presentationOf(req) : undefined
    const certificateThumbprint = clientCertificate(req)?.thumbprint
    const presented = {
      bearer,
      ...(dpop !== undefined && { dpop }),
      ...(certificateThumbprint !== undefined && { certificateThumbprint }),
    }
    const caller = await askToken(bearers, presented, requestId(req))
    limit(caller.userId)
    return caller
  }
}

/** The request that a DPoP proof has to be about (RFC 9449 section 7.1), before a router has changed its URL. */
function presentationOf(req: IncomingMessage) {
  const { dpop = '' } = req.headers
  return { proof: String(dpop), method: req.method ?? '', path: pathOf(req) }
}

function pathOf({ originalUrl, url = '' }: IncomingMessage & { readonly originalUrl?: string }): string {
  const [path = ''] = (originalUrl ?? url).split('?', 1)
  return path
}

async function askToken(
  bearers: RpcClient<typeof BearerService>,
  presented: Presented,
  requestId: string,
): Promise<Caller> {
  const response = await bearers
    .authenticate(presented, { timeoutMs: TIMEOUT_MS, requestId, isSingle: presented.dpop !== undefined })
    .catch((error: unknown) => {
      throw refusal(error, presented)
    })
  if (response.dpopRefusal === undefined) return toCaller(response)
  const { description, reason, nonce } = response.dpopRefusal
  const { message, headers } = new DpopProofError(description, { reason, nonce, isResource: true })
  throw new ApiError('UNAUTHENTICATED', message, { reason, headers })
}

type Presented = Pick<AuthenticateRequest, 'bearer'> & {
  readonly dpop?: ReturnType<typeof presentationOf>
  readonly certificateThumbprint?: string
}

function refusal(error: unknown, { dpop }: Presented): unknown {
  if (!(error instanceof RpcError)) return error
  if (error.code === 'UNAUTHENTICATED') {
    const challenge =
      dpop === undefined
        ? 'Bearer realm="signet", error="invalid_token"'
        : `DPoP realm="signet", error="invalid_token", algs="${DPOP_ALGORITHMS.join(' ')}"`
    return new ApiError('UNAUTHENTICATED', error.message, {
      reason: 'bearer_invalid',
      headers: { 'WWW-Authenticate': challenge },
      cause: error,
    })
  }
  return unavailableError('The bearer token cannot be checked right now; repeat the call in a moment', {
    reason: 'bearer_unchecked',
    cause: error,
  })
}

function toCaller(response: AuthenticateResponse): Caller {
  const { userId, kind, organizationId, roles, tokenId, clientId, act, acr, authTime, signInDemand } =
    response
  return {
    userId,
    kind: kind === SubjectKind.HUMAN ? 'human' : 'service_user',
    organizationId,
    tokenId,
    roles: roles.map(({ role, objectId }) => (objectId === '' ? { role } : { role, objectId })),
    ...(clientId !== undefined && { clientId }),
    ...(act.length > 0 && { act }),
    ...(acr !== undefined && { acr }),
    ...(authTime !== undefined && { authTime: Number(authTime.seconds) }),
    ...(signInDemand !== undefined && { signInDemand: toDemand(signInDemand) }),
  }
}

function toDemand({ acrValues, maxAgeSeconds }: SignInDemandMessage): SignInDemand {
  return { acrValues, ...(maxAgeSeconds !== undefined && { maxAgeSeconds }) }
}
