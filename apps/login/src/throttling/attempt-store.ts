import type { AttemptRule } from './attempt-rule.ts'

/** Counts failed tries under a key. */
export interface AttemptStore {
  /**
   * Counts a try as failed until `giveBack` or `clear` says otherwise, so that of any number of concurrent ones no
   * more get through than of as many in a row. False, and nothing is counted, while the rule allows none.
   */
  take(key: string, rule: AttemptRule, now: Date): Promise<boolean>
  /** The try did not fail. */
  giveBack(key: string): Promise<void>
  /** Nothing counts any more. */
  clear(key: string): Promise<void>
}
