import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import { InvalidRequestError } from '@signet/protocol/errors'
import { mayImpersonate } from '@signet/protocol/role-reach'
import type { BearerStore } from '../stores/bearer-store.ts'
import type { Party } from './party.ts'

interface Deps {
  readonly directory: Pick<DirectoryReader, 'settings'>
  readonly bearers: Pick<BearerStore, 'rolesOf'>
}

/**
 * Impersonation must be switched on, and the actor hold a role that reaches the subject, whose own roles reach no
 * further. Throws InvalidRequestError (RFC 8693 section 2.2.2: a token that
 * is unacceptable by policy).
 */
export async function requireImpersonation(
  { directory, bearers }: Deps,
  subject: Party,
  actor: Party,
): Promise<void> {
  if (!(await directory.settings()).enableImpersonation) {
    throw denied(
      'impersonation is switched off; the security policy of the instance allows it',
      'impersonation_off',
    )
  }
  const [held, subjectHolds] = await Promise.all([
    bearers.rolesOf(actor.account.userId),
    bearers.rolesOf(subject.account.userId),
  ])
  const { organizationId } = subject.account
  if (mayImpersonate(held, { organizationId, roles: subjectHolds })) return
  throw denied('the actor has no role that lets it act for this user', 'impersonator_role_missing')
}

function denied(description: string, reason: string): InvalidRequestError {
  return new InvalidRequestError(`permission denied: ${description}`, { reason })
}
