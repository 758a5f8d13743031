import type { Queryable } from '@signet/platform/postgres/pool'
import { membersOf } from '@signet/protocol/fields/field'
import { ROLE_FIELDS } from '@signet/protocol/fields/role'
import { deleteInParts, MOST_ROWS_OF_A_STATEMENT } from '../database/delete-in-parts.ts'
import { columnNames, givenColumns, selectFields } from '../database/field-columns.ts'
import { readPage, updateRow } from '../database/row-statement.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { ProjectRole, ProjectRoleChanges } from './project.ts'

const SELECT = `SELECT role_key AS key, ${selectFields(ROLE_FIELDS)} FROM directory.project_role`

const COLUMNS = ['project_id', 'role_key', ...columnNames(ROLE_FIELDS)]
const ADD = `INSERT INTO directory.project_role (${COLUMNS.join(', ')})
             VALUES (${COLUMNS.map((_, at) => `$${at + 1}`).join(', ')})`

export class ProjectRoleStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async find(projectId: string, key: string): Promise<ProjectRole | undefined> {
    const { rows } = await this.#database.query<ProjectRole>({
      name: 'project_role.find', // primary key
      text: `${SELECT} WHERE project_id = $1 AND role_key = $2`,
      values: [projectId, key],
    })
    return rows[0]
  }

  list(projectId: string, request: PageRequest): Promise<Page<ProjectRole>> {
    return readPage<ProjectRole>(this.#database, {
      name: 'project_role.list', // primary key
      select: SELECT,
      key: 'role_key',
      keyMember: 'key',
      filters: { project_id: projectId },
      request,
    })
  }

  async add(projectId: string, { key, ...role }: ProjectRole): Promise<void> {
    await this.#database.query({
      name: 'project_role.add',
      text: ADD,
      values: [projectId, key, ...Object.values(membersOf(ROLE_FIELDS, role))],
    })
  }

  async update(projectId: string, key: string, changes: ProjectRoleChanges): Promise<void> {
    const columns = givenColumns(ROLE_FIELDS, changes)
    await this.#database.query(
      updateRow('project_role', 'project_role', columns, { project_id: projectId, role_key: key }),
    )
  }

  /** Deletes a role and removes it from its users. Returns whether it existed. */
  async delete(projectId: string, key: string): Promise<boolean> {
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
