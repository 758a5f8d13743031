/** A role that administers something, as an account holds it. */
export interface ReachingRole {
  readonly role: string
  /** The organization or the project that the role is for; absent for roles of the instance. */
  readonly objectId?: string | undefined
  /** Id of that organization, or of the organization that owns the project; absent for roles of the instance. */
  readonly organizationId?: string | undefined
}

/**
 * Whether `held` lets its account do all that `other` lets another account do. IAM_OWNER reaches further than every
 * role, ORG_OWNER than the other roles of its organization and of the projects of that, PROJECT_OWNER than the other
 * roles of its project; a viewer reaches further than the viewers below it. A role that is not known grants nothing and
 * counts as one below the owner of its level only.
 */
function covers(held: ReachingRole, other: ReachingRole): boolean {
  if (held.role === other.role && held.objectId === other.objectId) return true
  if (held.objectId === undefined) {
    if (held.role === 'IAM_OWNER') return true
    return held.role === 'IAM_OWNER_VIEWER' && /^(ORG|PROJECT)_OWNER_VIEWER$/.test(other.role)
  }
  if (other.role.startsWith('IAM_')) return false
  switch (held.role) {
    case 'ORG_OWNER':
      return other.organizationId === held.objectId
    case 'ORG_OWNER_VIEWER':
      return other.organizationId === held.objectId && other.role === 'PROJECT_OWNER_VIEWER'
    case 'ORG_USER_MANAGER':
      // It reaches people without roles, whose passwords a user manager sets as well.
      return other.organizationId === held.objectId && other.role === 'ORG_END_USER_IMPERSONATOR'
    case 'PROJECT_OWNER':
      return other.objectId === held.objectId
    default:
      return false
  }
}

/** Whether no role of `others` reaches further than the roles of `held`. */
export function reachAsFarAs(held: readonly ReachingRole[], others: readonly ReachingRole[]): boolean {
  return others.every((other) => held.some((role) => covers(role, other)))
}

interface Subject {
  /** The organization that the account belongs to. */
  readonly organizationId: string
  readonly roles: readonly ReachingRole[]
}

/**
 * Whether the roles of an actor let it act for a subject. One for end users reaches accounts without any role; one for
 * administrators counts as the owner of what it is for, so that the roles of the subject may reach as far as that.
 */
export function mayImpersonate(actor: readonly ReachingRole[], { organizationId, roles }: Subject): boolean {
  const isEndUser = roles.length === 0
  const reachesSubject = actor.some(({ role, objectId }) => {
    switch (role) {
      case 'IAM_ADMIN_IMPERSONATOR':
        return objectId === undefined
      case 'IAM_END_USER_IMPERSONATOR':
        return objectId === undefined && isEndUser
      case 'ORG_ADMIN_IMPERSONATOR':
        return objectId === organizationId
      case 'ORG_END_USER_IMPERSONATOR':
        return objectId === organizationId && isEndUser
      default:
        return false
    }
  })
  return reachesSubject && reachAsFarAs([...actor, ...actor.flatMap(asOwner)], roles)
}

function asOwner({ role, objectId }: ReachingRole): readonly ReachingRole[] {
  if (role === 'IAM_ADMIN_IMPERSONATOR' && objectId === undefined) return [{ role: 'IAM_OWNER' }]
  if (role === 'ORG_ADMIN_IMPERSONATOR' && objectId !== undefined) return [{ role: 'ORG_OWNER', objectId }]
  return []
}
