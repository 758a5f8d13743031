import { unavailableError } from '@signet/admin-api/api-error'
import type { RpcClient } from '@signet/grpc/client'
import type { RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import type { PublishRevocations } from '../revocation/publish-revocations.ts'

// A transaction, and an entry of the log in Redis.
const TIMEOUT_MS = 5_000

/** Ends what was made with a key, through the token service. */
export function keyRevoker(revocation: RpcClient<typeof RevocationService>): PublishRevocations {
  return async (kids) => {
    try {
      await Promise.all(kids.map((kid) => revocation.revokeKey({ kid }, { timeoutMs: TIMEOUT_MS })))
    } catch (cause) {
      throw unavailableError(
        'the key is revoked, but what was made with it may not have ended everywhere; repeat the call',
        { reason: 'key_revocation_unpublished', cause },
      )
    }
  }
}
