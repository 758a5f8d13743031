import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { AudienceAsker } from '@signet/directory-reader/project-access'
import type { Organization } from '@signet/directory-reader/views'
import { InvalidScopeError } from '@signet/protocol/errors'
import { isKnownScope, parseScopeString, reservedScopesOf } from '@signet/protocol/scopes'
import { requireAudiences } from './audience.ts'

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
  for (const scope of reservedScopesOf(scopes)) {
    const fits =
      scope.kind === 'organization_id'
        ? scope.value === organization.organizationId
        : scope.kind !== 'organization_domain' || scope.value === organization.primaryDomain
    if (fits) continue
    throw new InvalidScopeError('scope restricts the token to an organization that the subject is not of', {
      reason: 'scope_of_other_organization',
    })
  }
  return scopes
}

/** What can be granted where there is no refresh token to grant. */
export function withoutRefresh(scopes: readonly string[]): readonly string[] {
  return scopes.filter((scope) => scope !== 'offline_access')
}
