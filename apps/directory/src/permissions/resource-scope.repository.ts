import type { Queryable } from '@signet/platform/postgres/pool'
import type { ResourceScope, ScopeKind } from './permission.ts'

interface PlaceRow {
  readonly organizationId: string
  readonly projectId: string | null
}

const STATEMENTS = {
  user: {
    name: 'place.user', // primary key; retired_epoch_owner
    text: `SELECT a.organization_id AS "organizationId", NULL AS "projectId", 0 AS rank, now() AS at
             FROM directory.account a WHERE a.user_id = $1
            UNION ALL
           SELECT organization_id, NULL, 1, retired_at FROM directory.retired_epoch
            WHERE owner_kind = 'account' AND owner_id = $1
            ORDER BY rank, at DESC LIMIT 1`,
  },
  project: {
    name: 'place.project', // primary key; retired_epoch_project
    text: `SELECT organization_id AS "organizationId", project_id AS "projectId", 0 AS rank, now() AS at
             FROM directory.project WHERE project_id = $1
            UNION ALL
           SELECT organization_id, project_id, 1, retired_at FROM directory.retired_epoch
            WHERE project_id = $1 AND organization_id IS NOT NULL
            ORDER BY rank, at DESC LIMIT 1`,
  },
  application: {
    name: 'place.application', // primary keys; retired_epoch_owner
    text: `SELECT p.organization_id AS "organizationId", p.project_id AS "projectId", 0 AS rank, now() AS at
             FROM directory.application a JOIN directory.project p USING (project_id) WHERE a.application_id = $1
            UNION ALL
           SELECT organization_id, project_id, 1, retired_at FROM directory.retired_epoch
            WHERE owner_kind = 'application' AND owner_id = $1 AND organization_id IS NOT NULL
            ORDER BY rank, at DESC LIMIT 1`,
  },
  identity_provider: {
    name: 'place.identity_provider', // primary key
    text: `SELECT organization_id AS "organizationId", NULL AS "projectId" FROM directory.identity_provider
            WHERE provider_id = $1`,
  },
} as const

export class ResourceScopeStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** Finds the scope of an object, or its last one when it was deleted under this id; undefined: it never existed. */
  async find(kind: ScopeKind, id: string): Promise<ResourceScope | undefined> {
    if (kind === 'instance') return {}
    // The id is its own scope, and callers who may ask about it may learn that it is missing.
    if (kind === 'organization') return { organizationId: id }
    const { rows } = await this.#database.query<PlaceRow>({ ...STATEMENTS[kind], values: [id] })
    const [row] = rows
    return (
      row && {
        organizationId: row.organizationId,
        ...(row.projectId !== null && { projectId: row.projectId }),
      }
    )
  }
}
