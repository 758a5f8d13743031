import { totpCounter } from '../throttling/attempt-counter.ts'
import type { FindFactorPolicy } from './factor-policy.ts'
import type { PasswordProof } from './password-proof.ts'
import type { Throttled, ThrottledAttempt } from './throttle.ts'

export interface CodeAttemptDependencies {
  readonly attempt: ThrottledAttempt
  readonly findFactorPolicy: FindFactorPolicy
}

/** Tries a code of an account under the limits of its organization; a throttled try goes on record only. */
export async function tryCode(
  { userId, organizationId }: Pick<PasswordProof, 'userId' | 'organizationId'>,
  clientAddress: string,
  verify: (throttled: boolean) => Promise<boolean>,
  { attempt, findFactorPolicy }: CodeAttemptDependencies,
): Promise<{ readonly kind: 'accepted' } | { readonly kind: 'refused' } | Throttled> {
  const { maxOtpAttempts } = await findFactorPolicy(organizationId)
  // Only who knows the password can fail here: that a browser is known needs no counter of its own.
  const outcome = await attempt(
    { counter: totpCounter(userId), freeFailures: maxOtpAttempts, clientAddress },
    async () => ((await verify(false)) ? true : undefined),
  )
  if (outcome.kind === 'verified') return { kind: 'accepted' }
  if (outcome.kind === 'failed') return { kind: 'refused' }
  if (outcome.by === 'account') await verify(true)
  return outcome
}
