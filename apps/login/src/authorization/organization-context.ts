// The reserved scopes that restrict a request to the people of one organization.
import { InvalidScopeError } from '@signet/oauth-protocol/errors'
import { type ReservedScope, reservedScopesOf } from '@signet/oauth-protocol/reserved-scopes'

/** Finds active organizations. */
export interface FindOrganization {
  byId(organizationId: string): Promise<string | undefined>
  byPrimaryDomain(domain: string): Promise<string | undefined>
}

/** The id of the organization that the scopes restrict a request to. Throws InvalidScopeError. */
export type ReadOrganizationContext = (scopes: readonly string[]) => Promise<string | undefined>

export function organizationContexts(find: FindOrganization): ReadOrganizationContext {
  const named = (scope: ReservedScope) => {
    if (scope.kind === 'organization_id') return [find.byId(scope.value)]
    if (scope.kind === 'organization_domain') return [find.byPrimaryDomain(scope.value.toLowerCase())]
    return []
  }
  return async (scopes) => {
    const found = await Promise.all(reservedScopesOf(scopes).flatMap(named))
    if (found.includes(undefined)) {
      throw new InvalidScopeError('scope names an organization that does not exist', {
        reason: 'organization_unknown',
      })
    }
    if (new Set(found).size > 1) {
      throw new InvalidScopeError('scope names more than one organization', {
        reason: 'organization_several',
      })
    }
    return found[0]
  }
}
