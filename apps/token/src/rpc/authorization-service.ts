import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/grpc/error'
import {
  AuthorizationService,
  type IssueCodeRequest,
  type IssueImplicitRequest,
  type Session,
} from '@signet/grpc/gen/token/v1/authorization_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import { AccessDeniedError, InvalidRequestError, InvalidScopeError } from '@signet/protocol/errors'
import type { AuthorizedRequest } from '../issuance/authorized-request.ts'
import type { IssueCode } from '../issuance/issue-code.ts'
import type { IssueImplicit } from '../issuance/issue-implicit.ts'

interface Deps {
  readonly issueCode: IssueCode
  readonly issueImplicit: IssueImplicit
}

/** Serves `signet.token.v1.AuthorizationService`. */
export const authorizationService = ({ issueCode, issueImplicit }: Deps): RpcService =>
  rpcService(AuthorizationService, {
    async issueCode(request) {
      const { nonce, codeChallenge } = request
      const result = await wellFormed(
        issueCode({
          ...authorizedRequest(request),
          ...(nonce !== undefined && { nonce }),
          ...(codeChallenge !== undefined && { codeChallenge }),
        }),
      )
      switch (result.outcome) {
        case 'issued':
          return { code: result.code, expiresAt: timestampFromDate(result.expiresAt) }
        case 'client_unknown':
          throw clientUnknown()
        case 'too_long':
          throw new RpcError('INVALID_ARGUMENT', 'scope, claims and nonce together are too long for a code')
      }
    },
    async issueImplicit(request) {
      const { nonce, withAccessToken } = request
      if (nonce === '') throw new RpcError('INVALID_ARGUMENT', 'nonce is required')
      const result = await wellFormed(
        issueImplicit({ ...authorizedRequest(request), nonce, withAccessToken }),
      )
      switch (result.outcome) {
        case 'issued': {
          const { idToken, scope, accessToken } = result
          return {
            idToken,
            scope,
            ...(accessToken !== undefined && {
              accessToken: accessToken.value,
              expiresIn: accessToken.expiresInSeconds,
            }),
          }
        }
        case 'client_unknown':
          throw clientUnknown()
        case 'ended':
          throw new RpcError('FAILED_PRECONDITION', 'the session, its user or an organization has ended')
      }
    },
  })

function clientUnknown(): RpcError {
  return new RpcError('FAILED_PRECONDITION', 'client_id does not name an active application')
}

async function wellFormed<T>(issuing: Promise<T>): Promise<T> {
  try {
    return await issuing
  } catch (error) {
    if (error instanceof InvalidRequestError) throw new RpcError('INVALID_ARGUMENT', error.message)
    if (error instanceof InvalidScopeError) throw new RpcError('NOT_FOUND', error.message)
    if (error instanceof AccessDeniedError) throw new RpcError('PERMISSION_DENIED', error.message)
    throw error
  }
}

function authorizedRequest(request: IssueCodeRequest | IssueImplicitRequest): AuthorizedRequest {
  const { claims, acr } = request
  return {
    clientId: request.clientId,
    redirectUri: request.redirectUri,
    scopes: request.scopes,
    ...(claims !== undefined && { claims }),
    ...(acr !== undefined && { acr }),
    session: sessionOf(request.session),
  }
}

function sessionOf(session: Session | undefined): AuthorizedRequest['session'] {
  if (session?.authTime === undefined)
    throw new RpcError('INVALID_ARGUMENT', 'session and its auth_time are required')
  return {
    sid: session.sid,
    authTime: Math.floor(timestampDate(session.authTime).getTime() / 1000),
    amr: session.amr,
    user: { id: session.userId, epoch: Number(session.userEpoch) },
    organization: { id: session.organizationId, epoch: Number(session.organizationEpoch) },
  }
}
