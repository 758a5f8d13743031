import type { SufficientRole } from '@signet/admin-api/require-role'
import type { Place } from './place.ts'

/** Which roles would do for an object at a place. */
export type Rule = (place: Place) => readonly SufficientRole[]

/** Where an object is looked for; the instance is one place. */
export type PlaceKind = 'instance' | 'organization' | 'user' | 'project' | 'application'

/** Who may call an operation. */
export interface Permission {
  /** Each must be met; the first that is not names what is missing. */
  readonly rules: readonly Rule[]
  readonly kind: PlaceKind
  /** The field of the request that holds the id. Left out by the caller, or unknown, the object lies nowhere. */
  readonly field?: string
  /** Which roles of the account that the call acts on are compared with those of the caller; all when left out. */
  readonly compared?: (input: Input) => ComparedRoles
  /** Fields of the request that hold ids of what is created; only an IAM_OWNER may fill them. */
  readonly chosenIds?: readonly string[]
  /** Whether the call acts on every account of the organization. */
  readonly actsOnEveryAccount?: (input: Input) => boolean
}

type Input = Readonly<Record<string, unknown>>

/** `here`: those of the instance, and those in the organization where the object lies. */
type ComparedRoles = 'all' | 'here'

export function onInstance(...rules: readonly Rule[]): Permission {
  return { rules, kind: 'instance' }
}

export function onOrganization(...rules: readonly Rule[]): Permission {
  return { rules, kind: 'organization', field: 'organizationId' }
}

export function onUser(...rules: readonly Rule[]): Permission {
  return { rules, kind: 'user', field: 'userId' }
}

/** For what creates objects whose ids a caller can choose. */
export function withChosenIds(permission: Permission, ...chosenIds: readonly string[]): Permission {
  return { ...permission, chosenIds }
}

/**
 * For operations that end the access of an account: roles of the account in other organizations do not keep
 * its organization from them.
 */
export function endsUser(...rules: readonly Rule[]): Permission {
  return { ...onUser(...rules), compared: () => 'here' }
}

export function onProject(...rules: readonly Rule[]): Permission {
  return { rules, kind: 'project', field: 'projectId' }
}

export function onApplication(...rules: readonly Rule[]): Permission {
  return { rules, kind: 'application', field: 'applicationId' }
}
