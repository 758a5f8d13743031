import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/grpc/error'
import {
  type AuthorizationDetail,
  AuthorizationService,
  type Impersonation,
  type IssueCodeRequest,
  type IssueImplicitRequest,
  type Session,
} from '@signet/grpc/gen/token/v1/authorization_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import type { GrantedDetail } from '@signet/protocol/authorization-details'
import { AccessDeniedError, InvalidRequestError, InvalidScopeError } from '@signet/protocol/errors'
import type { AuthorizedRequest, IssueCode, RedirectedRequest, SessionImpersonation } from './code.ts'
import type { IssueImplicit } from './implicit.ts'

interface AuthorizationServiceDeps {
  readonly issueCode: IssueCode
  readonly issueImplicit: IssueImplicit
}

/** Serves `signet.token.v1.AuthorizationService`. */
export const authorizationService = ({ issueCode, issueImplicit }: AuthorizationServiceDeps): RpcService =>
  rpcService(AuthorizationService, {
    async issueCode(request) {
      const { nonce, codeChallenge, dpopJkt, authorizationDetails } = request
      const result = await wellFormed(
        issueCode({
          ...redirectedRequest(request),
          ...(nonce !== undefined && { nonce }),
          ...(codeChallenge !== undefined && { codeChallenge }),
          ...(dpopJkt !== undefined && { dpopJkt }),
          ...(authorizationDetails.length > 0 && { details: authorizationDetails.map(grantedDetail) }),
        }),
      )
      switch (result.outcome) {
        case 'issued':
          return { code: result.code, expiresAt: timestampFromDate(result.expiresAt) }
        case 'client_unknown':
          throw clientUnknown()
        case 'too_long':
          throw new RpcError(
            'INVALID_ARGUMENT',
            'scope, claims, nonce and authorization_details together are too long for a code',
          )
      }
    },
    async issueImplicit(request) {
      const { nonce, withAccessToken } = request
      if (nonce === '') throw new RpcError('INVALID_ARGUMENT', 'nonce is required')
      const result = await wellFormed(
        issueImplicit({ ...redirectedRequest(request), nonce, withAccessToken }),
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

export function clientUnknown(): RpcError {
  return new RpcError('FAILED_PRECONDITION', 'client_id does not name an active application')
}

/** Gives the errors of an issuance their status. */
export async function wellFormed<T>(issuing: Promise<T>): Promise<T> {
  try {
    return await issuing
  } catch (error) {
    if (error instanceof InvalidRequestError) throw new RpcError('INVALID_ARGUMENT', error.message)
    if (error instanceof InvalidScopeError) throw new RpcError('NOT_FOUND', error.message)
    if (error instanceof AccessDeniedError) throw new RpcError('PERMISSION_DENIED', error.message)
    throw error
  }
}

const grantedDetail = ({ projectId, detail }: AuthorizationDetail): GrantedDetail => ({
  projectId,
  detail: JSON.parse(detail),
})

const redirectedRequest = (request: IssueCodeRequest | IssueImplicitRequest): RedirectedRequest => ({
  ...authorizedRequest(request),
  redirectUri: request.redirectUri,
})

type Authorized = Pick<IssueCodeRequest, 'clientId' | 'scopes' | 'claims' | 'acr' | 'session'>

export function authorizedRequest(request: Authorized): AuthorizedRequest {
  const { claims, acr } = request
  return {
    clientId: request.clientId,
    scopes: request.scopes,
    ...(claims !== undefined && { claims }),
    ...(acr !== undefined && { acr }),
    session: sessionOf(request.session),
  }
}

export function sessionOf(session: Session | undefined): AuthorizedRequest['session'] {
  if (session?.authTime === undefined)
    throw new RpcError('INVALID_ARGUMENT', 'session and its auth_time are required')
  return {
    sid: session.sid,
    authTime: Math.floor(timestampDate(session.authTime).getTime() / 1000),
    amr: session.amr,
    user: { id: session.impersonation?.userId ?? session.userId, epoch: Number(session.userEpoch) },
    organization: { id: session.organizationId, epoch: Number(session.organizationEpoch) },
    ...(session.impersonation && { impersonation: impersonationOf(session.impersonation) }),
  }
}

function impersonationOf(message: Impersonation): SessionImpersonation {
  const { impersonationId: id, administratorId, sid, organizationId, endsAt } = message
  if (id === '' || administratorId === '' || sid === '' || endsAt === undefined)
    throw new RpcError('INVALID_ARGUMENT', 'impersonation needs its id, the administrator, sid and ends_at')
  return {
    id,
    sid,
    administrator: { id: administratorId, epoch: Number(message.userEpoch) },
    organization: { id: organizationId, epoch: Number(message.organizationEpoch) },
    endsAt: Math.floor(timestampDate(endsAt).getTime() / 1000),
  }
}
