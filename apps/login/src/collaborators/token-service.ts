import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { RpcClient } from '@signet/rpc/client'
import type { AuthorizationService } from '@signet/rpc/gen/token/v1/authorization_service_pb'
import type { RevocationService } from '@signet/rpc/gen/token/v1/revocation_service_pb'
import type { IssueCode } from '../authorization/authorize.ts'
import type { EndTokens } from '../logout/logout-flow.ts'
import { call } from './call.ts'

// Sealing is quick; the rest is for a process that is busy.
const ISSUE_TIMEOUT_MS = 2_000
// A transaction, and the mirror in Redis.
const END_TIMEOUT_MS = 5_000

export function codeIssuer(authorization: RpcClient<typeof AuthorizationService>): IssueCode {
  return async ({ client, redirectUri }, { scopes, nonce, codeChallenge }, session) => {
    const request = {
      clientId: client.clientId,
      redirectUri,
      scopes: [...scopes],
      ...(nonce !== undefined && { nonce }),
      ...(codeChallenge !== undefined && { codeChallenge }),
      session: {
        sid: session.sid,
        userId: session.userId,
        organizationId: session.organizationId,
        authTime: timestampFromMs(session.authenticatedAt),
        amr: [...session.amr],
        userEpoch: BigInt(session.userEpoch),
        organizationEpoch: BigInt(session.organizationEpoch),
      },
    }
    const { code } = await call('token', () =>
      authorization.issueCode(request, { timeoutMs: ISSUE_TIMEOUT_MS }),
    )
    return code
  }
}

export function tokenEnder(revocation: RpcClient<typeof RevocationService>): EndTokens {
  return async (ended) => {
    const sessions = ended.map(({ sid, userId }) => ({ sid, userId }))
    await call('token', () => revocation.endSession({ sessions }, { timeoutMs: END_TIMEOUT_MS }))
  }
}
