import type { Logger } from '@signet/platform/logger/logger'
import type { Database } from '@signet/platform/postgres/pool'
import { isIdentifier, isUserIdentifier } from '@signet/tokens/identifiers'
import {
  type AccountCache,
  type AccountCacheLimit,
  CHANGES_OF_ACCOUNT,
  FollowingAccountCache,
} from './account-cache.ts'
import { type Changes, type FeedPoller, type Follower, startFeedPoller } from './change-feed.ts'
import { RowCache } from './row-cache.ts'
import { viewLoaders } from './view-loaders.ts'
import type {
  Account,
  Client,
  InstanceSettings,
  Organization,
  PersonalAccessToken,
  Project,
  RegisteredKey,
  ServiceUser,
  UserGrant,
} from './views.ts'

/**
 * The directory as other services see it. A change is seen at most one poll after its commit; when the change feed
 * cannot be read, rows are still never older than 60 seconds. Calls reject when the database cannot be asked and they
 * need it: rows that are in use are there for 30 seconds more.
 */
export interface DirectoryReader {
  client(clientId: string): Promise<Client | undefined>
  account(userId: string): Promise<Account | undefined>
  organization(organizationId: string): Promise<Organization | undefined>
  /** The one organization with this primary domain, given in lower case. */
  organizationByPrimaryDomain(domain: string): Promise<Organization | undefined>
  project(projectId: string): Promise<Project | undefined>
  /** Ordered by project; empty when the user is unknown or has no roles anywhere. */
  userGrants(userId: string): Promise<readonly UserGrant[]>
  /** The organizations that were granted a project, its owner aside; only login and token may ask. */
  grantedOrganizations(projectId: string): Promise<ReadonlySet<string>>
  /**
   * Whether a project lets a client of an organization name it as an audience: one of the same organization, one of an
   * organization that accepted a grant of the project, or a client that the project lists. A project that does not
   * exist lets no client, and finding that out takes the same queries. Only login and token may ask.
   */
  allowsAudience(projectId: string, client: Pick<Client, 'clientId' | 'organizationId'>): Promise<boolean>
  /** The keys with which a service user signs assertions, expired keys too, ordered by `kid`; only token may ask. */
  machineKeys(userId: string): Promise<readonly RegisteredKey[]>
  /** Undefined for people; only token may ask. */
  serviceUser(userId: string): Promise<ServiceUser | undefined>
  /**
   * Finds a token by its SHA-256; only token and introspection may ask. Never cached, because revocation does not
   * depend on a cache.
   */
  personalAccessToken(hash: Buffer): Promise<PersonalAccessToken | undefined>
  /** Whether pages of this origin belong to an active application, whichever that is. */
  isRegisteredOrigin(origin: string): Promise<boolean>
  settings(): Promise<InstanceSettings>
  /** Has further caches follow the change feed, as long as the reader does. */
  follow(follower: Follower): void
  /** A new cache of values derived from accounts; it follows the change feed as long as the reader does. */
  createAccountCache<Value>(limit: AccountCacheLimit<Value>): AccountCache<Value>
  /** Looks at the change feed now; when it resolves, every change committed before the call is in effect. */
  poll(): Promise<void>
  stop(): Promise<void>
}

interface DirectoryReaderOptions {
  readonly database: Database
  /** Milliseconds of a clock that only moves forward, by which rows age; the process's own when left out. */
  readonly elapsed?: () => number
  readonly logger: Logger
  readonly pollIntervalMs?: number
  /** The poller of this process, for several readers; it outlives them. A reader has its own when left out. */
  readonly changes?: FeedPoller | undefined
}

const INSTANCE = 'instance'

/** PostgreSQL cannot compare U+0000; a domain has 253 characters at most, and no page has an origin that long. */
const isText = (value: string): boolean => value.length <= 2_000 && !value.includes('\0')

/** The ids of a project, a client and its organization; none of them can hold a space. */
const isAudienceKey = (key: string): boolean => key.split(' ').every(isUserIdentifier)

/** Reads the published views through caches that follow the change feed until `stop`. */
export function createDirectoryReader({
  database,
  elapsed = () => performance.now(),
  logger,
  pollIntervalMs,
  changes: shared,
}: DirectoryReaderOptions): DirectoryReader {
  const load = viewLoaders(database)
  const clients = new RowCache({ accepts: isIdentifier, load: load.client, elapsed })
  const accounts = new RowCache({ accepts: isUserIdentifier, load: load.account, elapsed })
  const organizations = new RowCache({ accepts: isIdentifier, load: load.organization, elapsed })
  const primaryDomains = new RowCache({ accepts: isText, load: load.organizationByPrimaryDomain, elapsed })
  const projects = new RowCache({ accepts: isIdentifier, load: load.project, elapsed })
  const grants = new RowCache({ accepts: isUserIdentifier, load: load.userGrants, elapsed })
  const projectGrants = new RowCache({ accepts: isIdentifier, load: load.grantedOrganizations, elapsed })
  const audiences = new RowCache({ accepts: isAudienceKey, load: load.audience, elapsed })
  const machineKeys = new RowCache({ accepts: isUserIdentifier, load: load.machineKeys, elapsed })
  const serviceUsers = new RowCache({ accepts: isUserIdentifier, load: load.serviceUser, elapsed })
  const origins = new RowCache({ accepts: isText, load: load.registeredOrigin, elapsed })
  const settings = new RowCache({ accepts: isIdentifier, load: load.settings, elapsed })
  const caches = [
    clients,
    accounts,
    organizations,
    primaryDomains,
    projects,
    grants,
    projectGrants,
    audiences,
    machineKeys,
    serviceUsers,
    origins,
    settings,
  ]
  const followers: Follower[] = []

  function apply(changes: Changes): void {
    for (const follower of followers) follower.apply(changes)
    if (changes.overflow) {
      for (const cache of caches) cache.clear()
      return
    }
    const { ids } = changes
    const touches = (kind: string, id: string | null) => id !== null && (ids.get(kind)?.has(id) ?? false)
    const any = (...kinds: readonly string[]) => kinds.some((kind) => ids.has(kind))
    // A kind drops all rows that contain its row: the name of an organization is in every account of it.
    if (any('application', 'account', 'organization')) {
      clients.drop(
        (row) =>
          touches('application', row.applicationId) ||
          touches('account', row.userId) ||
          touches('organization', row.organizationId),
      )
    }
    if (any(...CHANGES_OF_ACCOUNT)) {
      accounts.drop((row) => touches('account', row.userId) || touches('organization', row.organizationId))
    }
    // The minimums of the instance are in the row of every organization.
    if (any('setting')) organizations.clear()
    if (any('organization', 'setting')) {
      organizations.drop((row) => touches('organization', row.organizationId))
      // A second organization may have come to name the domain of a first.
      primaryDomains.clear()
    }
    if (any('project', 'organization')) {
      projects.drop((row) => touches('project', row.projectId) || touches('organization', row.organizationId))
    }
    if (any('project', 'organization')) audiences.clear()
    if (any('project')) projectGrants.drop((row) => touches('project', row.projectId))
    if (any('application', 'organization')) origins.clear()
    if (any('account')) {
      machineKeys.drop((row) => touches('account', row.userId))
      serviceUsers.drop((row) => touches('account', row.userId))
    }
    if (any('user_grant', 'organization')) {
      grants.drop(
        ({ userId, grants: held }) =>
          touches('user_grant', userId) ||
          held.some((grant) => touches('organization', grant.organizationId)),
      )
    }
    if (any('setting', 'feature', 'organization')) settings.clear()
  }

  const poller =
    shared ??
    startFeedPoller({
      database,
      logger,
      ...(pollIntervalMs !== undefined && { intervalMs: pollIntervalMs }),
    })
  poller.follow(apply)

  return {
    client: (clientId) => clients.get(clientId),
    account: (userId) => accounts.get(userId),
    organization: (organizationId) => organizations.get(organizationId),
    organizationByPrimaryDomain: (domain) => primaryDomains.get(domain),
    project: (projectId) => projects.get(projectId),
    userGrants: async (userId) => (await grants.get(userId))?.grants ?? [],
    grantedOrganizations: async (projectId) =>
      (await projectGrants.get(projectId))?.organizationIds ?? new Set(),
    allowsAudience: async (projectId, { clientId, organizationId }) =>
      (await audiences.get(`${projectId} ${clientId} ${organizationId}`))?.isAllowed ?? false,
    machineKeys: async (userId) => (await machineKeys.get(userId))?.keys ?? [],
    serviceUser: (userId) => serviceUsers.get(userId),
    personalAccessToken: load.personalAccessToken,
    isRegisteredOrigin: async (origin) => (await origins.get(origin)) !== undefined,
    async settings() {
      const row = await settings.get(INSTANCE)
      if (row === undefined)
        throw new Error('directory_read.setting_v1 has no row; are the migrations applied?')
      return row
    },
    follow: (follower) => void followers.push(follower),
    createAccountCache<Value>(limit: AccountCacheLimit<Value>) {
      const readAt = (account: Account) => accounts.readAt(account.userId, account)
      const cache = new FollowingAccountCache({ ...limit, elapsed, readAt })
      followers.push(cache)
      return cache
    },
    poll: poller.poll,
    async stop() {
      if (shared === undefined) await poller.stop()
    },
  }
}
