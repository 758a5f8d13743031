import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/rpc/error'
import {
  AuthorizationService,
  type IssueCodeRequest,
} from '@signet/rpc/gen/token/v1/authorization_service_pb'
import { type RpcService, rpcService } from '@signet/rpc/service'
import type { CodeRequest, IssueCode } from '../issuance/issue-code.ts'

/** Serves `signet.token.v1.AuthorizationService`. */
export const authorizationService = ({ issueCode }: { readonly issueCode: IssueCode }): RpcService =>
  rpcService(AuthorizationService, {
    async issueCode(request) {
      const result = await issueCode(toCodeRequest(request))
      switch (result.outcome) {
        case 'issued':
          return { code: result.code, expiresAt: timestampFromDate(result.expiresAt) }
        case 'client_unknown':
          throw new RpcError('FAILED_PRECONDITION', 'client_id does not name an active application')
        case 'too_long':
          throw new RpcError('INVALID_ARGUMENT', 'scope and nonce together are too long for a code')
      }
    },
  })

function toCodeRequest(request: IssueCodeRequest): CodeRequest {
  const { session } = request
  if (session?.authTime === undefined)
    throw new RpcError('INVALID_ARGUMENT', 'session and its auth_time are required')
  return {
    clientId: request.clientId,
    redirectUri: request.redirectUri,
    scopes: request.scopes,
    ...(request.nonce !== undefined && { nonce: request.nonce }),
    ...(request.codeChallenge !== undefined && { codeChallenge: request.codeChallenge }),
    session: {
      sid: session.sid,
      authTime: Math.floor(timestampDate(session.authTime).getTime() / 1000),
      amr: session.amr,
      user: { id: session.userId, epoch: Number(session.userEpoch) },
      organization: { id: session.organizationId, epoch: Number(session.organizationEpoch) },
    },
  }
}
