// The identity providers at which a sign-in may begin, by the view provider_initiated_v1.
import type { Queryable } from '@signet/platform/postgres/pool'
import { isConsumerPath } from '@signet/protocol/assertion-consumer'
import { isIdentifier } from '@signet/tokens/identifiers'
import type { DirectoryReader } from './directory-reader.ts'
import { RowCache } from './row-cache.ts'

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

interface ReaderOptions {
  readonly database: Queryable
  /** Reader whose change feed is followed. */
  readonly directory: Pick<DirectoryReader, 'follow'>
  /** Milliseconds of a clock that only moves forward; the process's own when left out. */
  readonly elapsed?: () => number
}

/** Reads the view, which only login may read, through caches that follow the change feed of the directory reader. */
export function createInitiatingProviderReader({
  database,
  directory,
  elapsed = () => performance.now(),
}: ReaderOptions): FindInitiatingProvider {
  const createCache = (column: Column, accepts: (key: string) => boolean) =>
    new RowCache({ accepts, load: (key) => loadProvider(database, column, key), elapsed })
  const byId = createCache('provider_id', isIdentifier)
  const byPath = createCache('assertion_consumer_path', isConsumerPath)
  directory.follow({
    apply(changes) {
      // The minimums of the instance decide which providers are usable.
      if (changes.overflow || changes.ids.has('setting')) {
        for (const cache of [byId, byPath]) cache.clear()
        return
      }
      const organizations = changes.ids.get('organization')
      if (organizations === undefined) return
      for (const cache of [byId, byPath])
        cache.drop(({ organizationId }) => organizations.has(organizationId))
    },
  })
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
