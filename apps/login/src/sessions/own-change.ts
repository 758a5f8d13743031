import type { SignInProof } from './sign-in-proof.ts'

/** A change in a session, or after the first factor of a sign-in: the directory refuses it when that has ended. */
export interface OwnChange extends Pick<SignInProof, 'userId' | 'userEpoch' | 'organizationEpoch'> {
  /** Network address of the user, for the audit log. */
  readonly clientAddress: string
}

/** A change by the user of a session, or of a sign-in that is not complete. */
export function ownChange(
  { userId, userEpoch, organizationEpoch }: Omit<OwnChange, 'clientAddress'>,
  clientAddress: string,
): OwnChange {
  return { userId, userEpoch, organizationEpoch, clientAddress }
}
