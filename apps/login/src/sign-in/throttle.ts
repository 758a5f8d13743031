import { createHash } from 'node:crypto'

/** Who tries to prove what. */
interface Attempt {
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

type AttemptOutcome<T> =
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

interface ThrottleOptions {
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

/** `void`: nothing was compared. */
export type AttemptResult = 'failed' | 'succeeded' | 'void'

interface Try {
  /** The counter. */
  readonly key: string
  /** What failed or succeeded; a window counts each one once. */
  readonly subject: string
  readonly rule: AttemptRule
}

/** A try that may be made. It stays under way until it is finished, for 30 seconds at most. */
interface BegunTry {
  readonly outcome: 'begun'
  /** A failure counts. A success forgets the failures of a delay, and those of its own subject in a window. */
  finish(result: AttemptResult, now: Date): Promise<void>
}

/** Counts failed tries and those under way, for all replicas. */
export interface AttemptStore {
  begin(attempt: Try, now: Date): Promise<BegunTry | Exclude<Leave, { outcome: 'begun' }>>
  /** Nothing counts any more. */
  clear(key: string): Promise<void>
}

/** Longer than any comparison of a password takes. */
export const UNDER_WAY_SECONDS = 30

/** When failures make a try wait. */
export type AttemptRule = DelayRule | WindowRule

/** After the free failures each try has to wait 1, 2, 4 … seconds since the last failure. */
interface DelayRule {
  readonly kind: 'delay'
  /** Failures without consequences. */
  readonly free: number
  readonly longestDelaySeconds: number
  /** The failures are forgotten so long after the last one. */
  readonly forgetAfterSeconds: number
}

/** No further try while so many different subjects failed within the window; a subject that fails again counts once. */
interface WindowRule {
  readonly kind: 'window'
  readonly free: number
  readonly forgetAfterSeconds: number
}

/** What a counter holds. */
export interface Failures {
  readonly count: number
  /** Unix milliseconds: of the last failure for a delay, of the oldest one that counts for a window. */
  readonly at: number
}

/** `wait`: a try that is under way decides. */
type Leave =
  | { readonly outcome: 'begun' }
  | { readonly outcome: 'wait' }
  | { readonly outcome: 'refused'; readonly retryAfterSeconds: number }

/**
 * Whether a try may begin beside those under way. Together with them it makes no more failures than are free, and one at
 * a time afterwards: any number of concurrent tries gets no more guesses than as many in a row.
 */
export function leaveFor(rule: AttemptRule, failures: Failures, underWay: number, now: number): Leave {
  const { count, at } = failures
  if (count < rule.free) return { outcome: count + underWay < rule.free ? 'begun' : 'wait' }
  const readyAt = at + waitMs(rule, count)
  // One of those under way may succeed, and then nothing counts any more.
  if (rule.kind === 'delay' && underWay > 0) return { outcome: 'wait' }
  if (now >= readyAt) return { outcome: 'begun' }
  return { outcome: 'refused', retryAfterSeconds: Math.ceil((readyAt - now) / 1000) }
}

function waitMs(rule: AttemptRule, count: number): number {
  if (rule.kind === 'window') return rule.forgetAfterSeconds * 1000
  // Beyond 2^30 the delay is the longest anyhow.
  return Math.min(2 ** Math.min(count - rule.free, 30), rule.longestDelaySeconds) * 1000
}

/** The counter of an account, or of a login name without one: the directory says which. */
export const passwordCounter = (attemptKey: string) => `password:${attemptKey}`

/** The counter of one browser that signed an account in before. */
export const deviceCounter = (device: string) => `device:${hash(device)}`

export const totpCounter = (userId: string) => `totp:${hash(userId)}`

/** The counter of a network, under a name that does not tell its address. */
const networkCounter = (network: string) => `network:${network}`

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** When it resolves, no password and no second factor of the account has to wait, at any replica. */
export type ForgetFailures = (account: {
  readonly userId: string
  readonly attemptKey: string
}) => Promise<void>

/** In the shared store only: what a process counts by itself while that is away no other process can reach. */
export function createForgetFailures(shared: AttemptStore): ForgetFailures {
  return async ({ userId, attemptKey }) => {
    await Promise.all([passwordCounter(attemptKey), totpCounter(userId)].map((key) => shared.clear(key)))
  }
}
