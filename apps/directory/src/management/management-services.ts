import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/tokens/identifiers'
import type { ForgetFailures } from '../accounts/forget-failures.ts'
import type { SessionKeeper } from '../sessions/session.ts'
import type { ManagementStores } from './management-stores.ts'

/** The dependencies of the use cases of the management API; each names its own part of it. */
export interface ManagementServices {
  /** For reads; changes get their stores from the call. */
  readonly stores: ManagementStores
  readonly sessions: SessionKeeper
  readonly forgetFailures: ForgetFailures
  readonly hasher: PasswordHasher
  readonly frequentPasswords: ReadonlySet<string>
  /** Encrypt stored values that only this service may read. */
  readonly masterKeys: readonly Buffer[]
  readonly newId: () => string
  readonly now: Clock
  readonly random: RandomBytes
}
