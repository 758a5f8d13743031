import { unavailableError } from '@signet/http-server/api-error'
import type { RpcClient } from '@signet/rpc/client'
import { EpochKind, type RevocationService } from '@signet/rpc/gen/token/v1/revocation_service_pb'
import type { Epoch, PublishEpochs } from '../epochs/epoch.ts'

// A transaction, and the mirror in Redis.
const TIMEOUT_MS = 5_000

const KINDS: Readonly<Record<Epoch['kind'], EpochKind>> = {
  user: EpochKind.USER,
  client: EpochKind.CLIENT,
  organization: EpochKind.ORGANIZATION,
  personal_access_token: EpochKind.PERSONAL_ACCESS_TOKEN,
}

/** Publishes through the token service, which finds what it could not be told by itself a moment later. */
export function epochPublisher(revocation: RpcClient<typeof RevocationService>): PublishEpochs {
  return async (epochs) => {
    // Nothing is under the first epoch.
    const risen = epochs.filter(({ epoch }) => epoch > 0)
    if (risen.length === 0) return
    const request = {
      epochs: risen.map((ended) => ({
        kind: KINDS[ended.kind],
        id: ended.id,
        epoch: BigInt(ended.epoch),
        ...(ended.kind === 'personal_access_token' && { userId: ended.userId }),
      })),
    }
    try {
      await revocation.publishEpochs(request, { timeoutMs: TIMEOUT_MS })
    } catch (cause) {
      throw unavailableError(
        'the change is stored, but tokens and sessions may not have ended everywhere; repeat the call',
        { reason: 'epochs_unpublished', cause },
      )
    }
  }
}
