import type { MailPurpose, TokenHolder } from '../mail/mail-token.repository.ts'

/** A token or code that a person presents, and where they are. */
export interface Presented {
  readonly secret: string
  readonly purpose: MailPurpose
  readonly clientAddress?: string | undefined
}

/** `invalid` covers a token that is unknown, spent, expired or void, so that a response does not distinguish them. */
export type Refusal = { readonly refused: 'invalid' | 'throttled' | 'password_sign_in_not_allowed' }

/** `clientId` is the application of the message; null: none is known. */
interface Done {
  readonly done: true
  readonly clientId: string | null
}

type PasswordOutcome =
  | Refusal
  | { readonly problems: readonly string[] }
  | (Done & { readonly organizationId: string })

/** A token in a session of its person; the token of another one is refused. */
export type PresentedInSession = Presented & { readonly userId: string }

type CheckedToken = Omit<TokenHolder, 'day' | 'deliveryId'>

/** The steps of the holders of links and codes. Opening a page changes nothing; only the last step spends the token. */
export interface Recovery {
  /** The organization whose password rules hold, the person, and the address of a change. */
  check(presented: Presented): Promise<Refusal | CheckedToken>
  /**
   * Checks the token of an opened link. A code is invalid here and counts for no limit: other sites can make a
   * browser open links, and would use up the codes of its network.
   */
  checkLink(presented: Presented): Promise<Refusal | CheckedToken>
  /**
   * Sets the password. When it resolves, all sessions and tokens of the person have ended. Second factors stay only with
   * a reset to an address that was proven before: the holder of another token proves the address for the first time, and
   * did not choose what could sign in until then.
   */
  setPassword(presented: Presented & { readonly password: string }): Promise<PasswordOutcome>
  /** The address is proven for the account in whose session the token is presented, and for no other. */
  verifyEmail(presented: PresentedInSession): Promise<Refusal | Done>
}
