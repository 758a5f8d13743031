import type { Queryable } from '@signet/postgres/pool'
import type { Page, PageRequest } from '../management/page.ts'
import type { ProjectGrant } from '../projects/project.ts'
import { readPage } from './keyset-page.ts'

export interface ProjectGrantStore {
  has(projectId: string, organizationId: string): Promise<boolean>
  list(projectId: string, request: PageRequest): Promise<Page<ProjectGrant>>
  add(projectId: string, grant: ProjectGrant): Promise<void>
  /** Whether there was one. */
  delete(projectId: string, organizationId: string): Promise<boolean>
}

export class PostgresProjectGrantStore implements ProjectGrantStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async has(projectId: string, organizationId: string) {
    const { rowCount } = await this.#database.query({
      name: 'project_grant.has', // primary key
      text: 'SELECT FROM directory.project_grant WHERE project_id = $1 AND granted_organization_id = $2',
      values: [projectId, organizationId],
    })
    return rowCount === 1
  }

  list(projectId: string, request: PageRequest) {
    return readPage<ProjectGrant>(this.#database, {
      name: 'project_grant.list', // primary key
      select: 'SELECT granted_organization_id AS "organizationId" FROM directory.project_grant',
      key: 'granted_organization_id',
      keyMember: 'organizationId',
      filters: { project_id: projectId },
      request,
    })
  }

  async add(projectId: string, { organizationId }: ProjectGrant) {
    await this.#database.query({
      name: 'project_grant.add',
      text: 'INSERT INTO directory.project_grant (project_id, granted_organization_id) VALUES ($1, $2)',
      values: [projectId, organizationId],
    })
  }

  async delete(projectId: string, organizationId: string) {
    const { rowCount } = await this.#database.query({
      name: 'project_grant.delete', // primary key
      text: 'DELETE FROM directory.project_grant WHERE project_id = $1 AND granted_organization_id = $2',
      values: [projectId, organizationId],
    })
    return rowCount === 1
  }
}
