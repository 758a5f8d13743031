import type { Queryable } from '../postgres/pool.ts'
import type { Clock } from '../runtime/clock.ts'
import { repeat } from '../runtime/clock.ts'
import type { Delivery, Outbox } from './outbox.repository.ts'

/** How a try ended: the last one that fails gives up. */
export type TryOutcome = 'delivered' | 'postponed' | 'given_up'

/** The result of one try. A failure that is final is not tried again. `reason` is a label for the log. */
export type Attempt =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly reason: string; readonly isFinal?: boolean }

/** Finished try; `attempt` counts from 1. */
export interface FinishedTry<D> {
  readonly delivery: D
  readonly outcome: TryOutcome
  readonly attempt: number
  readonly reason?: string
}

/** The deliveries of one outbox, and how they are made. */
export interface Deliveries<D extends Delivery> {
  readonly outbox: Outbox<D>
  /** Makes one try. Rejects only for reasons that the receiver has no part in: the delivery is then claimed again. */
  readonly deliver: (delivery: D) => Promise<Attempt>
  /** Stores the dead letter in the audit log, in the transaction that gives up. */
  readonly recordGivenUp: (tx: Queryable, delivery: D, reason: string) => Promise<void>
  /** Called after each try. */
  readonly report: (finished: FinishedTry<D>) => void
  /** Called when deliveries could not be claimed, and for each that could not be made or stored. */
  readonly onError: (error: unknown) => void
  readonly now: Clock
  /** Time between two rounds; a second by default. */
  readonly intervalMs?: number
}

/** The number of deliveries that are made at the same time; the outbox limits those of one receiver. */
const PLACES = 50

const INTERVAL_MS = 1_000
/** Rounds that are left out after one that found nothing: a change then waits for its first try for at most two seconds. */
const IDLE_ROUNDS = 1

/**
 * Creates a round, which makes the deliveries that are due, and those that become due meanwhile: it ends when none is
 * left and none is in flight, and never rejects. Returns whether there were any. A receiver that does not respond delays its own deliveries only. Any
 * number of replicas may run rounds at once. A delivery without a stored result is made again when its lease has
 * expired, so a receiver may get it twice, under the same id; this process does not repeat one that was accepted
 * while the database was away. When its signal is aborted, a round claims no more and waits for the deliveries in
 * flight.
 */
export function createDeliveryRound<D extends Delivery>(
  deps: Deliveries<D>,
): (signal: AbortSignal) => Promise<boolean> {
  const { outbox, now, onError, intervalMs = INTERVAL_MS } = deps
  // Accepted by the receiver, and not stored yet as delivered.
  const accepted = new Set<string>()

  return async (signal) => {
    // Key → receiver.
    const inFlight = new Map<string, string>()
    let wake = (): void => undefined
    let hasDelivered = false
    for (;;) {
      // Before the claim, so that a place that becomes free during it is seen.
      const changed = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, intervalMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      if (!signal.aborted && inFlight.size < PLACES)
        for (const delivery of await claim([...inFlight.values()])) {
          const key = keyOf(delivery)
          // Its lease expired before its result was stored.
          if (inFlight.has(key)) continue
          inFlight.set(key, delivery.receiver)
          hasDelivered = true
          void deliverOne(delivery)
            .catch(onError)
            .finally(() => {
              inFlight.delete(key)
              wake()
            })
        }
      if (inFlight.size === 0) {
        wake()
        return hasDelivered
      }
      await changed
    }
  }

  async function claim(busy: readonly string[]): Promise<readonly D[]> {
    try {
      return await outbox.claim(PLACES - busy.length, now(), busy)
    } catch (error) {
      onError(error)
      return []
    }
  }

  async function deliverOne(delivery: D): Promise<void> {
    const key = keyOf(delivery)
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

const keyOf = ({ day, id }: Delivery): string => `${day} ${id}`

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS

/** How long to wait after each failure; the first try is made at once. After the last there is no other. */
const DELAYS_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 60 * MINUTE_MS]

/** When to try again after so many failures, the latest of them just now; undefined when it is time to give up. */
function nextTry(failures: number, now: Date): Date | undefined {
  const delayMs = DELAYS_MS[failures - 1]
  return delayMs === undefined ? undefined : new Date(now.getTime() + delayMs)
}

/** Runs rounds until the returned function is called, which waits for the deliveries in flight. */
export function startDeliveries<D extends Delivery>(deliveries: Deliveries<D>): () => Promise<void> {
  const stopping = new AbortController()
  const round = createDeliveryRound(deliveries)
  let idleRounds = 0
  const run = async () => {
    if (idleRounds > 0) idleRounds -= 1
    else if (!(await round(stopping.signal))) idleRounds = IDLE_ROUNDS
  }
  const rounds = repeat(deliveries.intervalMs ?? INTERVAL_MS, run, deliveries.onError)
  return () => {
    stopping.abort()
    return rounds.stop()
  }
}
