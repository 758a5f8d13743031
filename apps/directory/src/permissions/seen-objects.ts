import type { Caller } from '@signet/admin-api/caller'
import { holdsRole } from '@signet/admin-api/require-role'
import type { Rule } from './permission.ts'

/** The organizations with everything in them, and the single projects, on which a caller holds a role. */
export interface SeenObjects {
  readonly organizationIds: readonly string[]
  readonly projectIds: readonly string[]
}

/**
 * The objects on which the caller holds a role that suffices; undefined: all of the instance. It is what a list without a
 * filter shows, and where names are looked up.
 */
export function seenObjects(caller: Caller, suffices: Rule): SeenObjects | undefined {
  const isSeen = (scope: Parameters<Rule>[0]) => suffices(scope).some((role) => holdsRole(caller, role))
  if (isSeen({})) return undefined
  const ids = [...new Set(caller.roles.flatMap(({ objectId }) => objectId ?? []))]
  return {
    organizationIds: ids.filter((organizationId) => isSeen({ organizationId })),
    projectIds: ids.filter((projectId) => isSeen({ projectId })),
  }
}

export function isNothing(seen: SeenObjects | undefined): boolean {
  return seen !== undefined && seen.organizationIds.length + seen.projectIds.length === 0
}
