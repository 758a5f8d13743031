import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Account, Project, UserGrant } from '@signet/directory-reader/views'
import { webUrlProblem } from '@signet/protocol/redirect-uri'
import {
  RESERVED_PREFIXES,
  type ReservedPrefix,
  type ReservedScope,
  reservedScopesOf,
} from '@signet/protocol/scopes'
import { type ClaimSettings, groupsClaim, mappedClaims } from './application-claims.ts'

/** Claims in their JSON form. */
export type Claims = Readonly<Record<string, unknown>>

/** OIDC Core section 5.1: every claim about a person, and where it comes from. Null and empty mean not known. */
const CLAIMS = {
  name: (account) => account.name,
  given_name: (account) => account.givenName,
  family_name: (account) => account.familyName,
  middle_name: (account) => account.middleName,
  nickname: (account) => account.nickname,
  preferred_username: (account) => account.loginName,
  profile: (account) => webUrl(account.profile),
  picture: (account) => webUrl(account.picture),
  website: (account) => webUrl(account.website),
  gender: (account) => account.gender,
  birthdate: (account) => account.birthdate,
  zoneinfo: (account) => account.zoneinfo,
  locale: (account) => account.locale,
  updated_at: (account) => Math.floor(account.updatedAt.getTime() / 1000),
  email: (account) => account.email,
  email_verified: (account) => (account.email === null ? null : account.emailVerified),
  phone_number: (account) => account.phoneNumber,
  phone_number_verified: (account) => (account.phoneNumber === null ? null : account.phoneNumberVerified),
  address: (account) => {
    const address = addressClaim(account)
    return Object.keys(address).length === 0 ? null : address
  },
} as const satisfies Readonly<Record<string, (account: Account) => unknown>>

/** Null for a stored text of before the rule, such as `javascript:`: applications show these claims as links. */
const webUrl = (url: string | null): string | null =>
  url === null || webUrlProblem(url) !== undefined ? null : url

type ClaimName = keyof typeof CLAIMS

const PROFILE_CLAIMS: readonly ClaimName[] = [
  ...(['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username'] as const),
  ...(['profile', 'picture', 'website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'updated_at'] as const),
]

/** OIDC Core section 5.4: the claims of each scope. A new scope is a line here. */
const CLAIMS_OF_SCOPE: ReadonlyMap<string, readonly ClaimName[]> = new Map<string, readonly ClaimName[]>([
  ['profile', PROFILE_CLAIMS],
  ['email', ['email', 'email_verified']],
  ['phone', ['phone_number', 'phone_number_verified']],
  ['address', ['address']],
])

/** The setting of an application that changes a claim of OIDC Core section 5.1; absent for no application. */
type NameSetting = Pick<ClaimSettings, 'preferredUsernameWithoutDomain'> | undefined

/** The claims of an account for the granted scopes; unknown ones are omitted, `false` is not. */
export function claimsOfScopes(account: Account, scopes: readonly string[], setting?: NameSetting): Claims {
  const names = scopes.flatMap((scope) => CLAIMS_OF_SCOPE.get(scope) ?? [])
  return claimsNamed(account, names, setting)
}

/** The claims of an account with these names (OIDC Core section 5.5); other names are passed over. */
export function claimsNamed(account: Account, names: readonly string[], setting?: NameSetting): Claims {
  const named = setting?.preferredUsernameWithoutDomain
    ? { ...account, loginName: account.userName }
    : account
  return filled(Object.fromEntries(names.filter(isAccountClaim).map((name) => [name, CLAIMS[name](named)])))
}

/** The scopes whose claims can be found among these names. */
export function scopesRevealing(names: readonly string[]): readonly string[] {
  const reveals = ([, claims]: readonly [string, readonly ClaimName[]]) =>
    claims.some((claim) => names.includes(claim))
  return [...CLAIMS_OF_SCOPE].filter(reveals).map(([scope]) => scope)
}

/** Whether an account can answer for a claim of this name. */
export function isAccountClaim(name: string): name is ClaimName {
  return Object.hasOwn(CLAIMS, name)
}

/** OIDC Core section 5.1.1. */
function addressClaim(account: Account): Claims {
  return filled({
    street_address: account.streetAddress,
    locality: account.locality,
    region: account.region,
    postal_code: account.postalCode,
    country: account.country,
  })
}

function filled(claims: Claims): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null && value !== ''))
}

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

/** Whether the scopes can lead to claims with roles: without them the caller need not fetch grants. */
export function wantsRoles(scopes: readonly string[]): boolean {
  return scopes.includes(GROUPS) || reservedScopesOf(scopes).some(asksForRoles)
}

const GROUPS = 'groups'

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

export interface OrganizationClaimsRequest extends Omit<RoleRequest, 'grants'> {
  readonly account: Account
  /**
   * Settings of the application that the claims are for; absent where they may reach a resource server of another
   * project.
   */
  readonly settings?: ClaimSettings | undefined
  /** The claim of the scope `groups` is not wanted here. */
  readonly omitsGroups?: boolean
}

/** Returns the claims of metadata, organization and roles, as scopes, role assertion and settings ask for them. */
export async function organizationClaims(
  directory: Pick<DirectoryReader, 'userGrants' | 'project'>,
  request: OrganizationClaimsRequest,
): Promise<Claims> {
  const { account, scopes, settings, projectId } = request
  const claims = {
    ...(settings && mappedClaims(account, scopes, settings.claimMapping)),
    ...reservedClaims(account, scopes),
  }
  if (!request.assertRoles && !wantsRoles(scopes)) return claims
  const grants = await directory.userGrants(account.userId)
  if (settings === undefined || projectId === null || request.omitsGroups || !scopes.includes(GROUPS)) {
    return { ...claims, ...roleClaims({ ...request, grants }) }
  }
  // Roles stand once: as `groups`, unless a reserved scope asks for the other form, too.
  const asksForBoth = reservedScopesOf(scopes).some(asksForRoles)
  const roles = asksForBoth ? roleClaims({ ...request, grants }) : {}
  const project = await projectWithNames(directory, projectId, settings)
  return { ...claims, ...roles, ...groupsClaim({ account, grants, scopes, project, settings }) }
}

/** The row is read for the display names alone. */
async function projectWithNames(
  directory: Pick<DirectoryReader, 'project'>,
  projectId: string,
  { groupsAsObjects }: ClaimSettings,
): Promise<Pick<Project, 'projectId' | 'roleKeys' | 'roleDisplayNames'>> {
  const project = groupsAsObjects ? await directory.project(projectId) : undefined
  return project ?? { projectId, roleKeys: [], roleDisplayNames: [] }
}

/** Whether a project wants its roles shown to its applications without being asked. */
export async function projectAssertsRoles(
  directory: Pick<DirectoryReader, 'project'>,
  projectId: string | null,
): Promise<boolean> {
  return projectId !== null && ((await directory.project(projectId))?.projectRoleAssertion ?? false)
}
