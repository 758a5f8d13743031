import { passwordCounter, totpCounter } from './attempt-counter.ts'
import type { AttemptStore } from './attempt-store.ts'

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
