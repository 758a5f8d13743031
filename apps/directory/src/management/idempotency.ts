import { ApiError } from '@signet/admin-api/api-error'
import type { Clock } from '@signet/platform/runtime/clock'
import { openValue, sealValue } from '../sealing/sealed-value.ts'
import type { IdempotencyStore } from './idempotency.repository.ts'
import type { Change, ManagementServices } from './management-call.ts'
import type { ManagementStores } from './management-stores.ts'

/** The values that make an operation run once for all calls with the same key. */
export interface Once {
  readonly key: string
  /** Of the operation and its input: another request under the same key is a mistake of the caller. */
  readonly requestDigest: Buffer
  /** The answer as JSON, and back. */
  readonly write: (result: unknown) => unknown
  readonly read: (wire: unknown) => unknown
}

interface Context {
  readonly services: Pick<ManagementServices, 'masterKeys' | 'random' | 'now'>
  readonly stores: Pick<ManagementStores, 'idempotency'>
  readonly once: Once | undefined
  /** Keys of one caller mean nothing to another. */
  readonly callerId: string
}

/**
 * Runs `work`, or answers what it answered the first time under this key. Of parallel calls one works and the others
 * wait for its transaction. Answers are kept sealed, since some hold a secret that is shown only once.
 */
export async function performOnce<Result>(
  { services, stores, once, callerId }: Context,
  work: () => Promise<Change<Result>>,
): Promise<Change<Result>> {
  if (once === undefined) return work()
  const { masterKeys, random, now } = services
  const { key, requestDigest } = once
  const purpose = `idempotency ${callerId} ${key}`
  const claim = await stores.idempotency.claim({ callerId, key, requestDigest, at: now() })
  if (claim.outcome === 'other_request') {
    throw new ApiError(
      'FAILED_PRECONDITION',
      'the Idempotency-Key was used for another request; take a new key for a new request',
      { reason: 'idempotency_key_reused', status: 422 },
    )
  }
  if (claim.outcome === 'answered') {
    const answer = openValue(masterKeys, claim.sealedAnswer, purpose)
    if (answer === undefined) throw new Error('no master key opens the answer that was kept')
    // `read` parses the output of `write`.
    return { result: once.read(JSON.parse(answer.toString('utf8'))) as Result }
  }
  const done = await work()
  const answer = Buffer.from(JSON.stringify(once.write(done.result)))
  await stores.idempotency.keep({
    callerId,
    key,
    sealedAnswer: sealValue(masterKeys, answer, purpose, random),
  })
  return done
}

/** Clients retry within minutes; a day covers queues that were stopped over night. */
const ANSWER_KEPT_MS = 86_400_000

/** One round: forgets idempotency keys, and the answers under them, after a day. Every replica may run it. */
export function forgetAnswers(
  idempotency: Pick<IdempotencyStore, 'deleteClaimedBefore'>,
  now: Clock,
): () => Promise<void> {
  return () => idempotency.deleteClaimedBefore(new Date(now().getTime() - ANSWER_KEPT_MS))
}
