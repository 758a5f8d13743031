import type { Database } from '@signet/postgres/pool'
import type { AuditEvent } from '../audit/audit-event.ts'
import type { Epoch } from '../epochs/epoch.ts'
import { recordAuditEvent } from './audit-log.ts'
import { type EpochRow, toEpoch } from './epoch-rows.ts'

export type ApplicationState = 'active' | 'inactive'

export interface ApplicationStore {
  findProject(
    applicationId: string,
  ): Promise<{ readonly projectId: string; readonly organizationId: string } | undefined>
  /** Committed together with its event. Answers the epoch after the change, which has risen if the application was active and no longer is. */
  setState(
    applicationId: string,
    state: ApplicationState,
    event: AuditEvent,
  ): Promise<readonly Epoch[] | undefined>
}

export class PostgresApplicationStore implements ApplicationStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async findProject(applicationId: string) {
    const { rows } = await this.#database.query<{ projectId: string; organizationId: string }>({
      name: 'application.find_project', // primary keys
      text: `SELECT p.project_id AS "projectId", p.organization_id AS "organizationId"
               FROM directory.application a JOIN directory.project p USING (project_id)
              WHERE a.application_id = $1`,
      values: [applicationId],
    })
    return rows[0]
  }

  setState(applicationId: string, state: ApplicationState, event: AuditEvent) {
    return this.#database.transaction(async (tx) => {
      const { rows } = await tx.query<EpochRow>({
        name: 'application.set_state', // primary key
        text: `UPDATE directory.application SET state = $2 WHERE application_id = $1
             RETURNING 'c' AS kind, client_id AS id, token_epoch AS epoch`,
        values: [applicationId, state],
      })
      if (rows.length === 0) return undefined
      await recordAuditEvent(tx, event)
      return rows.map(toEpoch)
    })
  }
}
