import { unavailableError } from '@signet/http-server/api-error'
import type { RpcClient } from '@signet/rpc/client'
import type { RevocationService } from '@signet/rpc/gen/token/v1/revocation_service_pb'
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
