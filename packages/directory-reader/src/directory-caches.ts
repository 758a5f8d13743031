import { isClientIdentifier, isClientIdUrl, isIdentifier, isUserIdentifier } from '@signet/tokens/identifiers'
import { CHANGES_OF_ACCOUNT } from './account-cache.ts'
import type { Changes } from './change-feed.ts'
import { RowCache } from './row-cache.ts'
import type { viewLoaders } from './view-loaders.ts'

/** PostgreSQL cannot compare U+0000; a domain has 253 characters at most, and no page has an origin that long. */
const isText = (value: string): boolean => value.length <= 2_000 && !value.includes('\0')

/** The ids of a project, a client and its organization; none of them can hold a space. */
const isAudienceKey = (key: string): boolean =>
  key.split(' ').every((id) => isUserIdentifier(id) || isClientIdUrl(id))

/** The caches of a reader, one for each way in which it finds rows. */
export function createDirectoryCaches(load: ReturnType<typeof viewLoaders>, elapsed: () => number) {
  return {
    clients: new RowCache({ accepts: isClientIdentifier, load: load.client, elapsed }),
    accounts: new RowCache({ accepts: isUserIdentifier, load: load.account, elapsed }),
    organizations: new RowCache({ accepts: isIdentifier, load: load.organization, elapsed }),
    primaryDomains: new RowCache({ accepts: isText, load: load.organizationByPrimaryDomain, elapsed }),
    projects: new RowCache({ accepts: isIdentifier, load: load.project, elapsed }),
    resources: new RowCache({ accepts: isText, load: load.projectOfResource, elapsed }),
    detailTypes: new RowCache({ accepts: isText, load: load.projectOfDetailType, elapsed }),
    grants: new RowCache({ accepts: isUserIdentifier, load: load.userGrants, elapsed }),
    projectGrants: new RowCache({ accepts: isIdentifier, load: load.grantedOrganizations, elapsed }),
    audiences: new RowCache({ accepts: isAudienceKey, load: load.audience, elapsed }),
    machineKeys: new RowCache({ accepts: isUserIdentifier, load: load.machineKeys, elapsed }),
    issuerTrusts: new RowCache({ accepts: isUserIdentifier, load: load.issuerTrusts, elapsed }),
    serviceUsers: new RowCache({ accepts: isUserIdentifier, load: load.serviceUser, elapsed }),
    origins: new RowCache({ accepts: isText, load: load.registeredOrigin, elapsed }),
    settings: new RowCache({ accepts: isIdentifier, load: load.settings, elapsed }),
  }
}

/** Drops the rows that changes have made old. */
export function dropChanged(caches: ReturnType<typeof createDirectoryCaches>, changes: Changes): void {
  if (changes.overflow) {
    for (const cache of Object.values(caches)) cache.clear()
    return
  }
  const { ids } = changes
  const touches = (kind: string, id: string | null) => id !== null && (ids.get(kind)?.has(id) ?? false)
  const any = (...kinds: readonly string[]) => kinds.some((kind) => ids.has(kind))
  // A kind drops all rows that contain its row: the name of an organization is in every account of it.
  if (any('application', 'account', 'organization')) {
    caches.clients.drop(
      (row) =>
        touches('application', row.applicationId) ||
        touches('account', row.userId) ||
        touches('organization', row.organizationId),
    )
  }
  if (any(...CHANGES_OF_ACCOUNT)) {
    caches.accounts.drop(
      (row) => touches('account', row.userId) || touches('organization', row.organizationId),
    )
  }
  // The minimums of the instance are in the row of every organization.
  if (any('setting')) caches.organizations.clear()
  if (any('organization', 'setting')) {
    caches.organizations.drop((row) => touches('organization', row.organizationId))
    // A second organization may have come to name the domain of a first.
    caches.primaryDomains.clear()
  }
  if (any('project', 'organization')) {
    caches.projects.drop(
      (row) => touches('project', row.projectId) || touches('organization', row.organizationId),
    )
  }
  if (any('project', 'organization')) caches.audiences.clear()
  if (any('project')) {
    caches.resources.clear()
    caches.detailTypes.clear()
  }
  if (any('project')) caches.projectGrants.drop((row) => touches('project', row.projectId))
  if (any('application', 'organization')) caches.origins.clear()
  if (any('account')) {
    caches.machineKeys.drop((row) => touches('account', row.userId))
    caches.issuerTrusts.drop((row) => touches('account', row.userId))
    caches.serviceUsers.drop((row) => touches('account', row.userId))
  }
  if (any('user_grant', 'organization')) {
    caches.grants.drop(
      ({ userId, grants: held }) =>
        touches('user_grant', userId) || held.some((grant) => touches('organization', grant.organizationId)),
    )
  }
  if (any('setting', 'feature', 'organization')) caches.settings.clear()
}
