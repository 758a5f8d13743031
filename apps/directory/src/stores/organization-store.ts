import type { Queryable } from '@signet/postgres/pool'
import type { Epoch } from '../epochs/epoch.ts'
import { type EpochRow, toEpoch } from './epoch-rows.ts'

export type OrganizationState = 'active' | 'inactive'

export interface OrganizationStore {
  /** Answers the epoch after the change, which has risen if the organization was active and no longer is. */
  setState(organizationId: string, state: OrganizationState): Promise<readonly Epoch[] | undefined>
}

export class PostgresOrganizationStore implements OrganizationStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async setState(organizationId: string, state: OrganizationState) {
    const { rows } = await this.#database.query<EpochRow>({
      name: 'organization.set_state', // primary key
      text: `UPDATE directory.organization SET state = $2 WHERE organization_id = $1
             RETURNING 'o' AS kind, organization_id AS id, token_epoch AS epoch`,
      values: [organizationId, state],
    })
    return rows.length === 0 ? undefined : rows.map(toEpoch)
  }
}
