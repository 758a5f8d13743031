import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/grpc/error'
import { BearerService, SubjectKind } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import { GrantService } from '@signet/grpc/gen/token/v1/grant_service_pb'
import { PreviewService } from '@signet/grpc/gen/token/v1/preview_service_pb'
import { EndingKind } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import { DpopProofError } from '@signet/protocol/errors'
import {
  type AuthenticateBearer,
  type BearerRefusal,
  createAuthenticateBearer,
} from './bearer/authenticate-bearer.ts'
import type { ClientUse } from './client-use/client-use.repository.ts'
import type { TokenParts } from './dependencies.ts'
import { deviceService } from './device/device.grpc.ts'
import { createDeviceAuthorizations } from './device/device-authorization.service.ts'
import { authorizationService } from './issuance/authorization.grpc.ts'
import { createIssueCode, createSealCode } from './issuance/code.ts'
import { createIssueImplicit } from './issuance/implicit.ts'
import { createPreviewTokens, type PreviewTokens } from './issuance/preview.ts'
import type { Use, UsedKind } from './logout/use.repository.ts'
import { revocationService } from './revocation/revocation.grpc.ts'
import {
  createEndGrants,
  createEndSessions,
  createRevokeKey,
  type EndGrants,
  type ListGrants,
} from './revocation/revoke.service.ts'

/** The gRPC services of this process. */
export function tokenRpcServices(parts: TokenParts): readonly RpcService[] {
  const { grants, uses, endByDirectory } = parts
  const sealCode = createSealCode(parts)
  return [
    authorizationService({ issueCode: createIssueCode(sealCode), issueImplicit: createIssueImplicit(parts) }),
    deviceService(createDeviceAuthorizations({ ...parts, sealCode })),
    revocationService({
      endSessions: createEndSessions(parts),
      endByDirectory,
      revokeKey: createRevokeKey(parts),
    }),
    grantService({
      listGrants: (userId) => grants.ofUser(userId, parts.now()),
      endGrants: createEndGrants({ ...parts, endApprovals: parts.devices.endApprovals }),
      countUse: (kind, ids, clientIds) => uses.count(kind, { ids, clientIds }, parts.now()),
      findLastUse: (clientIds) => parts.clientUseStore.find(clientIds),
    }),
    bearerService({ authenticateBearer: createAuthenticateBearer(parts) }),
    previewService({ previewTokens: createPreviewTokens(parts) }),
  ]
}

const REFUSALS: Readonly<Record<BearerRefusal, string>> = {
  invalid: 'the bearer token is expired, revoked or not valid here',
  key_not_proven:
    'the token is bound to a key, and is presented by the scheme DPoP with a proof of that key, or to a certificate, and is presented with it at the origin of mtls_endpoint_aliases; a token that is not bound is presented by Bearer',
  client_not_marked:
    'the bearer token counts only through an application with mayCallApi, which an IAM_OWNER sets',
  impersonated:
    'somebody acts for the user of the bearer token, which allowImpersonatedApiCalls of the security policy forbids',
}

/** Serves `signet.token.v1.BearerService`. */
const bearerService = ({
  authenticateBearer,
}: {
  readonly authenticateBearer: AuthenticateBearer
}): RpcService =>
  rpcService(BearerService, {
    async authenticate({ bearer, dpop, certificateThumbprint: certificate }) {
      const caller = await authenticateBearer(bearer, { dpop, certificate }).catch((error: unknown) => {
        if (error instanceof DpopProofError) return error
        throw error
      })
      if (caller instanceof DpopProofError) {
        const { message: description, reason, nonce } = caller
        return { dpopRefusal: { description, reason, ...(nonce !== undefined && { nonce }) } }
      }
      if (typeof caller === 'string') throw new RpcError('UNAUTHENTICATED', REFUSALS[caller])
      const { clientId, act, demand } = caller
      const { authTime, acr } = caller.signIn
      return {
        userId: caller.userId,
        kind: caller.kind === 'human' ? SubjectKind.HUMAN : SubjectKind.SERVICE_USER,
        organizationId: caller.organizationId,
        tokenId: caller.tokenId,
        roles: caller.roles.map(({ role, objectId = '' }) => ({ role, objectId })),
        act: [...act],
        ...(clientId !== undefined && { clientId }),
        ...(acr !== undefined && { acr }),
        ...(authTime !== undefined && { authTime: timestampFromMs(authTime * 1000) }),
        ...(demand !== undefined && {
          signInDemand: {
            acrValues: [...demand.acrValues],
            ...(demand.maxAgeSeconds !== undefined && { maxAgeSeconds: demand.maxAgeSeconds }),
          },
        }),
      }
    },
  })

interface GrantServiceDeps {
  readonly listGrants: ListGrants
  readonly endGrants: EndGrants
  readonly countUse: (kind: UsedKind, ids: readonly string[], clientIds: readonly string[]) => Promise<Use>
  readonly findLastUse: (clientIds: readonly string[]) => Promise<readonly ClientUse[]>
}

const USED_KINDS: Readonly<Partial<Record<EndingKind, UsedKind>>> = {
  [EndingKind.USER]: 'user',
  [EndingKind.CLIENT]: 'client',
  [EndingKind.ORGANIZATION]: 'organization',
}

/** Serves `signet.token.v1.GrantService`. */
const grantService = ({ listGrants, endGrants, countUse, findLastUse }: GrantServiceDeps): RpcService =>
  rpcService(GrantService, {
    async listGrants({ userId }) {
      const grants = await listGrants(userId)
      return { grants: grants.map(({ scopes, ...grant }) => ({ ...grant, scopes: [...scopes] })) }
    },
    async endGrants({ userId, clientId, clientAddress }) {
      if (userId === '' || clientId === '')
        throw new RpcError('INVALID_ARGUMENT', 'user_id and client_id are required')
      await endGrants({ userId, clientId, ...(clientAddress !== '' && { clientAddress }) })
      return {}
    },
    async countUse({ kind, ids, clientIds }) {
      const used = USED_KINDS[kind]
      if (used === undefined)
        throw new RpcError('INVALID_ARGUMENT', 'kind must be user, client or organization')
      return { ...(await countUse(used, ids, clientIds)) }
    },
    findLastUse: async ({ clientIds }) => ({ uses: [...(await findLastUse(clientIds))] }),
  })

/** Serves `signet.token.v1.PreviewService`. */
const previewService = ({ previewTokens }: { readonly previewTokens: PreviewTokens }): RpcService =>
  rpcService(PreviewService, {
    async previewTokens(request) {
      const preview = await previewTokens(request)
      if (preview === undefined) throw new RpcError('NOT_FOUND', 'there is no such user or application')
      return {
        scopes: [...preview.scopes],
        droppedScopes: [...preview.droppedScopes],
        refusals: [...preview.refusals],
        accessTokenIsJwt: preview.accessTokenIsJwt,
        accessTokenClaims: JSON.stringify(preview.accessToken),
        idTokenClaims: JSON.stringify(preview.idToken),
        userinfoClaims: JSON.stringify(preview.userinfo),
      }
    },
  })
