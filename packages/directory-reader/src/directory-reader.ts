import type { Logger } from '@signet/platform/logger/logger'
import type { Database } from '@signet/platform/postgres/pool'
import { type AccountCache, type AccountCacheLimit, FollowingAccountCache } from './account-cache.ts'
import { type FeedPoller, type Follower, startFeedPoller } from './change-feed.ts'
import { createDirectoryCaches, dropChanged } from './directory-caches.ts'
import { viewLoaders } from './view-loaders.ts'
import type {
  Account,
  Client,
  InstanceSettings,
  IssuerTrust,
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
  /** The id of the project whose API has this URI (RFC 8707). */
  projectOfResource(uri: string): Promise<string | undefined>
  /** The id of the project that defines this type of authorization details (RFC 9396); only login and token may ask. */
  projectOfDetailType(type: string): Promise<string | undefined>
  /** Ordered by project; empty when the user is unknown or has no roles anywhere. */
  userGrants(userId: string): Promise<readonly UserGrant[]>
  /** The organizations that were granted a project, its owner aside; only login and token may ask. */
  grantedOrganizations(projectId: string): Promise<ReadonlySet<string>>
  /**
   * Whether a project lets a client of an organization name it as an audience: one of the same organization, one of an
   * organization that accepted a grant of the project, or a client that the project lists. A project that does not
   * exist lets no client, and finding that out takes the same queries. For a client whose id is a URL the same organization does not
   * count. Only login and token may ask.
   */
  allowsAudience(projectId: string, client: Pick<Client, 'clientId' | 'organizationId'>): Promise<boolean>
  /** The keys with which a service user signs assertions, expired keys too, ordered by `kid`; only token may ask. */
  machineKeys(userId: string): Promise<readonly RegisteredKey[]>
  /** The issuers whose assertions a service user authenticates with, ordered by id; only token may ask. */
  issuerTrusts(userId: string): Promise<readonly IssuerTrust[]>
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

/** Reads the published views through caches that follow the change feed until `stop`. */
export function createDirectoryReader({
  database,
  elapsed = () => performance.now(),
  logger,
  pollIntervalMs,
  changes: shared,
}: DirectoryReaderOptions): DirectoryReader {
  const load = viewLoaders(database)
  const caches = createDirectoryCaches(load, elapsed)
  const followers: Follower[] = []

  const poller =
    shared ??
    startFeedPoller({
      database,
      logger,
      ...(pollIntervalMs !== undefined && { intervalMs: pollIntervalMs }),
    })
  poller.follow((changes) => {
    for (const follower of followers) follower.apply(changes)
    dropChanged(caches, changes)
  })

  return {
    client: (clientId) => caches.clients.get(clientId),
    account: (userId) => caches.accounts.get(userId),
    organization: (organizationId) => caches.organizations.get(organizationId),
    organizationByPrimaryDomain: (domain) => caches.primaryDomains.get(domain),
    project: (projectId) => caches.projects.get(projectId),
    userGrants: async (userId) => (await caches.grants.get(userId))?.grants ?? [],
    grantedOrganizations: async (projectId) =>
      (await caches.projectGrants.get(projectId))?.organizationIds ?? new Set(),
    projectOfResource: async (uri) => (await caches.resources.get(uri))?.projectId,
    projectOfDetailType: async (type) => (await caches.detailTypes.get(type))?.projectId,
    allowsAudience: async (projectId, { clientId, organizationId }) =>
      (await caches.audiences.get(`${projectId} ${clientId} ${organizationId}`))?.isAllowed ?? false,
    issuerTrusts: async (userId) => (await caches.issuerTrusts.get(userId))?.trusts ?? [],
    machineKeys: async (userId) => (await caches.machineKeys.get(userId))?.keys ?? [],
    serviceUser: (userId) => caches.serviceUsers.get(userId),
    personalAccessToken: load.personalAccessToken,
    isRegisteredOrigin: async (origin) => (await caches.origins.get(origin)) !== undefined,
    async settings() {
      const row = await caches.settings.get(INSTANCE)
      if (row === undefined)
        throw new Error('directory_read.setting_v1 has no row; are the migrations applied?')
      return row
    },
    follow: (follower) => void followers.push(follower),
    createAccountCache<Value>(limit: AccountCacheLimit<Value>) {
      const readAt = (account: Account) => caches.accounts.readAt(account.userId, account)
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
