import type { IncomingMessage } from 'node:http'
import { REPEATED_CALL_TIMEOUT_MS, type RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import {
  type AuthenticateResponse,
  type BearerService,
  type SignInDemand as SignInDemandMessage,
  SubjectKind,
} from '@signet/grpc/gen/token/v1/bearer_service_pb'
import type { RequestLimit } from '@signet/http/rate-limit'
import { requestId } from '@signet/http/request-context'
import { ApiError, unavailableError } from './api-error.ts'
import type { Caller, SignInDemand } from './caller.ts'

/** Two indexed reads and one check for revocation. Every call of the API waits here. */
const TIMEOUT_MS = REPEATED_CALL_TIMEOUT_MS
/** The scheme in any case (RFC 9110 section 11.1); wider than RFC 6750 section 2.1, since people may choose tokens. */
const BEARER = /^Bearer +([\x21-\x7E]+) *$/i

/**
 * The caller, authenticated for each request, because a token may have been revoked since the last one. Rejects with
 * ApiError: UNAUTHENTICATED without a valid bearer (RFC 6750 section 3), UNAVAILABLE when the check is not possible; with
 * RateLimitedError when the caller makes more calls than `limit` lets it.
 */
export type AuthenticateBearer = (req: IncomingMessage) => Promise<Caller>

export function createAuthenticateBearer(
  bearers: RpcClient<typeof BearerService>,
  limit: RequestLimit,
): AuthenticateBearer {
  return async (req) => {
    const bearer = BEARER.exec(req.headers.authorization ?? '')?.[1]
    if (bearer === undefined) {
      throw new ApiError('UNAUTHENTICATED', 'the call needs a header Authorization: Bearer <token>', {
        reason: 'bearer_missing',
        headers: { 'WWW-Authenticate': 'Bearer realm="signet"' },
      })
    }
    const caller = await askToken(bearers, bearer, requestId(req))
    limit(caller.userId)
    return caller
  }
}

async function askToken(
  bearers: RpcClient<typeof BearerService>,
  bearer: string,
  requestId: string,
): Promise<Caller> {
  try {
    return toCaller(await bearers.authenticate({ bearer }, { timeoutMs: TIMEOUT_MS, requestId }))
  } catch (error) {
    throw refusal(error)
  }
}

function refusal(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error
  if (error.code === 'UNAUTHENTICATED') {
    return new ApiError('UNAUTHENTICATED', error.message, {
      reason: 'bearer_invalid',
      headers: { 'WWW-Authenticate': 'Bearer realm="signet", error="invalid_token"' },
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
