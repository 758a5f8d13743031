// Sessions in which an administrator acts as another person (docs/guides/impersonation.md).
import { isOfProvider } from '@signet/protocol/factor-demand'
import { z } from 'zod'

/** The administrator of a session, and what the session rests on beside its person. Times are Unix milliseconds. */
export const impersonation = z.object({
  id: z.string(),
  administratorId: z.string(),
  /** Session of the administrator in the same browser. */
  sid: z.string(),
  /** Organization of the administrator. */
  organizationId: z.string(),
  userEpoch: z.number(),
  organizationEpoch: z.number(),
  /** How the administrator authenticated: policies about factors are about this. */
  proof: z.object({
    amr: z.array(z.string()),
    secondFactorAt: z.number().optional(),
    factors: z.array(z.string()).optional(),
  }),
  /** Typed by the administrator. */
  reason: z.string(),
  endsAt: z.number(),
})

export type Impersonation = z.output<typeof impersonation>

/**
 * How the administrator authenticated, for the policy of an organization. A provider decides about its own organization alone
 * (docs/decisions/0103): elsewhere a sign-in by it is one without a provider, which proved the factors of the own account.
 */
export function proofFor(
  organizationId: string,
  { organizationId: own, proof }: Impersonation,
): Impersonation['proof'] {
  if (own === organizationId || !isOfProvider(proof.factors)) return proof
  const factors = proof.factors?.filter((factor) => !isOfProvider([factor])) ?? []
  return factors.length === 0 ? { amr: [], factors } : { ...proof, factors }
}

/** The acts that the session of an impersonation does not allow, by the reason of their refusal. */
export type ImpersonationLimit = 'impersonation_consent' | 'impersonation_step_up' | 'impersonation_api'

/** A request that the session of an impersonation may not answer. The browser shows a page, and the application gets no response. */
export class ImpersonationLimitError extends Error {
  override readonly name = 'ImpersonationLimitError'
  readonly reason: ImpersonationLimit

  constructor(reason: ImpersonationLimit) {
    super('the session of an impersonation does not allow this')
    this.reason = reason
  }
}
