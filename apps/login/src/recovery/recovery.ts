// Resets, invitations and verified addresses by the links and codes of e-mails. The directory sends the messages and checks the tokens.
import type { NewPasswordProblem } from '../sign-in/new-password.service.ts'

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

export interface Recovery {
  /** The response and its time are the same for every login name. */
  requestReset(request: {
    readonly loginName: string
    readonly organizationId: string | undefined
    readonly language: string
    readonly clientAddress: string
  }): Promise<'accepted' | 'throttled'>
  /** Spends nothing. */
  check(token: PresentedToken): Promise<Refusal | { readonly organizationId: string }>
  /** As `check`, for the token of an opened link: a code is invalid. */
  checkLink(token: PresentedToken): Promise<Refusal | { readonly organizationId: string }>
  setPassword(
    token: PresentedToken,
    password: string,
  ): Promise<Refusal | { readonly problems: readonly NewPasswordProblem[] }>
  verifyEmail(token: PresentedToken): Promise<Refusal | { readonly done: true }>
}
