import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import { InvalidRequestError } from '@signet/oauth-protocol/errors'
import type { BearerStore, HeldRole } from '../stores/bearer-store.ts'
import type { Party } from './party.ts'

interface Deps {
  readonly directory: Pick<DirectoryReader, 'settings'>
  readonly bearers: Pick<BearerStore, 'rolesOf'>
}

/**
 * wire-facts.md 7: impersonation must be switched on, and the actor hold a role that reaches the subject; one that
 * reaches administrators where the subject is one. Throws InvalidRequestError (RFC 8693 section 2.2.2: a token that
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
  const isAdmin = subjectHolds.length > 0
  if (held.some((role) => reaches(role, subject.account.organizationId, isAdmin))) return
  throw denied('the actor has no role that lets it act for this user', 'impersonator_role_missing')
}

function reaches({ role, objectId }: HeldRole, organizationId: string, isAdmin: boolean): boolean {
  switch (role) {
    case 'IAM_ADMIN_IMPERSONATOR':
      return true
    case 'IAM_END_USER_IMPERSONATOR':
      return !isAdmin
    case 'ORG_ADMIN_IMPERSONATOR':
      return objectId === organizationId
    case 'ORG_END_USER_IMPERSONATOR':
      return objectId === organizationId && !isAdmin
    default:
      return false
  }
}

function denied(description: string, reason: string): InvalidRequestError {
  return new InvalidRequestError(`permission denied: ${description}`, { reason })
}
