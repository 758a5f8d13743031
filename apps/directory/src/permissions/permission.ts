import { ApiError } from '@signet/admin-api/api-error'
import type { Caller } from '@signet/admin-api/caller'
import { holdsRole, type SufficientRole } from '@signet/admin-api/require-role'

/** The scope of an object; empty for an object that does not exist. */
export interface ResourceScope {
  readonly organizationId?: string
  readonly projectId?: string
}

/** The roles that suffice for an object in a scope. */
export type Rule = (scope: ResourceScope) => readonly SufficientRole[]

/** The kind of the object whose scope is checked. */
export type ScopeKind = 'instance' | 'organization' | 'user' | 'project' | 'application' | 'identity_provider'

/** Rules for the callers of an operation. */
export interface Permission {
  /** Each must be met; the first that is not names what is missing. */
  readonly rules: readonly Rule[]
  readonly kind: ScopeKind
  /** The field of the request that holds the id. Left out by the caller, or unknown, the object lies nowhere. */
  readonly field?: string
  /** Returns the roles of the affected account that are compared with those of the caller; by default all. */
  readonly compared?: (input: Input) => ComparedRoles
  /** Fields of the request that hold ids of what is created; only an IAM_OWNER may fill them. */
  readonly chosenIds?: readonly string[]
  /** Fields of the request that only those who manage the organization may fill. */
  readonly ownerFields?: readonly string[]
  /** The roles that suffice for an object to be in a list that leaves the field out. */
  readonly seen?: Rule
  /** Whether the call acts on every account of the organization. */
  readonly actsOnEveryAccount?: (input: Input) => boolean
}

type Input = Readonly<Record<string, unknown>>

/** `here`: those of the instance, and those in the organization where the object lies. `none`: the use case compares them. */
type ComparedRoles = 'all' | 'here' | 'none'

export function onInstance(...rules: readonly Rule[]): Permission {
  return { rules, kind: 'instance' }
}

export function onOrganization(...rules: readonly Rule[]): Permission {
  return { rules, kind: 'organization', field: 'organizationId' }
}

export function onUser(...rules: readonly Rule[]): Permission {
  return { rules, kind: 'user', field: 'userId' }
}

/** A list that shows, where it names no object, those on which the caller holds one of these roles. */
export function listsSeen(permission: Permission, seen: Rule): Permission {
  return { ...permission, seen }
}

/** The permission of operations about the caller alone, or whose response has only objects that the caller may see. */
export const forEveryCaller: Permission = { rules: [], kind: 'instance' }

/** Adds the fields with ids of created objects that a caller can choose. */
export function withChosenIds(permission: Permission, ...chosenIds: readonly string[]): Permission {
  return { ...permission, chosenIds }
}

/** Adds the fields that only those who manage the organization of the object may fill. */
export function withOwnerFields(permission: Permission, ...ownerFields: readonly string[]): Permission {
  return { ...permission, ownerFields }
}

/**
 * Returns the permission of operations that end the access of an account: roles of the account in other organizations
 * do not keep its organization from them.
 */
export function endsUser(...rules: readonly Rule[]): Permission {
  return { ...onUser(...rules), compared: () => 'here' }
}

/** Returns the permission of operations whose use case compares the roles of caller and account itself. */
export function comparesNoRoles(permission: Permission): Permission {
  return { ...permission, compared: () => 'none' }
}

export function onProject(...rules: readonly Rule[]): Permission {
  return { rules, kind: 'project', field: 'projectId' }
}

export function onApplication(...rules: readonly Rule[]): Permission {
  return { rules, kind: 'application', field: 'applicationId' }
}

export function onIdentityProvider(...rules: readonly Rule[]): Permission {
  return { rules, kind: 'identity_provider', field: 'providerId' }
}

// Who may do what, docs/spec 4.4. An object that does not exist lies nowhere, so that only those who may do
// everything learn that it is missing.

export function managesInstance(): readonly SufficientRole[] {
  return [{ role: 'IAM_OWNER' }]
}

export function viewsInstance(): readonly SufficientRole[] {
  return [...managesInstance(), { role: 'IAM_OWNER_VIEWER' }]
}

export function managesOrganization({ organizationId }: ResourceScope): readonly SufficientRole[] {
  return [...managesInstance(), { role: 'ORG_OWNER', objectId: organizationId }]
}

export function viewsOrganization({ organizationId }: ResourceScope): readonly SufficientRole[] {
  return [
    ...viewsInstance(),
    { role: 'ORG_OWNER', objectId: organizationId },
    { role: 'ORG_OWNER_VIEWER', objectId: organizationId },
  ]
}

export function managesAccounts(scope: ResourceScope): readonly SufficientRole[] {
  return [...managesOrganization(scope), { role: 'ORG_USER_MANAGER', objectId: scope.organizationId }]
}

export function viewsAccounts(scope: ResourceScope): readonly SufficientRole[] {
  return [...viewsOrganization(scope), { role: 'ORG_USER_MANAGER', objectId: scope.organizationId }]
}

/** The roles with which `mayImpersonate` can allow to act for an account. */
export function impersonatesAccounts({ organizationId }: ResourceScope): readonly SufficientRole[] {
  return [
    { role: 'IAM_ADMIN_IMPERSONATOR' },
    { role: 'IAM_END_USER_IMPERSONATOR' },
    { role: 'ORG_ADMIN_IMPERSONATOR', objectId: organizationId },
    { role: 'ORG_END_USER_IMPERSONATOR', objectId: organizationId },
  ]
}

export function managesProject(scope: ResourceScope): readonly SufficientRole[] {
  return [...managesOrganization(scope), { role: 'PROJECT_OWNER', objectId: scope.projectId }]
}

export function viewsProject(scope: ResourceScope): readonly SufficientRole[] {
  return [
    ...viewsOrganization(scope),
    { role: 'PROJECT_OWNER', objectId: scope.projectId },
    { role: 'PROJECT_OWNER_VIEWER', objectId: scope.projectId },
  ]
}

/** The roles that read something. */
export function readsAnything(scope: ResourceScope): readonly SufficientRole[] {
  return [...viewsAccounts(scope), ...viewsProject(scope).filter(({ role }) => role.startsWith('PROJECT_'))]
}

const IAM_OWNER = { role: 'IAM_OWNER' } as const

export function mayChooseIds(caller: Caller): boolean {
  return holdsRole(caller, IAM_OWNER)
}

/**
 * Throws ApiError PERMISSION_DENIED unless the caller is an IAM_OWNER: ids are unique in the instance, so one that a
 * caller chooses tells whether another organization has it, and stands in tokens as `sub` or `aud`.
 */
export function requireMayChooseIds(caller: Caller, field: string): void {
  if (mayChooseIds(caller)) return
  throw new ApiError(
    'PERMISSION_DENIED',
    `needs role IAM_OWNER: only with it ${field} can be chosen; leave it out and one is generated`,
    { reason: 'role_missing', details: [{ id: 'role_missing', roles: ['IAM_OWNER'] }] },
  )
}
