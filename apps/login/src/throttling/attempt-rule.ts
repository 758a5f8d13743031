/** When failures make a try wait. */
export type AttemptRule = DelayRule | WindowRule

/** After the free failures each try has to wait 1, 2, 4 … seconds since the last failure. */
export interface DelayRule {
  readonly kind: 'delay'
  /** Failures without consequences. */
  readonly free: number
  readonly longestDelaySeconds: number
  /** The failures are forgotten so long after the last one. */
  readonly forgetAfterSeconds: number
}

/** No further try while so many different subjects failed within the window; a subject that fails again counts once. */
export interface WindowRule {
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
export type Leave =
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
