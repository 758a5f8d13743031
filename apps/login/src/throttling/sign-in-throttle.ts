import { addressBlock } from '@signet/rate-limit/address-block'
import { type AttemptedAccount, accountKey } from './account-key.ts'
import type { AttemptRule } from './attempt-rule.ts'
import type { AttemptStore } from './attempt-store.ts'

/** Who tries to prove what. */
export interface Attempt {
  readonly account: AttemptedAccount
  /** Failures after which an account has to wait; 0: it never has to. */
  readonly freeFailures: number
  readonly clientAddress: string
}

/**
 * Makes a try under the limits of its account and of its address. `verify` is told when the answer has to be no
 * whatever is right; it gives undefined for a failure. A success clears what counted against the account.
 */
export type ThrottledAttempt = <T>(
  attempt: Attempt,
  verify: (throttled: boolean) => Promise<T | undefined>,
) => Promise<T | undefined>

const LONGEST_DELAY_SECONDS = 900
const ADDRESS_RULE: AttemptRule = {
  free: 100,
  longestDelaySeconds: 'until-forgotten',
  forgetAfterSeconds: 15 * 60,
}

export function createSignInThrottle(store: AttemptStore, now: () => Date): ThrottledAttempt {
  return async (attempt, verify) => {
    const address = `address:${addressBlock(attempt.clientAddress)}`
    // An address beyond its limit costs nothing more; that says nothing about any account.
    if (!(await store.take(address, ADDRESS_RULE, now()))) return undefined
    const account = accountKey(attempt.account)
    const isFree = attempt.freeFailures === 0 || (await store.take(account, accountRule(attempt), now()))
    try {
      const result = await verify(!isFree)
      if (result === undefined || !isFree) return undefined
      await Promise.all([store.clear(account), store.giveBack(address)])
      return result
    } catch (error) {
      // Nothing was compared: that is nobody's failure.
      await Promise.all([store.giveBack(address), isFree && store.giveBack(account)])
      throw error
    }
  }
}

const accountRule = ({ freeFailures }: Attempt): AttemptRule => ({
  free: freeFailures,
  longestDelaySeconds: LONGEST_DELAY_SECONDS,
  forgetAfterSeconds: 24 * 60 * 60,
})
