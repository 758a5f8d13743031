/** How many tries may fail, and what happens then. */
export interface AttemptRule {
  /** Tries that may fail without consequences. */
  readonly free: number
  /** After the free ones each try has to wait 1, 2, 4 … seconds since the last; `until-forgotten`: there is no further try. */
  readonly longestDelaySeconds: number | 'until-forgotten'
  /** When the failures are forgotten: so long after the last, or after the first where there is no further try. */
  readonly forgetAfterSeconds: number
}

/** Failed tries, as far as they are remembered. */
export interface Failures {
  readonly count: number
  /** When the last try was made, in unix milliseconds. */
  readonly lastAt: number
}

/** Milliseconds that must have passed since the last try before there may be another; Infinity for none. */
export function waitAfter(count: number, { free, longestDelaySeconds }: AttemptRule): number {
  if (count < free) return 0
  if (longestDelaySeconds === 'until-forgotten') return Number.POSITIVE_INFINITY
  // Beyond 2^30 the delay is the longest anyhow.
  return Math.min(2 ** Math.min(count - free, 30), longestDelaySeconds) * 1000
}
