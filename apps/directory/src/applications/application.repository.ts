import type { Queryable } from '@signet/platform/postgres/pool'
import { insertRow, readPage, seenCondition, updateRow } from '../database/row-statement.ts'
import { type EpochRow, toEpoch } from '../epochs/epoch.repository.ts'
import type { Epoch } from '../epochs/epoch.ts'
import type { SeenObjects } from '../permissions/seen-objects.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { Application, ApplicationChanges } from './application.schema.ts'
import { APPLICATION_SELECT_LIST, applicationColumns } from './application-columns.ts'

export interface ApplicationFilter {
  readonly projectId?: string | undefined
  readonly clientId?: string | undefined
  readonly name?: string | undefined
  readonly state?: Application['state'] | undefined
}

interface NewApplication {
  readonly id: string
  readonly projectId: string
  readonly createdAt: Date
  readonly settings: ApplicationChanges
}

const SELECT = `SELECT ${APPLICATION_SELECT_LIST} FROM directory.application a`

/** Methods return the epochs after the change, for every client_id that the application has or had. */
export class ApplicationStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async find(id: string): Promise<Application | undefined> {
    const { rows } = await this.#database.query<Application>({
      name: 'application.find', // primary key
      text: `${SELECT} WHERE application_id = $1`,
      values: [id],
    })
    return rows[0]
  }

  list(
    { projectId, clientId, name, state }: ApplicationFilter,
    request: PageRequest,
    seen?: SeenObjects,
  ): Promise<Page<Application>> {
    return readPage<Application>(this.#database, {
      name: 'application.list', // application_project or the primary key; application_client_id_key
      select: SELECT,
      key: 'application_id',
      keyMember: 'id',
      filters: { project_id: projectId, client_id: clientId, name, state },
      conditions: {
        seen: seenCondition(seen, {
          organization:
            '(SELECT p.organization_id FROM directory.project p WHERE p.project_id = a.project_id)',
          project: 'a.project_id',
        }),
      },
      request,
    })
  }

  async add({ id, projectId, createdAt, settings }: NewApplication): Promise<void> {
    const identity = { application_id: id, project_id: projectId, created_at: createdAt }
    await this.#database.query(
      insertRow('application', 'application', { ...identity, ...applicationColumns(settings) }),
    )
  }

  /** Raises the epoch if the application becomes inactive or its client_id changes. */
  async update(id: string, changes: ApplicationChanges): Promise<readonly Epoch[]> {
    await this.#database.query(
      updateRow('application', 'application', applicationColumns(changes), { application_id: id }),
    )
    return this.#epochs(id)
  }

  async raiseEpoch(id: string): Promise<readonly Epoch[]> {
    await this.#database.query({
      name: 'application.raise_epoch', // primary key
      text: 'UPDATE directory.application SET token_epoch = token_epoch + 1 WHERE application_id = $1',
      values: [id],
    })
    return this.#epochs(id)
  }

  /** Returns [] if there was no such application. */
  async delete(id: string): Promise<readonly Epoch[]> {
    await this.#database.query({
      name: 'application.delete', // primary key
      text: 'DELETE FROM directory.application WHERE application_id = $1',
      values: [id],
    })
    return this.#epochs(id)
  }

  async #epochs(id: string): Promise<readonly Epoch[]> {
    const { rows } = await this.#database.query<EpochRow>({
      name: 'application.epochs', // primary key; retired_epoch_owner
      text: `SELECT kind, id, max(epoch) AS epoch
               FROM (SELECT 'c' AS kind, client_id AS id, token_epoch AS epoch
                       FROM directory.application WHERE application_id = $1
                      UNION ALL
                     SELECT kind, id, epoch FROM directory.retired_epoch
                      WHERE owner_kind = 'application' AND owner_id = $1) AS epochs
              GROUP BY kind, id ORDER BY id`,
      values: [id],
    })
    return rows.map(toEpoch)
  }
}
