import { type DetailDirectory, requireDetails } from '@signet/directory-reader/authorization-details'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import {
  type AudienceAsker,
  mayNameApi,
  mayNameAudiences,
  type ProjectRefusal,
  projectRefusal,
  projectsOfResources,
  type ResourceDirectory,
} from '@signet/directory-reader/project-access'
import type { Client, Organization } from '@signet/directory-reader/views'
import type { GrantedDetail } from '@signet/protocol/authorization-details'
import { AccessDeniedError, InvalidScopeError, InvalidTargetError } from '@signet/protocol/errors'
import { audienceScope } from '@signet/protocol/resource-indicator'
import {
  API_PROJECT,
  isKnownScope,
  namedAudiences,
  parseScopeString,
  reservedScopesOf,
} from '@signet/protocol/scopes'

/**
 * The scopes of a request at the token endpoint, where unknown ones are refused rather than dropped. Throws
 * InvalidScopeError for an unknown scope, an audience that the client may not name, and an organization that is not
 * the subject's.
 */
export async function requireScopes(
  directory: Pick<DirectoryReader, 'allowsAudience'>,
  client: AudienceAsker,
  value: string | undefined,
  organization: Pick<Organization, 'organizationId' | 'primaryDomain'>,
): Promise<readonly string[]> {
  const scopes = parseScopeString(value)
  if (!scopes.every(isKnownScope)) {
    throw new InvalidScopeError('scope holds a scope that is not known; discovery lists those that are', {
      reason: 'scope_unknown',
    })
  }
  await requireAudiences(directory, client, scopes)
  if (!areOfOrganization(scopes, organization)) {
    throw new InvalidScopeError('scope restricts the token to an organization that the subject is not of', {
      reason: 'scope_of_other_organization',
    })
  }
  return scopes
}

/** Whether the scopes restrict to no organization but this one. */
export function areOfOrganization(
  scopes: readonly string[],
  { organizationId, primaryDomain }: Pick<Organization, 'organizationId' | 'primaryDomain'>,
): boolean {
  return reservedScopesOf(scopes).every((scope) =>
    scope.kind === 'organization_id'
      ? scope.value === organizationId
      : scope.kind !== 'organization_domain' || scope.value === primaryDomain,
  )
}

/** The scopes of a response without a refresh token. */
export function withoutRefresh(scopes: readonly string[]): readonly string[] {
  return scopes.filter((scope) => scope !== 'offline_access')
}

/** `aud` of an access token: the client, its project, and each project that a scope adds. */
export function audienceOf(
  { clientId, projectId }: Pick<Client, 'clientId' | 'projectId'>,
  scopes: readonly string[],
): readonly string[] {
  const { namesApi, projectIds } = namedAudiences(scopes)
  // A client id that equals the API's id does not make a token one for the API.
  const named = [clientId, ...(projectId === null ? [] : [projectId]), ...projectIds]
  return [...new Set(named.filter((id) => id !== API_PROJECT)), ...(namesApi ? [API_PROJECT] : [])]
}

/**
 * Returns the projects that a request at the token endpoint names by `resource`, which are then the whole audience of the access
 * token (RFC 8707 section 2.2); undefined for a request that names none. Throws InvalidTargetError for one beyond the audience.
 */
export async function narrowedAudience(
  deps: ResourceDirectory,
  client: AudienceAsker,
  { audience, resource }: { readonly audience: readonly string[]; readonly resource: string | undefined },
): Promise<readonly string[] | undefined> {
  const projects = await projectsOfResources(deps, client, resource)
  if (projects.length === 0) return undefined
  if (projects.every((id) => audience.includes(id))) return projects
  throw new InvalidTargetError('resource may only name what the authorization request named', {
    reason: 'resource_exceeds_grant',
  })
}

interface Named {
  readonly scope?: string | undefined
  readonly resource?: string | undefined
  readonly authorization_details?: string | undefined
}

/** The scopes, the audience and the details of a request that no authorization came before. */
export async function requireNamed(
  deps: ResourceDirectory & { readonly directory: DetailDirectory },
  client: AudienceAsker & Pick<Client, 'projectId'>,
  { scope, resource, authorization_details: asksFor }: Named,
  organization: Pick<Organization, 'organizationId' | 'primaryDomain'>,
): Promise<{
  readonly scopes: readonly string[]
  readonly audience: readonly string[]
  readonly details: readonly GrantedDetail[]
}> {
  const { directory } = deps
  const asked = withoutRefresh(await requireScopes(directory, client, scope, organization))
  const details = asksFor === undefined ? [] : await requireDetails(directory, client, asksFor)
  const ofResources = await projectsOfResources(deps, client, resource)
  const projects = [...new Set([...ofResources, ...details.map(({ projectId }) => projectId)])]
  const scopes = [...new Set([...asked, ...projects.map(audienceScope)])]
  await requireAudiences(directory, client, scopes)
  return { scopes, audience: projects.length > 0 ? projects : audienceOf(client, scopes), details }
}

/** Throws InvalidScopeError when an exchanged audience holds our own APIs and the client is not marked for them. */
export function requireApiMark(client: AudienceAsker, audience: readonly string[]): void {
  if (!audience.includes(API_PROJECT) || mayNameApi(client)) return
  throw new InvalidScopeError('the application may not call the API any more', { reason: 'api_not_allowed' })
}

/**
 * Throws InvalidScopeError for scopes that add an audience which the client may not name. A project that does not exist
 * and one that does not allow the client are refused in the same words.
 */
export async function requireAudiences(
  directory: Pick<DirectoryReader, 'allowsAudience'>,
  client: AudienceAsker,
  scopes: readonly string[],
): Promise<void> {
  if (await mayNameAudiences(directory, client, namedAudiences(scopes))) return
  throw new InvalidScopeError(
    'scope adds a project to the audience that does not exist or does not allow this client',
    { reason: 'audience_not_allowed' },
  )
}

type Directory = Pick<DirectoryReader, 'account' | 'project' | 'userGrants' | 'grantedOrganizations'>

const DESCRIPTIONS: Readonly<Record<ProjectRefusal['reason'], string>> = {
  project_not_granted: 'A project of the audience was not granted to the organization of the user',
  project_role_missing: 'The user has no role in a project of the audience',
}

/** Throws AccessDeniedError for a user that a project of an audience does not let in. */
export async function requireProjectAccess(
  directory: Directory,
  audience: readonly string[],
  userId: string,
): Promise<void> {
  const refusal = await projectRefusal(directory, audience, userId)
  if (refusal === undefined) return
  const { reason, projectId } = refusal
  throw new AccessDeniedError(DESCRIPTIONS[reason], {
    reason,
    values: { userId, others: { project: projectId } },
  })
}
