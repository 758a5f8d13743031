import type { RpcService } from '@signet/grpc/service'
import { authenticateBearer } from './bearer/authenticate-bearer.ts'
import { issueCode } from './issuance/issue-code.ts'
import { issueImplicit } from './issuance/issue-implicit.ts'
import { endGrants } from './revocation/end-grants.ts'
import { endSessions } from './revocation/end-sessions.ts'
import { revokeKey } from './revocation/revoke-key.ts'
import { authorizationService } from './rpc/authorization-service.ts'
import { bearerService } from './rpc/bearer-service.ts'
import { grantService } from './rpc/grant-service.ts'
import { revocationService } from './rpc/revocation-service.ts'
import type { TokenParts } from './token-parts.ts'

/** What this service answers to the others. */
export function tokenRpcServices(parts: TokenParts): readonly RpcService[] {
  const { grants, endByDirectory } = parts
  return [
    authorizationService({ issueCode: issueCode(parts), issueImplicit: issueImplicit(parts) }),
    revocationService({ endSessions: endSessions(parts), endByDirectory, revokeKey: revokeKey(parts) }),
    grantService({ listGrants: (userId) => grants.ofUser(userId, parts.now()), endGrants: endGrants(parts) }),
    bearerService({ authenticateBearer: authenticateBearer(parts) }),
  ]
}
