// Limits failed passwords and codes: a delay that doubles for each account, device or second factor, and a window of
// 15 minutes for each network. throttle.repository.ts counts in Redis, throttle-fallback.ts in the process while Redis
// is unavailable.
import { createHash } from 'node:crypto'

/** Attempt to prove a factor. */
interface Attempt {
  /** The counter of its failures. */
  readonly counter: string
  /** Failures before a delay; 0: no limit. */
  readonly freeFailures: number
  /** The address whose network counts the failure too; absent for a browser that signed in to the account before. */
  readonly clientAddress?: string
  /** Id of this failure alone: freeFailures are then those of 15 minutes, and there is no delay. A success forgets none. */
  readonly failure?: string
}

/** The limit that refused: of the account, or of its network. */
export interface Throttled {
  readonly kind: 'throttled'
  readonly by: 'account' | 'network'
  readonly retryAfterSeconds: number
}

type AttemptOutcome<T> =
  | { readonly kind: 'verified'; readonly value: T }
  | { readonly kind: 'failed' }
  | Throttled

/**
 * Runs an attempt under the limits of its counter and its network. `verify` returns undefined for a failure, and is not
 * called when a limit refuses. An attempt that only running attempts block waits for them, at most five seconds. `use` runs
 * after a success; the success is counted when it calls `succeed`, and at its end at the latest.
 */
export type ThrottledAttempt = <T, R>(
  attempt: Attempt,
  verify: () => Promise<T | undefined>,
  use: (value: T, succeed: () => Promise<void>) => Promise<R> | R,
) => Promise<AttemptOutcome<R>>

interface ThrottleOptions {
  readonly store: AttemptStore
  /** An opaque name for the network of an address. */
  readonly networkOf: (clientAddress: string) => string
  readonly now: () => Date
  /** Resolves before the next check of running attempts. */
  readonly pause?: () => Promise<void>
}

const LONGEST_DELAY_SECONDS = 900
/** Counts different accounts and unknown names, so that one user with a forgotten password does not block an office. */
const NETWORK_RULE: WindowRule = { kind: 'window', free: 100, expireAfterSeconds: 15 * 60 }

const PAUSE_MS = 50
const MAX_PAUSES = 100
/** Each waiting attempt sends a request to Redis for each pause. */
const MAX_WAITING = 200

export function createSignInThrottle(options: ThrottleOptions): ThrottledAttempt {
  const { store, networkOf, now, pause = shortPause } = options
  let waiting = 0

  async function startWhenClear(attempt: Attempt): Promise<readonly RunningAttempt[] | Throttled> {
    for (let pauses = 0; ; pauses += 1) {
      const running = await startAll(attempt)
      if (running !== 'wait') return running
      if (pauses >= MAX_PAUSES || (pauses === 0 && waiting >= MAX_WAITING)) {
        return { kind: 'throttled', by: 'account', retryAfterSeconds: 1 }
      }
      waiting += 1
      await pause().finally(() => {
        waiting -= 1
      })
    }
  }

  /** Starts under all limits or none. The store is asked about them at once; the first that does not start it decides. */
  async function startAll(attempt: Attempt): Promise<readonly RunningAttempt[] | Throttled | 'wait'> {
    const begun = await Promise.allSettled(
      limitsOf(attempt, networkOf).map(async ({ by, ...one }) => ({
        by,
        ...(await store.begin(one, now())),
      })),
    )
    const running: RunningAttempt[] = []
    let refusal: (typeof begun)[number] | undefined
    for (const one of begun) {
      if (one.status === 'fulfilled' && one.value.outcome === 'started') running.push(one.value)
      else refusal ??= one
    }
    if (refusal === undefined) return running
    await finishAll(running, 'void')
    if (refusal.status === 'rejected') throw refusal.reason
    const { value } = refusal
    if (value.outcome !== 'refused') return 'wait'
    return { kind: 'throttled', by: value.by, retryAfterSeconds: value.retryAfterSeconds }
  }

  const finishAll = (running: readonly RunningAttempt[], result: AttemptResult) =>
    Promise.all(running.map((one) => one.finish(result, now())))

  return async (attempt, verify, use) => {
    const running = await startWhenClear(attempt)
    if ('kind' in running) return running
    const value = await verify().catch(async (error: unknown) => {
      await finishAll(running, 'void')
      throw error
    })
    if (value === undefined) {
      await finishAll(running, 'failed')
      return { kind: 'failed' }
    }
    let counted: Promise<unknown> | undefined
    const succeed = async () => {
      counted ??= finishAll(running, 'succeeded')
      await counted
    }
    try {
      return { kind: 'verified', value: await use(value, succeed) }
    } finally {
      await succeed()
    }
  }
}

interface Limit extends CountedAttempt {
  readonly by: Throttled['by']
}

function limitsOf(
  { counter, freeFailures, clientAddress, failure }: Attempt,
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
    ...(failure === undefined
      ? { subject: counter, rule: delayRule(freeFailures) }
      : { subject: failure, rule: { ...NETWORK_RULE, free: freeFailures } }),
  }
  return [network, own].filter((limit) => limit !== false)
}

const delayRule = (free: number): DelayRule => ({
  kind: 'delay',
  free,
  longestDelaySeconds: LONGEST_DELAY_SECONDS,
  expireAfterSeconds: 24 * 60 * 60,
})

const shortPause = () => new Promise<void>((resolve) => void setTimeout(resolve, PAUSE_MS))

/** `void`: no factor was verified. */
export type AttemptResult = 'failed' | 'succeeded' | 'void'

interface CountedAttempt {
  /** The counter. */
  readonly key: string
  /** The failed or successful account or name; a window counts each one once. */
  readonly subject: string
  readonly rule: AttemptRule
}

/** A running attempt. It counts as running until it finishes, at most 30 seconds. */
interface RunningAttempt {
  readonly outcome: 'started'
  /** A failure is counted. A success resets the counter of a delay rule, and its own subject of a window rule. */
  finish(result: AttemptResult, now: Date): Promise<void>
}

/** Counts failed and running attempts for all replicas. */
export interface AttemptStore {
  begin(
    attempt: CountedAttempt,
    now: Date,
  ): Promise<RunningAttempt | Exclude<Decision, { outcome: 'started' }>>
  /** Deletes the counter. */
  clear(key: string): Promise<void>
}

/** Longer than any password verification. */
export const MAX_RUN_SECONDS = 30

/** The rule for delays after failures. */
export type AttemptRule = DelayRule | WindowRule

/** After the free failures each attempt has to wait 1, 2, 4 … seconds since the last failure. */
interface DelayRule {
  readonly kind: 'delay'
  /** Failures without a delay. */
  readonly free: number
  readonly longestDelaySeconds: number
  /** The failures expire this long after the last one. */
  readonly expireAfterSeconds: number
}

/** Refuses attempts while this many different subjects failed within the window. */
interface WindowRule {
  readonly kind: 'window'
  readonly free: number
  readonly expireAfterSeconds: number
}

/** The failures of a counter. */
export interface Failures {
  readonly count: number
  /** Unix milliseconds: of the last failure for a delay, of the oldest counted one for a window. */
  readonly at: number
}

/** `wait`: the outcome of a running attempt decides. */
type Decision =
  | { readonly outcome: 'started' }
  | { readonly outcome: 'wait' }
  | { readonly outcome: 'refused'; readonly retryAfterSeconds: number }

/**
 * Whether an attempt may start beside the running ones. Together they may use the free failures, and one attempt at a
 * time runs afterwards, so concurrent attempts get no more guesses than sequential ones.
 */
export function decide(rule: AttemptRule, failures: Failures, running: number, now: number): Decision {
  const { count, at } = failures
  if (count < rule.free) return { outcome: count + running < rule.free ? 'started' : 'wait' }
  const readyAt = at + waitMs(rule, count)
  // A running attempt may succeed and reset the counter.
  if (rule.kind === 'delay' && running > 0) return { outcome: 'wait' }
  if (now >= readyAt) return { outcome: 'started' }
  return { outcome: 'refused', retryAfterSeconds: Math.ceil((readyAt - now) / 1000) }
}

function waitMs(rule: AttemptRule, count: number): number {
  if (rule.kind === 'window') return rule.expireAfterSeconds * 1000
  // Above 2^30 the delay is the longest one in any case.
  return Math.min(2 ** Math.min(count - rule.free, 30), rule.longestDelaySeconds) * 1000
}

/** Returns the seconds until the next attempt of a counter may run; 0: now. Counts nothing. */
export function createWaitReader(attempt: ThrottledAttempt): (asked: Attempt) => Promise<number> {
  return async (asked) => {
    const notMade = new Error('the attempt is not made')
    try {
      const outcome = await attempt(
        asked,
        () => Promise.reject(notMade),
        () => undefined,
      )
      return outcome.kind === 'throttled' ? outcome.retryAfterSeconds : 0
    } catch (error) {
      if (error === notMade) return 0
      throw error
    }
  }
}

/** The counter of an account, or of an unknown login name; the directory returns the key. */
export const passwordCounter = (attemptKey: string) => `password:${attemptKey}`

/** The counter of one browser that signed in to an account before. */
export const deviceCounter = (device: string) => `device:${hash(device)}`

export const totpCounter = (userId: string) => `totp:${hash(userId)}`

/** The counter of the codes of devices that one browser enters. */
export const deviceCodeCounter = (browserId: string) => `device-code:${hash(browserId)}`

/** The counter of a network, under a name that does not contain its address. */
const networkCounter = (network: string) => `network:${network}`

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Deletes the failures of an account, so that no password and no code has to wait. */
export type ClearFailures = (account: {
  readonly userId: string
  readonly attemptKey: string
}) => Promise<void>

/** Deletes in Redis only: the counters of other processes cannot be reached. */
export function createClearFailures(shared: AttemptStore): ClearFailures {
  return async ({ userId, attemptKey }) => {
    await Promise.all([passwordCounter(attemptKey), totpCounter(userId)].map((key) => shared.clear(key)))
  }
}
