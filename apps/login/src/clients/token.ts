// gRPC calls to the token service: responses, grants and revocations.
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { REPEATED_CALL_TIMEOUT_MS, type RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import type { AuthorizationService } from '@signet/grpc/gen/token/v1/authorization_service_pb'
import { SubjectKind } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import type { DeviceService } from '@signet/grpc/gen/token/v1/device_service_pb'
import type { GrantService } from '@signet/grpc/gen/token/v1/grant_service_pb'
import type { RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import type { Logger } from '@signet/platform/logger/logger'
import type { ResponseType } from '@signet/protocol/authorization-parameters'
import {
  AccessDeniedError,
  ExpiredTokenError,
  InvalidRequestError,
  InvalidScopeError,
  LoginRequiredError,
} from '@signet/protocol/errors'
import type { IssueResponse } from '../authorize/assess-authorization.ts'
import type { AuthorizationRequest } from '../authorize/authorization-request.ts'
import type { Client } from '../authorize/oauth-client.ts'
import type { ProvenRedirect } from '../authorize/redirect.ts'
import { reachedAcr } from '../authorize/requested-claims.ts'
import { callService } from '../dependency.ts'
import type { DeviceAnswers } from '../device/device-request.ts'
import type { AccessStore } from '../own-account/applications.service.ts'
import type { BrowserSession, EndSessions } from '../sessions/browser-session.ts'

// Each takes milliseconds: sealing, a query, or a transaction and an entry in the log in Redis.
const TIMEOUT_MS = REPEATED_CALL_TIMEOUT_MS

/** Issues the response of each response type. */
export function createResponseIssuer(
  authorization: RpcClient<typeof AuthorizationService>,
  logger: Logger,
): IssueResponse {
  const implicit =
    (withAccessToken: boolean): IssueResponse =>
    async (redirect, request, session) => {
      // RFC 9700 section 2.1.2 advises against it, so operators see it in the log.
      if (withAccessToken) {
        logger.warn('access_token_in_authorization_response', { clientId: redirect.client.clientId })
      }
      const { nonce = '' } = request
      const message = { ...common(redirect, request, session), nonce, withAccessToken }
      const { accessToken, expiresIn, idToken, scope } = await authorization.issueImplicit(message, {
        timeoutMs: TIMEOUT_MS,
      })
      return {
        ...(accessToken !== undefined && {
          access_token: accessToken,
          token_type: 'Bearer',
          expires_in: String(expiresIn),
        }),
        id_token: idToken,
        scope,
      }
    }
  const issue: Readonly<Record<ResponseType, IssueResponse>> = {
    async code(redirect, request, session) {
      const { nonce, codeChallenge, dpopJkt, details = [] } = request
      const message = {
        ...common(redirect, request, session),
        ...(nonce !== undefined && { nonce }),
        ...(codeChallenge !== undefined && { codeChallenge }),
        ...(dpopJkt !== undefined && { dpopJkt }),
        authorizationDetails: details.map(({ projectId, detail }) => ({
          projectId,
          detail: JSON.stringify(detail),
        })),
      }
      const { code } = await authorization.issueCode(message, { timeoutMs: TIMEOUT_MS })
      return { code }
    },
    id_token: implicit(false),
    'id_token token': implicit(true),
  }
  return async (redirect, request, session) => {
    try {
      return await callService('token', () => issue[request.responseType](redirect, request, session))
    } catch (error) {
      throw refusal(error)
    }
  }
}

/** The answers to the requests of devices. */
export function createDeviceAnswers(devices: RpcClient<typeof DeviceService>): DeviceAnswers {
  async function call<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await callService('token', work)
    } catch (error) {
      throw refusal(error)
    }
  }
  const options = { timeoutMs: TIMEOUT_MS }
  return {
    async begin(device) {
      await call(() => devices.beginDevice(device, options))
    },
    async approve({ device: { handle }, client, request, session, clientAddress }) {
      const { nonce } = request
      const message = {
        ...{ ...authorized(client, request, session), handle, clientAddress },
        ...(nonce !== undefined && { nonce }),
      }
      const { answered } = await call(() => devices.approveDevice(message, options))
      if (answered) return
      throw new ExpiredTokenError('The request of the device was answered before, or has expired', {
        reason: 'device_answered',
      })
    },
    async deny({ device: { handle }, client, request, session, clientAddress }) {
      const message = { ...authorized(client, request, session), handle, clientAddress }
      await call(() => devices.denyDevice(message, options))
    },
  }
}

const common = (redirect: ProvenRedirect, request: AuthorizationRequest, session: BrowserSession) => ({
  ...authorized(redirect.client, request, session),
  redirectUri: redirect.redirectUri,
})

function authorized({ clientId }: Client, request: AuthorizationRequest, session: BrowserSession) {
  const { scopes, claims } = request
  return {
    clientId,
    scopes: [...scopes],
    ...(claims !== undefined && { claims: claims.text }),
    // No method of the person was proven in an impersonation.
    ...(session.impersonation === undefined && { acr: reachedAcr(request, session) }),
    session: {
      sid: session.sid,
      ...personOf(session),
      organizationId: session.organizationId,
      authTime: timestampFromMs(session.authenticatedAt),
      amr: [...session.amr],
      userEpoch: BigInt(session.userEpoch),
      organizationEpoch: BigInt(session.organizationEpoch),
    },
  }
}

/** The person of a session, and the administrator who acts as that person. */
function personOf({ userId, impersonation }: BrowserSession) {
  if (impersonation === undefined) return { userId }
  const { id, administratorId, sid, organizationId, userEpoch, organizationEpoch, endsAt } = impersonation
  return {
    userId: '',
    impersonation: {
      ...{ impersonationId: id, administratorId, sid, organizationId, userId },
      userEpoch: BigInt(userEpoch),
      organizationEpoch: BigInt(organizationEpoch),
      endsAt: timestampFromMs(endsAt),
    },
  }
}

/** Maps the errors of the token service to errors for the client. Others are faults. */
function refusal(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error
  if (error.code === 'NOT_FOUND') {
    const description =
      'scope adds a project to the audience that does not exist or does not allow this client'
    return new InvalidScopeError(description, { reason: 'audience_not_allowed', cause: error })
  }
  if (error.code === 'PERMISSION_DENIED') {
    const description = 'A project of the audience does not let the user in'
    return new AccessDeniedError(description, { reason: 'project_refuses_user', cause: error })
  }
  if (error.code === 'INVALID_ARGUMENT') {
    const description = 'scope, claims and nonce together are too long'
    return new InvalidRequestError(description, { reason: 'request_too_long', cause: error })
  }
  if (error.code === 'FAILED_PRECONDITION') {
    return new LoginRequiredError('The session has just ended', { reason: 'session_ended', cause: error })
  }
  return error
}

export function grantAccess(grantClient: RpcClient<typeof GrantService>): AccessStore {
  return {
    async list(userId) {
      const { grants } = await callService('token', () =>
        grantClient.listGrants({ userId }, { timeoutMs: TIMEOUT_MS }),
      )
      return grants
    },
    async end({ userId, clientAddress }, clientId) {
      const ending = { userId, clientId, clientAddress }
      await callService('token', () => grantClient.endGrants(ending, { timeoutMs: TIMEOUT_MS }))
    },
  }
}

export function createSessionEnder(revocation: RpcClient<typeof RevocationService>): EndSessions {
  return async (ended, { clientAddress, administrator }) => {
    const request = {
      sessions: ended.map(({ sid, userId }) => ({ sid, userId })),
      clientAddress,
      ...(administrator && {
        administrator: {
          userId: administrator.userId,
          kind: administrator.kind === 'human' ? SubjectKind.HUMAN : SubjectKind.SERVICE_USER,
        },
      }),
    }
    await callService('token', () => revocation.endSession(request, { timeoutMs: TIMEOUT_MS }))
  }
}
