import type { Queryable } from '@signet/platform/postgres/pool'
import { readPage } from '../database/row-statement.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { GrantedProject, ProjectGrant } from './project.ts'

export class ProjectGrantStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async isAccepted(projectId: string, organizationId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'project_grant.is_accepted', // primary key
      text: `SELECT FROM directory.project_grant
              WHERE project_id = $1 AND granted_organization_id = $2 AND accepted`,
      values: [projectId, organizationId],
    })
    return rowCount === 1
  }

  list(projectId: string, request: PageRequest): Promise<Page<ProjectGrant>> {
    return readPage<ProjectGrant>(this.#database, {
      name: 'project_grant.list', // primary key
      select: 'SELECT granted_organization_id AS "organizationId", accepted FROM directory.project_grant',
      key: 'granted_organization_id',
      keyMember: 'organizationId',
      filters: { project_id: projectId },
      request,
    })
  }

  /** Lists the grants that an organization received. */
  listReceived(organizationId: string, request: PageRequest): Promise<Page<GrantedProject>> {
    return readPage<GrantedProject>(this.#database, {
      name: 'project_grant.list_received', // project_grant_organization, then primary key
      select: `SELECT g.project_id AS "projectId", p.name, p.organization_id AS "organizationId", g.accepted
                 FROM directory.project_grant g JOIN directory.project p USING (project_id)`,
      key: 'g.project_id',
      keyMember: 'projectId',
      filters: { 'g.granted_organization_id': organizationId },
      request,
    })
  }

  async add(projectId: string, { organizationId, accepted }: ProjectGrant): Promise<void> {
    await this.#database.query({
      name: 'project_grant.add',
      text: `INSERT INTO directory.project_grant (project_id, granted_organization_id, accepted)
             VALUES ($1, $2, $3)`,
      values: [projectId, organizationId, accepted],
    })
  }

  /** Whether there is one. */
  async accept(projectId: string, organizationId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'project_grant.accept', // primary key
      text: `UPDATE directory.project_grant SET accepted = true
              WHERE project_id = $1 AND granted_organization_id = $2`,
      values: [projectId, organizationId],
    })
    return rowCount === 1
  }

  /** Whether there was one. */
  async delete(projectId: string, organizationId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'project_grant.delete', // primary key
      text: 'DELETE FROM directory.project_grant WHERE project_id = $1 AND granted_organization_id = $2',
      values: [projectId, organizationId],
    })
    return rowCount === 1
  }
}
