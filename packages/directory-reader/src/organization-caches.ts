// Caches of rows that belong to an organization, by the change feed of the directory reader.
import type { DirectoryReader } from './directory-reader.ts'
import { RowCache } from './row-cache.ts'

/** The dependencies of a reader whose rows belong to organizations. */
export interface OrganizationCacheOptions {
  /** Reader whose change feed is followed. */
  readonly directory: Pick<DirectoryReader, 'follow'>
  /** Milliseconds of a clock that only moves forward; the process's own when left out. */
  readonly elapsed?: () => number
}

interface OrganizationRow {
  readonly organizationId: string
}

/**
 * Returns the factory of such caches. A change of an organization drops its rows, one of the settings of the instance all of
 * them, since minimums of the instance are in the row of every organization.
 */
export function createOrganizationCaches({
  directory,
  elapsed = () => performance.now(),
}: OrganizationCacheOptions) {
  const caches: Pick<RowCache<OrganizationRow>, 'clear' | 'drop'>[] = []
  directory.follow({
    apply(changes) {
      if (changes.overflow || changes.ids.has('setting')) {
        for (const cache of caches) cache.clear()
        return
      }
      const organizations = changes.ids.get('organization')
      if (organizations === undefined) return
      for (const cache of caches) cache.drop(({ organizationId }) => organizations.has(organizationId))
    },
  })
  return <Row extends OrganizationRow>(
    accepts: (key: string) => boolean,
    load: (key: string) => Promise<Row | undefined>,
  ): RowCache<Row> => {
    const cache = new RowCache({ accepts, load, elapsed })
    caches.push(cache)
    return cache
  }
}
