import { networkCounter } from '../throttling/attempt-counter.ts'
import type { DelayRule, WindowRule } from '../throttling/attempt-rule.ts'
import type { AttemptResult, AttemptStore, BegunTry, Try } from '../throttling/attempt-store.ts'

/** Who tries to prove what. */
export interface Attempt {
  /** Where its failures count. */
  readonly counter: string
  /** Failures after which it has to wait; 0: it never has to. */
  readonly freeFailures: number
  /** The network that a failure counts for as well; absent for a browser that signed the account in before. */
  readonly clientAddress?: string
}

/** Which limit refused: that of the account, or that of everybody in the network. */
export interface Throttled {
  readonly kind: 'throttled'
  readonly by: 'account' | 'network'
  readonly retryAfterSeconds: number
}

export type AttemptOutcome<T> =
  | { readonly kind: 'verified'; readonly value: T }
  | { readonly kind: 'failed' }
  | Throttled

/**
 * Makes a try under the limits of its counter and of its network. `verify` gives undefined for a failure, and is not
 * called when a limit refuses. A try that only others under way stand against waits for them, five seconds at most.
 */
export type ThrottledAttempt = <T>(
  attempt: Attempt,
  verify: () => Promise<T | undefined>,
) => Promise<AttemptOutcome<T>>

export interface ThrottleOptions {
  readonly store: AttemptStore
  /** An opaque name for the network of an address. */
  readonly networkOf: (clientAddress: string) => string
  readonly now: () => Date
  /** Resolves when it is time to look again whether tries under way are over. */
  readonly pause?: () => Promise<void>
}

const LONGEST_DELAY_SECONDS = 900
/** Failures of different accounts, or of names without one: a person who forgot a password locks no office out. */
const NETWORK_RULE: WindowRule = { kind: 'window', free: 100, forgetAfterSeconds: 15 * 60 }

const PAUSE_MS = 50
const MOST_PAUSES = 100
/** Tries that wait cost a request to Redis for each pause. */
const MOST_WAITING = 200

export function createSignInThrottle(options: ThrottleOptions): ThrottledAttempt {
  const { store, networkOf, now, pause = shortPause } = options
  let waiting = 0

  async function beginWhenClear(attempt: Attempt): Promise<readonly BegunTry[] | Throttled> {
    for (let pauses = 0; ; pauses += 1) {
      const begun = await beginAll(attempt)
      if (begun !== 'wait') return begun
      if (pauses >= MOST_PAUSES || (pauses === 0 && waiting >= MOST_WAITING)) {
        return { kind: 'throttled', by: 'account', retryAfterSeconds: 1 }
      }
      waiting += 1
      await pause().finally(() => {
        waiting -= 1
      })
    }
  }

  /** All of them or none. */
  async function beginAll(attempt: Attempt): Promise<readonly BegunTry[] | Throttled | 'wait'> {
    const begun: BegunTry[] = []
    for (const { by, ...one } of limitsOf(attempt, networkOf)) {
      const started = await store.begin(one, now()).catch(async (error: unknown) => {
        await finishAll(begun, 'void')
        throw error
      })
      if (started.outcome === 'begun') {
        begun.push(started)
        continue
      }
      await finishAll(begun, 'void')
      return started.outcome === 'wait'
        ? 'wait'
        : { kind: 'throttled', by, retryAfterSeconds: started.retryAfterSeconds }
    }
    return begun
  }

  const finishAll = (begun: readonly BegunTry[], result: AttemptResult) =>
    Promise.all(begun.map((one) => one.finish(result, now())))

  return async (attempt, verify) => {
    const begun = await beginWhenClear(attempt)
    if ('kind' in begun) return begun
    const value = await verify().catch(async (error: unknown) => {
      await finishAll(begun, 'void')
      throw error
    })
    await finishAll(begun, value === undefined ? 'failed' : 'succeeded')
    return value === undefined ? { kind: 'failed' } : { kind: 'verified', value }
  }
}

interface Limit extends Try {
  readonly by: Throttled['by']
}

function limitsOf(
  { counter, freeFailures, clientAddress }: Attempt,
  networkOf: ThrottleOptions['networkOf'],
): readonly Limit[] {
  const network: Limit | false = clientAddress !== undefined && {
    by: 'network',
    key: networkCounter(networkOf(clientAddress)),
    subject: counter,
    rule: NETWORK_RULE,
  }
  const own: Limit | false = freeFailures > 0 && {
    by: 'account',
    key: counter,
    subject: counter,
    rule: delayRule(freeFailures),
  }
  return [network, own].filter((limit) => limit !== false)
}

const delayRule = (free: number): DelayRule => ({
  kind: 'delay',
  free,
  longestDelaySeconds: LONGEST_DELAY_SECONDS,
  forgetAfterSeconds: 24 * 60 * 60,
})

const shortPause = () => new Promise<void>((resolve) => void setTimeout(resolve, PAUSE_MS))
