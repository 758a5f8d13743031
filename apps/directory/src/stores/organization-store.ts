import type { Database } from '@signet/postgres/pool'
import type { AuditEvent } from '../audit/audit-event.ts'
import type { Epoch } from '../epochs/epoch.ts'
import { recordAuditEvent } from './audit-log.ts'
import { type EpochRow, toEpoch } from './epoch-rows.ts'

export type OrganizationState = 'active' | 'inactive'

export interface OrganizationStore {
  /** Committed together with its event. Answers the epoch after the change, which has risen if the organization was active and no longer is. */
  setState(
    organizationId: string,
    state: OrganizationState,
    event: AuditEvent,
  ): Promise<readonly Epoch[] | undefined>
}

export class PostgresOrganizationStore implements OrganizationStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  setState(organizationId: string, state: OrganizationState, event: AuditEvent) {
    return this.#database.transaction(async (tx) => {
      const { rows } = await tx.query<EpochRow>({
        name: 'organization.set_state', // primary key
        text: `UPDATE directory.organization SET state = $2 WHERE organization_id = $1
             RETURNING 'o' AS kind, organization_id AS id, token_epoch AS epoch`,
        values: [organizationId, state],
      })
      if (rows.length === 0) return undefined
      await recordAuditEvent(tx, event)
      return rows.map(toEpoch)
    })
  }
}
