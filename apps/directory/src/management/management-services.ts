import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/tokens/identifiers'
import type { ForgetFailures } from '../accounts/forget-failures.ts'
import type { SessionKeeper } from '../sessions/session.ts'
import type { ManagementStores } from './management-stores.ts'

/** What use cases of the management API need; each names its own part of it. */
export interface ManagementServices {
  /** For looking; changes get theirs from the call. */
  readonly stores: ManagementStores
  readonly sessions: SessionKeeper
  readonly forgetFailures: ForgetFailures
  readonly hasher: PasswordHasher
  readonly frequentPasswords: ReadonlySet<string>
  /** Seal what is kept but may be read by nobody else. */
  readonly masterKeys: readonly Buffer[]
  readonly newId: () => string
  readonly now: Clock
  readonly random: RandomBytes
}
