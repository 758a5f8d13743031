import type { Account } from '@signet/directory-reader/views'
import type { Actor, EpochMark, RevocationFacts } from '@signet/tokens/access-token'

/** What a presented token is, as far as it decides who may exchange it. */
export type PartyForm =
  | { readonly kind: 'issued'; readonly issuedTo: string; readonly audience: readonly string[] }
  | { readonly kind: 'personal' }

/** What a presented token proves about its user. */
export interface Party {
  readonly form: PartyForm
  readonly account: Account
  /** The epochs that it was made under. */
  readonly user: EpochMark
  readonly organization: EpochMark
  /** Whether it would carry this scope. */
  readonly carries: (scope: string) => boolean
  /** Its scopes, for an exchange that asks for none. */
  readonly scopes: readonly string[]
  /** Whom it may be exchanged for. */
  readonly audience: readonly string[]
  /** Whom it is meant for, for an exchange that names nobody. */
  readonly ownAudience: readonly string[]
  /** Who acts in it already. */
  readonly act?: Actor
  /** What it rests on. */
  readonly origins: readonly RevocationFacts[]
  /** When it ends, in seconds since 1970; absent when it does not. */
  readonly expiresAt?: number
  /** Seconds since 1970. */
  readonly authTime?: number
  readonly amr: readonly string[]
  readonly acr?: string
}
