import type { Clock } from '@signet/platform/runtime/clock'
import type { IdempotencyStore } from './idempotency.repository.ts'

/** Clients retry within minutes; a day covers queues that were stopped over night. */
const KEPT_MS = 86_400_000

/** One round: forgets idempotency keys, and the answers under them, after a day. Every replica may run it. */
export function forgetAnswers(
  idempotency: Pick<IdempotencyStore, 'deleteClaimedBefore'>,
  now: Clock,
): () => Promise<void> {
  return () => idempotency.deleteClaimedBefore(new Date(now().getTime() - KEPT_MS))
}
