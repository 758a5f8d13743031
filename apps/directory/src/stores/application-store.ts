import type { Queryable } from '@signet/postgres/pool'
import type { Epoch } from '../epochs/epoch.ts'
import { type EpochRow, toEpoch } from './epoch-rows.ts'

export type ApplicationState = 'active' | 'inactive'

export interface ApplicationStore {
  /** The epoch after it, which has risen if the application was active and no longer is; undefined: no application. */
  setState(applicationId: string, state: ApplicationState): Promise<readonly Epoch[] | undefined>
}

export class PostgresApplicationStore implements ApplicationStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async setState(applicationId: string, state: ApplicationState) {
    const { rows } = await this.#database.query<EpochRow>({
      name: 'application.set_state', // primary key
      text: `UPDATE directory.application SET state = $2 WHERE application_id = $1
           RETURNING 'c' AS kind, client_id AS id, token_epoch AS epoch`,
      values: [applicationId, state],
    })
    return rows.length === 0 ? undefined : rows.map(toEpoch)
  }
}
