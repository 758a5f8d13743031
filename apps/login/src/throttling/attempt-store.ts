import type { AttemptRule, Leave } from './attempt-rule.ts'

/** `void`: nothing was compared. */
export type AttemptResult = 'failed' | 'succeeded' | 'void'

export interface Try {
  /** The counter. */
  readonly key: string
  /** What failed or succeeded; a window counts each one once. */
  readonly subject: string
  readonly rule: AttemptRule
}

/** A try that may be made. It stays under way until it is finished, for 30 seconds at most. */
export interface BegunTry {
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
