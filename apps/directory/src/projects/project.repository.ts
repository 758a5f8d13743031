import type { Queryable } from '@signet/platform/postgres/pool'
import { PROJECT_FIELDS } from '@signet/protocol/fields/project'
import { deleteInParts, MOST_ROWS_OF_A_STATEMENT } from '../database/delete-in-parts.ts'
import { givenColumns, selectFields } from '../database/field-columns.ts'
import { insertRow, readPage, seenCondition, updateRow } from '../database/row-statement.ts'
import { type EpochRow, toEpoch } from '../epochs/epoch.repository.ts'
import type { Epoch } from '../epochs/epoch.ts'
import type { SeenObjects } from '../permissions/seen-objects.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { Project, ProjectChanges } from './project.ts'

export interface ProjectFilter {
  readonly organizationId?: string | undefined
  readonly name?: string | undefined
}

interface NewProject {
  readonly id: string
  readonly organizationId: string
  readonly name: string
  readonly createdAt: Date
  readonly changes: Omit<ProjectChanges, 'name'>
}

const SELECT = `SELECT project_id AS id, organization_id AS "organizationId", ${selectFields(PROJECT_FIELDS)},
                       created_at AS "createdAt"
                  FROM directory.project`

export class ProjectStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async find(id: string): Promise<Project | undefined> {
    const { rows } = await this.#database.query<Project>({
      name: 'project.find', // primary key
      text: `${SELECT} WHERE project_id = $1`,
      values: [id],
    })
    return rows[0]
  }

  list(
    { organizationId, name }: ProjectFilter,
    request: PageRequest,
    seen?: SeenObjects,
  ): Promise<Page<Project>> {
    return readPage<Project>(this.#database, {
      name: 'project.list', // project_organization or the primary key
      select: SELECT,
      key: 'project_id',
      keyMember: 'id',
      filters: { organization_id: organizationId, name },
      conditions: { seen: seenCondition(seen, { organization: 'organization_id', project: 'project_id' }) },
      request,
    })
  }

  async add({ id, organizationId, name, createdAt, changes }: NewProject): Promise<void> {
    const identity = { project_id: id, organization_id: organizationId, created_at: createdAt }
    const columns = givenColumns(PROJECT_FIELDS, { name, ...changes })
    await this.#database.query(insertRow('project', 'project', { ...identity, ...columns }))
  }

  async update(id: string, changes: ProjectChanges): Promise<void> {
    await this.#database.query(
      updateRow('project', 'project', givenColumns(PROJECT_FIELDS, changes), { project_id: id }),
    )
  }

  /** Whether an application of it has mayCallApi or firstParty. */
  async hasMarkedApplication(id: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'project.marked_application', // application_project
      text: `SELECT FROM directory.application WHERE project_id = $1 AND (may_call_api OR first_party) LIMIT 1`,
      values: [id],
    })
    return rowCount === 1
  }

  /** Returns the client ids that no application and no service user has. */
  async unknownClients(clientIds: readonly string[]): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ clientId: string }>({
      name: 'project.unknown_clients', // unique keys of both tables
      text: `SELECT named.client_id AS "clientId" FROM unnest($1::text[]) AS named (client_id)
              WHERE NOT EXISTS (SELECT FROM directory.application a WHERE a.client_id = named.client_id)
                AND NOT EXISTS (SELECT FROM directory.service_user s WHERE s.client_id = named.client_id)`,
      values: [clientIds],
    })
    return rows.map(({ clientId }) => clientId)
  }

  /** Deletes a project with its applications; returns the epochs that ended them, now and before. */
  async delete(id: string): Promise<{ readonly existed: boolean; readonly epochs: readonly Epoch[] }> {
    await this.#database.query({
      // Before the project: the tombstones need its organization, whose administrators may reuse the ids.
      name: 'project.delete_applications', // application_project
      text: 'DELETE FROM directory.application WHERE project_id = $1',
      values: [id],
    })
    await deleteInParts(this.#database, {
      name: 'project.delete_user_grants', // user_grant_project
      text: `DELETE FROM directory.user_grant WHERE user_grant_id IN (
               SELECT user_grant_id FROM directory.user_grant WHERE project_id = $1 LIMIT ${MOST_ROWS_OF_A_STATEMENT})`,
      values: [id],
    })
    const { rowCount } = await this.#database.query({
      name: 'project.delete', // primary key
      text: 'DELETE FROM directory.project WHERE project_id = $1',
      values: [id],
    })
    const { rows } = await this.#database.query<EpochRow>({
      name: 'retired_epoch.of_project', // retired_epoch_project
      text: `SELECT kind, id, max(epoch) AS epoch FROM directory.retired_epoch
              WHERE project_id = $1 GROUP BY kind, id`,
      values: [id],
    })
    return { existed: rowCount === 1, epochs: rows.map(toEpoch) }
  }
}
