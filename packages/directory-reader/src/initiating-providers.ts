// The identity providers at which a sign-in may begin, by the view provider_initiated_v1.
import type { Queryable } from '@signet/platform/postgres/pool'
import { isConsumerPath } from '@signet/protocol/assertion-consumer'
import { isIdentifier } from '@signet/tokens/identifiers'
import { createOrganizationCaches, type OrganizationCacheOptions } from './organization-caches.ts'

/** A usable provider at which a sign-in may begin. */
export interface InitiatingProvider {
  readonly providerId: string
  readonly organizationId: string
  /** The application at which the sign-in ends; null: the own account. */
  readonly clientId: string | null
}

/** Finds such providers; undefined for one that is not usable, or at which no sign-in begins. Rejects without a row while PostgreSQL is away. */
export interface FindInitiatingProvider {
  byId(providerId: string): Promise<InitiatingProvider | undefined>
  /** The provider that takes assertions at a path of another product, with its query. */
  byConsumerPath(path: string): Promise<InitiatingProvider | undefined>
}

interface ReaderOptions extends OrganizationCacheOptions {
  readonly database: Queryable
}

/** Reads the view, which only login may read, through caches that follow the change feed of the directory reader. */
export function createInitiatingProviderReader({
  database,
  ...options
}: ReaderOptions): FindInitiatingProvider {
  const createCache = createOrganizationCaches(options)
  const byId = createCache(isIdentifier, (key) => loadProvider(database, 'provider_id', key))
  const byPath = createCache(isConsumerPath, (key) => loadProvider(database, 'assertion_consumer_path', key))
  return { byId: (providerId) => byId.get(providerId), byConsumerPath: (path) => byPath.get(path) }
}

type Column = 'provider_id' | 'assertion_consumer_path'

async function loadProvider(
  database: Queryable,
  column: Column,
  key: string,
): Promise<InitiatingProvider | undefined> {
  const { rows } = await database.query<InitiatingProvider>({
    name: `directory_reader.initiating_provider_by_${column}`, // primary key, identity_provider_consumer
    text: `SELECT provider_id AS "providerId", organization_id AS "organizationId", client_id AS "clientId"
             FROM directory_read.provider_initiated_v1 WHERE ${column} = $1`,
    values: [key],
  })
  return rows[0]
}
