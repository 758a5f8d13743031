import type { Queryable } from '@signet/platform/postgres/pool'
import { readPage, seenCondition } from '../database/row-statement.ts'
import type { SeenObjects } from '../permissions/seen-objects.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { ClientDocumentFilter, StoredClientDocument } from './client-document.ts'

const SELECT = `SELECT application_id AS "applicationId", client_id::text AS "clientId", name, project_id AS "projectId",
                       state, created_at AS "createdAt"
                  FROM directory.application a`

/** Reads the applications whose client_id is the URL of their document. */
export class ClientDocumentStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  list(
    { projectId, host, state }: ClientDocumentFilter,
    request: PageRequest,
    seen?: SeenObjects,
  ): Promise<Page<StoredClientDocument>> {
    return readPage<StoredClientDocument>(this.#database, {
      name: 'client_document.list', // application_project or the primary key
      select: SELECT,
      key: 'application_id',
      keyMember: 'applicationId',
      filters: { project_id: projectId, state },
      conditions: {
        // No other client_id may have a colon (docs/decisions/0100).
        document: { text: () => "client_id ~ ':'", values: [] },
        host: {
          text: (place) => `split_part(split_part(client_id, '://', 2), '/', 1) = ${place}`,
          values: host === undefined ? undefined : [host],
        },
        seen: seenCondition(seen, {
          organization:
            '(SELECT p.organization_id FROM directory.project p WHERE p.project_id = a.project_id)',
          project: 'a.project_id',
        }),
      },
      request,
    })
  }
}
