import { unavailableError } from '@signet/admin-api/api-error'
import { REPEATED_CALL_TIMEOUT_MS, type RpcClient } from '@signet/grpc/client'
import type { RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import type { KeyStore } from './key.repository.ts'

/**
 * Revokes everywhere what was made with revoked keys. Repeating it is harmless; rejects when a service may still
 * accept it.
 */
export type PublishRevocations = (kids: readonly string[]) => Promise<void>

/** Publishes through the token service, then notes it in the store. The next tick repeats a call that failed before the note. */
export function createPublishRevocations(
  revocation: RpcClient<typeof RevocationService>,
  store: Pick<KeyStore, 'markPublished'>,
): PublishRevocations {
  return async (kids) => {
    if (kids.length === 0) return
    try {
      await Promise.all(
        kids.map((kid) => revocation.revokeKey({ kid }, { timeoutMs: REPEATED_CALL_TIMEOUT_MS })),
      )
    } catch (cause) {
      throw unavailableError(
        'the key is revoked, but what was made with it may not have ended everywhere; repeat the call',
        { reason: 'key_revocation_unpublished', cause },
      )
    }
    await store.markPublished(kids)
  }
}
