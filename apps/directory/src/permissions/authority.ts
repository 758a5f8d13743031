import { type ReachingRole, reachAsFarAs } from '@signet/protocol/role-reach'

// Which roles let their holder do what to whom. The management API decides with the roles of its caller, an import with those
// of its document: owner of each organization that it creates or that the call names.

/** The roles that a change is made with. */
export type Authority = readonly ReachingRole[]

/** Whether the authority changes an account with these roles, or its credentials. */
export function mayChangeAccount(authority: Authority, roles: readonly ReachingRole[]): boolean {
  return reachAsFarAs(authority, roles)
}

/** An organization or a project; neither for the instance. */
interface RoleScope {
  readonly objectId?: string | undefined
  /** Id of that organization, or of the owner of the project. */
  readonly organizationId?: string | undefined
}

/** Whether the authority gives a role. An impersonator could act as an IAM_OWNER, so its role needs IAM_OWNER. */
export function mayGiveRole(
  authority: Authority,
  { objectId, organizationId }: RoleScope,
  role: string,
): boolean {
  const needed = isImpersonator(role) ? { role: 'IAM_OWNER' } : { role, objectId, organizationId }
  return reachAsFarAs(authority, [needed])
}

export const isImpersonator = (role: string): boolean => role.endsWith('_IMPERSONATOR')

/** Whether the authority does what an owner of the organization does. */
export function actsAsOwner(authority: Authority, organizationId: string): boolean {
  return reachAsFarAs(authority, [{ role: 'ORG_OWNER', objectId: organizationId, organizationId }])
}

interface Crossing {
  /** The organization of the user; undefined for a user that does not exist. */
  readonly home: string | undefined
  /** The organization of the object. */
  readonly owner: string | undefined
  /** Whether the organization of the user has accepted a grant of the project. */
  readonly isGranted: boolean
}

/** Whether a user belongs to another organization than an object. Such a user accepts its roles. */
export function isForeign({ home, owner }: Omit<Crossing, 'isGranted'>): boolean {
  return home === undefined || home !== owner
}

/** Whether the authority gives a user roles in an object, and may learn that the user exists. */
export function mayNameUser(authority: Authority, crossing: Crossing): boolean {
  return !isForeign(crossing) || crossing.isGranted || reachAsFarAs(authority, [{ role: 'IAM_OWNER' }])
}

/** Whether a project grant counts at once: the authority could accept it as well. */
export function acceptsProjectGrant(
  authority: Authority,
  { owner, receiver }: { readonly owner: string; readonly receiver: string },
): boolean {
  return owner === receiver || actsAsOwner(authority, receiver)
}
