import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { auditTable } from '../audit/audit-table.ts'

/** Consent of a user to the scopes that an application gets. */
export interface Consent {
  readonly userId: string
  readonly clientId: string
  readonly scopes: readonly string[]
}

/** A client that no organization registered, as its document describes it. */
export interface DocumentedClient {
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly mayRefresh: boolean
  /** Whether it authenticates by private_key_jwt, with the keys that the document names. */
  readonly signsAssertions: boolean
}

/** The scopes that a user granted to one application. */
export interface ApplicationConsent {
  readonly clientId: string
  readonly scopes: readonly string[]
}

type WriteBefore = (tx: Queryable) => Promise<void>

export class ConsentStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async scopes(userId: string, clientId: string): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ scope: string }>({
      name: 'consent.scopes', // primary keys, application_client_id_key
      text: `SELECT scope FROM directory.consent
              WHERE user_id = $1 AND client_id = $2
                AND agreed_at >= coalesce((SELECT r.recipients_changed_at FROM directory.application a
                                             JOIN directory.client_registration r USING (application_id)
                                            WHERE a.client_id = $2), '-infinity')
              ORDER BY scope COLLATE "C"`,
      values: [userId, clientId],
    })
    return rows.map(({ scope }) => scope)
  }

  async ofUser(userId: string): Promise<readonly ApplicationConsent[]> {
    const { rows } = await this.#database.query<ApplicationConsent>({
      name: 'consent.of_user', // primary key
      text: `SELECT client_id AS "clientId", array_agg(scope ORDER BY scope COLLATE "C") AS scopes
               FROM directory.consent WHERE user_id = $1 GROUP BY client_id ORDER BY client_id COLLATE "C"`,
      values: [userId],
    })
    return rows
  }

  /** Takes all of it away, with the event; neither when there was nothing. */
  remove(userId: string, clientId: string, event: AuditEvent): Promise<void> {
    return this.#database.transaction(async (tx) => {
      const { rows } = await tx.query<{ organizationId: string }>({
        name: 'consent.remove', // primary key; application_client_id_key
        text: `WITH removed AS (DELETE FROM directory.consent WHERE user_id = $1 AND client_id = $2 RETURNING client_id)
               SELECT DISTINCT p.organization_id AS "organizationId"
                 FROM removed JOIN directory.application USING (client_id) JOIN directory.project p USING (project_id)`,
        values: [userId, clientId],
      })
      const [removed] = rows
      if (removed !== undefined) {
        await auditTable.record(tx, { ...event, organizationId: removed.organizationId })
      }
    })
  }

  /**
   * Adds scopes to those that the user agreed to before. Stored with the event; neither, and false, when there is no
   * such person or application. `before` writes what the consent needs, in its transaction.
   */
  add(
    { userId, clientId, scopes }: Consent,
    { at, event, before }: { readonly at: Date; readonly event: AuditEvent; readonly before: WriteBefore },
  ): Promise<boolean> {
    return this.#database.transaction(async (tx) => {
      await before(tx)
      const { rows } = await tx.query<{ organizationId: string }>({
        name: 'consent.parties', // primary key, application_client_id_key
        text: `SELECT p.organization_id AS "organizationId"
                 FROM directory.account a, directory.application c JOIN directory.project p USING (project_id)
                WHERE a.user_id = $1 AND a.kind = 'human' AND c.client_id = $2
                  FOR KEY SHARE OF a, c`,
        values: [userId, clientId],
      })
      const [parties] = rows
      if (parties === undefined) return false
      await tx.query({
        name: 'consent.add', // primary key
        text: `INSERT INTO directory.consent (user_id, client_id, scope, agreed_at)
               SELECT DISTINCT $1, $2, s.scope, $4::timestamptz FROM unnest($3::text[]) AS s (scope) ORDER BY 3
               ON CONFLICT (user_id, client_id, scope) DO UPDATE SET agreed_at = excluded.agreed_at`,
        values: [userId, clientId, scopes, at],
      })
      await auditTable.record(tx, { ...event, organizationId: parties.organizationId })
      return true
    })
  }
}
