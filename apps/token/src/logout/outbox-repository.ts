import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Database } from '@signet/platform/postgres/pool'
import type { SigningAlgorithm } from '@signet/protocol/signing-algorithms'
import { auditTable } from '../audit-events.ts'

/** Longer than any try takes. */
const LEASE_MS = 60_000

export class PostgresLogoutOutbox implements LogoutOutbox {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async claim(limit: number, now: Date): Promise<readonly LogoutDelivery[]> {
    const { rows } = await this.#database.query<LogoutDelivery>({
      // logout_delivery_due, primary key
      name: 'logout_delivery.claim',
      text: `UPDATE grants.logout_delivery d SET due_at = $3
               FROM (SELECT day, delivery_id FROM grants.logout_delivery WHERE due_at <= $2
                      ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED) AS due
              WHERE d.day = due.day AND d.delivery_id = due.delivery_id
             RETURNING d.delivery_id AS id, d.day, d.sid, d.user_id AS "userId", d.client_id AS "clientId", d.uri,
                       d.signing_alg AS "signingAlg", d.failures`,
      values: [limit, now, new Date(now.getTime() + LEASE_MS)],
    })
    return rows
  }

  // Each of the following changes nothing when another replica, after the lease, came to a result first.

  async delivered({ day, id, failures }: LogoutDelivery): Promise<void> {
    await this.#database.query({
      name: 'logout_delivery.delivered', // primary key; also after a later failure: it was delivered
      text: `UPDATE grants.logout_delivery SET due_at = NULL, outcome = 'delivered'
              WHERE day = $1 AND delivery_id = $2 AND failures >= $3 AND due_at IS NOT NULL`,
      values: [day, id, failures],
    })
  }

  async postpone({ day, id, failures }: LogoutDelivery, dueAt: Date): Promise<void> {
    await this.#database.query({
      name: 'logout_delivery.postpone', // primary key
      text: `UPDATE grants.logout_delivery SET due_at = $4, failures = failures + 1
              WHERE day = $1 AND delivery_id = $2 AND failures = $3 AND due_at IS NOT NULL`,
      values: [day, id, failures, dueAt],
    })
  }

  async giveUp({ day, id, failures }: LogoutDelivery, event: AuditEvent): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const { rowCount } = await tx.query({
        name: 'logout_delivery.give_up', // primary key
        text: `UPDATE grants.logout_delivery SET due_at = NULL, outcome = 'given_up', failures = failures + 1
                WHERE day = $1 AND delivery_id = $2 AND failures = $3 AND due_at IS NOT NULL`,
        values: [day, id, failures],
      })
      if (rowCount === 1) await auditTable.record(tx, event)
    })
  }
}

/** A logout token to send: one session, one application. */
export interface LogoutDelivery {
  readonly id: string
  readonly day: number
  readonly sid: string
  readonly userId: string
  readonly clientId: string
  readonly uri: string
  readonly signingAlg: SigningAlgorithm
  /** Tries before this one. */
  readonly failures: number
}

/** The logout tokens still to be sent. The transaction that ends a session adds its rows. */
export interface LogoutOutbox {
  /**
   * Takes deliveries whose time has come. Each goes to one caller, and to another one a minute later when none of the
   * methods below was called for it.
   */
  claim(limit: number, now: Date): Promise<readonly LogoutDelivery[]>
  delivered(delivery: LogoutDelivery): Promise<void>
  /** Counts a failure. */
  postpone(delivery: LogoutDelivery, dueAt: Date): Promise<void>
  /** Counts the last failure; the event is stored with it. */
  giveUp(delivery: LogoutDelivery, event: AuditEvent): Promise<void>
}
