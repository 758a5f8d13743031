import { unavailableError } from '@signet/admin-api/api-error'
import { REPEATED_CALL_TIMEOUT_MS, type RpcClient } from '@signet/grpc/client'
import { EndingKind, type RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import type { Epoch, PublishEndings } from '../epochs/epoch.ts'

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
