import type { Queryable } from '@signet/platform/postgres/pool'
import { deleteInParts, MOST_ROWS_OF_A_STATEMENT } from '../database/delete-in-parts.ts'
import { readPage, updateRow } from '../database/row-statement.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { ProjectRole, ProjectRoleChanges } from './project.ts'

export interface ProjectRoleStore {
  find(projectId: string, key: string): Promise<ProjectRole | undefined>
  list(projectId: string, request: PageRequest): Promise<Page<ProjectRole>>
  add(projectId: string, role: ProjectRole): Promise<void>
  update(projectId: string, key: string, changes: ProjectRoleChanges): Promise<void>
  /** Also removes it from the users who have it. Whether it existed. */
  delete(projectId: string, key: string): Promise<boolean>
}

const SELECT = `SELECT role_key AS key, display_name AS "displayName", role_group AS "group"
                  FROM directory.project_role`

export class PostgresProjectRoleStore implements ProjectRoleStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async find(projectId: string, key: string) {
    const { rows } = await this.#database.query<ProjectRole>({
      name: 'project_role.find', // primary key
      text: `${SELECT} WHERE project_id = $1 AND role_key = $2`,
      values: [projectId, key],
    })
    return rows[0]
  }

  list(projectId: string, request: PageRequest) {
    return readPage<ProjectRole>(this.#database, {
      name: 'project_role.list', // primary key
      select: SELECT,
      key: 'role_key',
      keyMember: 'key',
      filters: { project_id: projectId },
      request,
    })
  }

  async add(projectId: string, { key, displayName, group }: ProjectRole) {
    await this.#database.query({
      name: 'project_role.add',
      text: `INSERT INTO directory.project_role (project_id, role_key, display_name, role_group)
             VALUES ($1, $2, $3, $4)`,
      values: [projectId, key, displayName, group],
    })
  }

  async update(projectId: string, key: string, { displayName, group }: ProjectRoleChanges) {
    const columns = {
      ...(displayName !== undefined && { display_name: displayName }),
      ...(group !== undefined && { role_group: group }),
    }
    await this.#database.query(
      updateRow('project_role', 'project_role', columns, { project_id: projectId, role_key: key }),
    )
  }

  async delete(projectId: string, key: string) {
    await deleteInParts(this.#database, {
      name: 'project_role.delete_grants', // user_grant_role_role
      text: `DELETE FROM directory.user_grant_role WHERE (user_id, project_id, role_key) IN (
               SELECT user_id, project_id, role_key FROM directory.user_grant_role
                WHERE project_id = $1 AND role_key = $2 LIMIT ${MOST_ROWS_OF_A_STATEMENT})`,
      values: [projectId, key],
    })
    const { rowCount } = await this.#database.query({
      name: 'project_role.delete', // primary key, then user_grant_role_role
      text: 'DELETE FROM directory.project_role WHERE project_id = $1 AND role_key = $2',
      values: [projectId, key],
    })
    return rowCount === 1
  }
}
