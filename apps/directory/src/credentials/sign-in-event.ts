import type { AuditEvent } from '@signet/admin-api/audit/audit-trail'

/** One try to sign in with one factor. */
export interface SignInTry {
  readonly factor: 'password' | 'otp'
  /** The account of the attempt, if one was found; nothing that was typed. */
  readonly account: { readonly userId: string; readonly organizationId?: string | undefined } | undefined
  readonly clientAddress: string | undefined
  /** Why it was refused; absent when it succeeded. */
  readonly reason?: string
}

/** A try that came too soon after failed ones is a lockout. */
export const THROTTLED = 'throttled'

export function signInEvent({ factor, account, clientAddress, reason }: SignInTry): AuditEvent {
  return {
    // A failed sign-in has no authenticated actor.
    actor:
      account === undefined || reason !== undefined
        ? { kind: 'anonymous' }
        : { kind: 'human', id: account.userId },
    action: reason === THROTTLED ? 'sign_in.lockout' : 'sign_in',
    target: account && { kind: 'user', id: account.userId },
    organizationId: account?.organizationId,
    clientAddress,
    result: reason === undefined ? 'success' : 'refused',
    details: reason === undefined ? { factor } : { factor, reason },
  }
}
