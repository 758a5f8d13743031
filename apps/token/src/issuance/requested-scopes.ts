import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Organization } from '@signet/directory-reader/views'
import { InvalidScopeError } from '@signet/oauth-protocol/errors'
import { reservedScopesOf } from '@signet/oauth-protocol/reserved-scopes'
import { parseScopeString } from '@signet/oauth-protocol/scope-string'
import { isKnownScope } from '@signet/oauth-protocol/scopes'
import { unknownProjectIn } from './audience.ts'

/**
 * The scopes of a request at the token endpoint, where unknown ones are refused rather than dropped. Throws
 * InvalidScopeError for an unknown scope, an unknown project, and an organization that is not the subject's.
 */
export async function requireScopes(
  directory: Pick<DirectoryReader, 'project'>,
  value: string | undefined,
  organization: Pick<Organization, 'organizationId' | 'primaryDomain'>,
): Promise<readonly string[]> {
  const scopes = parseScopeString(value)
  if (!scopes.every(isKnownScope)) {
    throw new InvalidScopeError('scope holds a scope that is not known; discovery lists those that are', {
      reason: 'scope_unknown',
    })
  }
  if ((await unknownProjectIn(directory, scopes)) !== undefined) {
    throw new InvalidScopeError('scope adds a project to the audience that does not exist', {
      reason: 'scope_of_unknown_project',
    })
  }
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
