// Who may sign in as whom: the caller of the management API who asks for a link is held to the rules, and the link again when it is
// opened.
import { createHash } from 'node:crypto'
import { mayImpersonate, type ReachingRole } from '@signet/protocol/role-reach'
import type { ImpersonatedAccount } from './impersonation.repository.ts'

/** Time in which a link is opened. */
export const LINK_MS = 60_000
/** Longest life of the session of an impersonation. */
export const SESSION_MS = 60 * 60_000

/** The path of the page of a link. */
export const IMPERSONATION_PATH = '/ui/impersonation'

/** The rule that an impersonation breaks. */
export type ImpersonationRefusal =
  | 'impersonation_off'
  | 'impersonation_not_allowed'
  | 'impersonation_of_oneself'
  | 'impersonation_of_no_person'
  | 'impersonation_of_inactive'
  | 'impersonator_role_missing'

interface Parties {
  readonly administratorId: string
  /** The roles of the administrator that count now. */
  readonly held: readonly ReachingRole[]
  readonly account: ImpersonatedAccount
  /** The roles of the person. */
  readonly roles: readonly ReachingRole[]
}

/** Returns the first rule that refuses the administrator; undefined: the administrator may sign in as the person. */
export function refusedImpersonation({
  administratorId,
  held,
  account,
  roles,
}: Parties): ImpersonationRefusal | undefined {
  const { organizationId } = account
  if (!mayImpersonate(held, { organizationId, roles })) return 'impersonator_role_missing'
  if (administratorId === account.userId) return 'impersonation_of_oneself'
  if (!account.enabled) return 'impersonation_off'
  if (!account.allowed) return 'impersonation_not_allowed'
  if (account.kind !== 'human') return 'impersonation_of_no_person'
  return account.active ? undefined : 'impersonation_of_inactive'
}

/** The form in which the token of a link is stored. */
export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest()
