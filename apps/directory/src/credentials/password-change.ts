import type { VerifiedAccount } from './verify-password.ts'

/** The account under its new epoch, or the rules that the new password breaks. */
export type PasswordChangeOutcome =
  | { readonly account: VerifiedAccount }
  | { readonly problems: readonly string[] }
