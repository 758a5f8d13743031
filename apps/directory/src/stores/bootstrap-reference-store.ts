import type { Queryable } from '@signet/platform/postgres/pool'
import type { Reference } from '../bootstrap/check-references.ts'

export interface ReferenceStore {
  exists(reference: Reference): Promise<boolean>
}

export class PostgresReferenceStore implements ReferenceStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async exists(reference: Reference): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: `bootstrap.reference.${reference.kind}`,
      text: QUERIES[reference.kind],
      values:
        reference.kind === 'project_role' ? [reference.id, reference.projectId ?? null] : [reference.id],
    })
    return rowCount > 0
  }
}

/** All by primary key. */
const QUERIES = {
  organization: 'SELECT FROM directory.organization WHERE organization_id = $1',
  user: 'SELECT FROM directory.account WHERE user_id = $1',
  project_role: 'SELECT FROM directory.project_role WHERE role_key = $1 AND project_id = $2',
} as const satisfies Record<Reference['kind'], string>
