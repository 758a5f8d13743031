import { unavailableError } from '@signet/admin-api/api-error'
import { REPEATED_CALL_TIMEOUT_MS, type RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import type { GrantService } from '@signet/grpc/gen/token/v1/grant_service_pb'
import type { PreviewService } from '@signet/grpc/gen/token/v1/preview_service_pb'
import { EndingKind, type RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import type { Epoch, PublishEndings } from '../epochs/epoch.ts'
import type { PreviewTokens } from '../previews/token-preview.ts'
import type { CountUse, FindLastUse } from '../usage/usage.ts'

const KINDS: Readonly<Record<Epoch['kind'], EndingKind>> = {
  user: EndingKind.USER,
  client: EndingKind.CLIENT,
  organization: EndingKind.ORGANIZATION,
  personal_access_token: EndingKind.PERSONAL_ACCESS_TOKEN,
}

/** Publishes through the token service, which also follows the feed of endings and so finds those of a failed call. */
export function createEndingPublisher(revocation: RpcClient<typeof RevocationService>): PublishEndings {
  return async (epochs) => {
    // Nothing is under the first epoch.
    const risen = epochs.filter(({ epoch }) => epoch > 0)
    if (risen.length === 0) return
    const request = {
      endings: risen.map((ended) => ({
        kind: KINDS[ended.kind],
        id: ended.id,
        value: BigInt(ended.epoch),
        ...(ended.kind === 'personal_access_token' && { userId: ended.userId }),
      })),
    }
    try {
      await revocation.publishEndings(request, { timeoutMs: REPEATED_CALL_TIMEOUT_MS })
    } catch (cause) {
      throw unavailableError(
        'the change is stored, but tokens and sessions may not have ended everywhere; repeat the call',
        { reason: 'endings_unpublished', cause },
      )
    }
  }
}

const MOST_AT_ONCE = 500

/** Publishes the thousands of endings of one batch in calls of 500. Rejects with DependencyUnavailableError. */
export function createPartedPublisher(publish: PublishEndings): PublishEndings {
  return async (epochs) => {
    for (let from = 0; from < epochs.length; from += MOST_AT_ONCE) {
      await publish(epochs.slice(from, from + MOST_AT_ONCE)).catch((cause: unknown) => {
        throw new DependencyUnavailableError('token', cause)
      })
    }
  }
}

/** UNIMPLEMENTED: a replica of an earlier version, during a rolling upgrade. */
const AWAY: readonly string[] = ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED']

/** Asks the token service, which makes tokens, what they would contain. */
export function createTokenPreviewClient(previews: RpcClient<typeof PreviewService>): PreviewTokens {
  return async ({ userId, clientId, scopes, resources, grantType }) => {
    try {
      const found = await previews.previewTokens(
        { userId, clientId, scopes: [...scopes], resources: [...resources], grantType },
        { timeoutMs: REPEATED_CALL_TIMEOUT_MS },
      )
      return {
        scopes: found.scopes,
        droppedScopes: found.droppedScopes.map(({ scope, reason }) => ({ scope, reason })),
        refusals: found.refusals.map(({ reason, projectId, resource }) => ({ reason, projectId, resource })),
        accessTokenType: found.accessTokenIsJwt ? 'jwt' : 'opaque',
        accessToken: JSON.parse(found.accessTokenClaims),
        idToken: JSON.parse(found.idTokenClaims),
        userinfo: JSON.parse(found.userinfoClaims),
      }
    } catch (cause) {
      if (cause instanceof RpcError && cause.code === 'NOT_FOUND') return undefined
      throw unavailableTokenError('the tokens cannot be evaluated right now; repeat the call', cause)
    }
  }
}

/** Maps an absent token service to ApiError UNAVAILABLE. */
function unavailableTokenError(message: string, cause: unknown): unknown {
  if (!(cause instanceof RpcError) || !AWAY.includes(cause.code)) return cause
  return unavailableError(message, { reason: 'token_unavailable', cause })
}

const USED: Readonly<Record<Parameters<CountUse>[0], EndingKind>> = {
  user: EndingKind.USER,
  client: EndingKind.CLIENT,
  organization: EndingKind.ORGANIZATION,
}

/** Asks the token service, which knows sessions by application, what would end. */
export function createUseCounter(grants: RpcClient<typeof GrantService>): CountUse {
  return async (kind, ids, clientIds = []) => {
    try {
      const request = { kind: USED[kind], ids: [...ids], clientIds: [...clientIds] }
      return await grants.countUse(request, { timeoutMs: REPEATED_CALL_TIMEOUT_MS })
    } catch (cause) {
      throw unavailableTokenError('sessions cannot be counted right now; repeat the call', cause)
    }
  }
}

/** Asks the token service on which days clients got their latest tokens. */
export function createLastUseFinder(grants: RpcClient<typeof GrantService>): FindLastUse {
  return async (clientIds) => {
    try {
      const { uses } = await grants.findLastUse(
        { clientIds: [...clientIds] },
        { timeoutMs: REPEATED_CALL_TIMEOUT_MS },
      )
      return new Map(uses.map(({ clientId, day }) => [clientId, day]))
    } catch (cause) {
      throw unavailableTokenError('the use of clients cannot be read right now; repeat the call', cause)
    }
  }
}
