import { accountKey } from './account-key.ts'
import type { AttemptStore } from './attempt-store.ts'

/** When it resolves, no sign-in under these names and no second factor of the user has to wait, at any replica. */
export type ForgetFailures = (account: {
  readonly userId: string
  readonly loginNames: readonly string[]
}) => Promise<void>

/** In the shared store only: what a process counts by itself while that is away nobody else can reach. */
export function createForgetFailures(shared: AttemptStore): ForgetFailures {
  return async ({ userId, loginNames }) => {
    const names = loginNames.map((name) => accountKey({ kind: 'password', name }))
    const keys = [...names, accountKey({ kind: 'totp', name: userId })]
    await Promise.all(keys.map((key) => shared.clear(key)))
  }
}
