import type { Queryable } from '../postgres/pool.ts'
import type { Clock } from '../runtime/clock.ts'
import { repeat } from '../runtime/repeat.ts'
import type { Delivery, Outbox } from './outbox.repository.ts'

/** How a try ended: the last one that fails gives up. */
export type TryOutcome = 'delivered' | 'postponed' | 'given_up'

/** The result of one try. A failure that is final is not tried again. `reason` is a label for the log. */
export type Attempt =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly reason: string; readonly isFinal?: boolean }

/** One finished try; `attempt` counts from 1. */
export interface FinishedTry<D> {
  readonly delivery: D
  readonly outcome: TryOutcome
  readonly attempt: number
  readonly reason?: string
}

interface Deps<D extends Delivery> {
  readonly outbox: Outbox<D>
  /** Makes one try. Rejects only for reasons that the receiver has no part in: the delivery is then claimed again. */
  readonly deliver: (delivery: D) => Promise<Attempt>
  /** Stores the dead letter in the audit log, in the transaction that gives up. */
  readonly recordGivenUp: (tx: Queryable, delivery: D, reason: string) => Promise<void>
  /** Called after each try. */
  readonly report: (finished: FinishedTry<D>) => void
  readonly now: Clock
  readonly atOnce?: number
}

/** The number of deliveries that are made at the same time. */
const AT_ONCE = 50

/**
 * One round makes the deliveries that are due. Any number of replicas may run rounds at once. A delivery without a
 * stored result is made again, so a receiver may get it twice, under the same id; this process does not repeat one
 * that was accepted while the database was away. A round stops early when its signal is aborted.
 */
export function createDeliveryRound<D extends Delivery>(
  deps: Deps<D>,
): (signal: AbortSignal) => Promise<void> {
  const { outbox, now, atOnce = AT_ONCE } = deps
  // Accepted by the receiver, and not stored yet as delivered.
  const accepted = new Set<string>()

  return async (signal) => {
    while (!signal.aborted) {
      const due = await outbox.claim(atOnce, now())
      const outcomes = await Promise.allSettled(due.map(deliverOne))
      const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
      // They are claimed again when their lease has expired.
      if (errors.length > 0) throw new AggregateError(errors, 'not every delivery could be made or stored')
      if (due.length < atOnce) return
    }
  }

  async function deliverOne(delivery: D): Promise<void> {
    const key = `${delivery.day} ${delivery.id}`
    const result: Attempt = accepted.has(key) ? { accepted: true } : await deps.deliver(delivery)
    const attempt = delivery.failures + 1
    if (result.accepted) {
      accepted.add(key)
      await outbox.delivered(delivery)
      accepted.delete(key)
      deps.report({ delivery, outcome: 'delivered', attempt })
      return
    }
    const { reason, isFinal = false } = result
    const dueAt = isFinal ? undefined : nextTry(attempt, now())
    if (dueAt === undefined) {
      await outbox.giveUp(delivery, (tx) => deps.recordGivenUp(tx, delivery, reason))
      deps.report({ delivery, outcome: 'given_up', attempt, reason })
    } else {
      await outbox.postpone(delivery, dueAt)
      deps.report({ delivery, outcome: 'postponed', attempt, reason })
    }
  }
}

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS

/** How long to wait after each failure; the first try is made at once. After the last there is no other. */
const DELAYS_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 60 * MINUTE_MS]

/** When to try again after so many failures, the latest of them just now; undefined when it is time to give up. */
function nextTry(failures: number, now: Date): Date | undefined {
  const delayMs = DELAYS_MS[failures - 1]
  return delayMs === undefined ? undefined : new Date(now.getTime() + delayMs)
}

/** The longest time between a change and the first try of its deliveries. */
const INTERVAL_MS = 1_000

/** Runs rounds until the returned function is called, which waits for the round that runs. */
export function startDeliveries(
  round: (signal: AbortSignal) => Promise<void>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const stopping = new AbortController()
  const rounds = repeat(INTERVAL_MS, () => round(stopping.signal), onError)
  return () => {
    stopping.abort()
    return rounds.stop()
  }
}
