import type { Account, UserGrant } from '@signet/directory-reader/views'
import {
  RESERVED_PREFIXES,
  type ReservedPrefix,
  type ReservedScope,
  reservedScopesOf,
} from '@signet/protocol/reserved-scopes'
import type { Claims } from './claims-of-scopes.ts'

/** The claims that reserved scopes reveal about an account, roles aside; under the prefix they were asked with. */
export function reservedClaims(account: Account, scopes: readonly string[]): Claims {
  return Object.assign({}, ...reservedScopesOf(scopes).map((scope) => claimsOf(account, scope)))
}

function claimsOf(account: Account, scope: ReservedScope): Claims {
  const { prefix } = scope
  switch (scope.kind) {
    case 'user_metadata':
      return Object.keys(account.metadata).length === 0
        ? {}
        : { [`${prefix}user:metadata`]: account.metadata }
    case 'user_resource_owner':
      return resourceOwner(account, prefix)
    case 'organization_id':
      return { [`${prefix}org:id`]: account.organizationId, ...resourceOwner(account, prefix) }
    case 'organization_domain':
      return { [`${prefix}org:domain:primary`]: account.organizationPrimaryDomain }
    default:
      return {}
  }
}

function resourceOwner(account: Account, prefix: ReservedPrefix): Claims {
  return {
    [`${prefix}user:resourceowner:id`]: account.organizationId,
    [`${prefix}user:resourceowner:name`]: account.organizationName,
    [`${prefix}user:resourceowner:primary_domain`]: account.organizationPrimaryDomain,
  }
}

export interface RoleRequest {
  readonly grants: readonly UserGrant[]
  readonly scopes: readonly string[]
  /** The project of the application that the claims are for. */
  readonly projectId: string | null
  /** The audience of the token: the projects whose roles may be shown. */
  readonly audience: readonly string[]
  /** Show the roles of `projectId` without being asked. */
  readonly assertRoles: boolean
}

/** The role claims of a user; none where there is no role to show. */
export function roleClaims(request: RoleRequest): Claims {
  const reserved = reservedScopesOf(request.scopes)
  const asked = RESERVED_PREFIXES.filter((prefix) =>
    reserved.some((scope) => scope.prefix === prefix && asksForRoles(scope)),
  )
  const prefixes = asked.length === 0 && request.assertRoles ? [RESERVED_PREFIXES[0]] : asked
  return Object.assign({}, ...prefixes.map((prefix) => roleClaimsUnder(prefix, request, reserved)))
}

/** Whether the scopes can lead to role claims: without them the caller need not fetch grants. */
export function wantsRoles(scopes: readonly string[]): boolean {
  return reservedScopesOf(scopes).some(asksForRoles)
}

function asksForRoles({ kind }: ReservedScope): boolean {
  return kind === 'project_role' || kind === 'projects_roles'
}

function roleClaimsUnder(
  prefix: ReservedPrefix,
  { grants, projectId, audience, assertRoles }: RoleRequest,
  reserved: readonly ReservedScope[],
): Claims {
  const organizations = valuesOf(reserved, 'roles_of_organization')
  const everywhere = reserved.some((scope) => scope.prefix === prefix && scope.kind === 'projects_roles')
  const named = valuesOf(
    reserved.filter((scope) => scope.prefix === prefix),
    'project_role',
  )
  const claims: Record<string, unknown> = {}
  for (const grant of grants) {
    if (organizations.length > 0 && !organizations.includes(grant.organizationId)) continue
    const isOwn = grant.projectId === projectId
    if (!isOwn && !(everywhere && audience.includes(grant.projectId))) continue
    const all = everywhere || (isOwn && assertRoles)
    const keys = all ? grant.roleKeys : grant.roleKeys.filter((key) => named.includes(key))
    if (keys.length === 0) continue
    const roles = rolesOf(keys, grant)
    claims[`${prefix}org:project:${grant.projectId}:roles`] = roles
    if (isOwn) claims[`${prefix}org:project:roles`] = roles
  }
  return claims
}

function valuesOf(
  reserved: readonly ReservedScope[],
  kind: 'roles_of_organization' | 'project_role',
): readonly string[] {
  return reserved.flatMap((scope) => (scope.kind === kind ? [scope.value] : []))
}

/** `{ role: { organization: its primary domain } }` */
function rolesOf(keys: readonly string[], grant: UserGrant): Claims {
  return Object.fromEntries(
    keys.map((key) => [key, { [grant.organizationId]: grant.organizationPrimaryDomain }]),
  )
}
