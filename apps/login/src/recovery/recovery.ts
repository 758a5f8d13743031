// Resets, invitations and verified addresses by the links and codes of e-mails. The directory sends the messages and checks the tokens.
import type { NewPasswordProblem } from '../authorize/registration-rules.ts'

export type MailPurpose = 'password_reset' | 'email_verification' | 'invitation'

/** A token of a link, or a code that a person typed. */
export interface PresentedToken {
  readonly secret: string
  readonly purpose: MailPurpose
  /** Network address of the person, for the audit log and the limit of tries. */
  readonly clientAddress: string
}

/** `invalid` covers unknown, spent, expired and void tokens; `password_sign_in_not_allowed`: by the login policy. */
export type Refusal = { readonly refused: 'invalid' | 'throttled' | 'password_sign_in_not_allowed' }

/** The account that a valid token is for. */
export interface LinkedAccount {
  /** Id of the organization whose password rules apply. */
  readonly organizationId: string
  readonly userId: string
  readonly loginName: string
  readonly organizationName: string
  /** Requester of the message; undefined: the person of the account. */
  readonly askedBy: 'registration' | 'administrator' | undefined
  /** The name of the application from which the person came; empty: none is known. */
  readonly application: string
  /** The name of the administrator who asked for the message; empty: none is known. */
  readonly inviter: string
  /** The login policy lets the person sign in with a password. */
  readonly passwordAllowed: boolean
  /** The address is not proven yet: a new password ends everything that could sign in before. */
  readonly provesAddress: boolean
}

/** The client id of the application of a message; empty: none is known. */
interface OfApplication {
  readonly clientId: string
}

/** The organization of the person; empty: a directory of the previous version does not say. */
interface OfOrganization {
  readonly organizationId: string
}

export interface Recovery {
  /** The response and its time are the same for every login name. */
  requestReset(request: {
    readonly loginName: string
    readonly organizationId: string | undefined
    readonly clientId: string | undefined
    readonly language: string
    readonly clientAddress: string
  }): Promise<'accepted' | 'throttled'>
  /** Spends nothing. */
  check(token: PresentedToken): Promise<Refusal | LinkedAccount>
  /** Checks the token of an opened link: a code is invalid. */
  checkLink(token: PresentedToken): Promise<Refusal | LinkedAccount>
  /**
   * Sets the password. A token that proves the address for the first time ends everything that could sign in before.
   */
  setPassword(
    token: PresentedToken,
    password: string,
  ): Promise<
    Refusal | ({ readonly problems: readonly NewPasswordProblem[] } & OfApplication & OfOrganization)
  >
  /** Confirms the address of the person in whose session the token is presented; the token of another one is invalid. */
  verifyEmail(
    token: PresentedToken,
    userId: string,
  ): Promise<Refusal | ({ readonly done: true } & OfApplication)>
}
