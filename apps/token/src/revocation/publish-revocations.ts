import { TemporarilyUnavailableError } from '@signet/oauth-protocol/errors'
import type { MirrorStore } from '../stores/mirror-store.ts'
import type { RecordedRevocation, RevocationStore } from '../stores/revocation-store.ts'

/** Brings committed revocations into the mirror before their caller is answered. */
export type PublishRevocations = (revocations: readonly RecordedRevocation[]) => Promise<void>

/**
 * Rejects with TemporarilyUnavailableError when the mirror cannot be written: the revocation stands and will be
 * published by the sweep, but its caller may not yet be told that it is final. Repeating the call is harmless.
 */
export function publishRevocations(deps: {
  readonly revocations: RevocationStore
  readonly mirror: MirrorStore
}): PublishRevocations {
  return async (recorded) => {
    if (recorded.length === 0) return
    try {
      await deps.mirror.write(recorded)
    } catch (cause) {
      throw new TemporarilyUnavailableError(
        'The revocation is recorded but not yet in force everywhere; repeat the call',
        {
          reason: 'mirror_write_failed',
          cause,
        },
      )
    }
    await deps.revocations.markPublished(recorded)
  }
}
