import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Database } from '@signet/platform/postgres/pool'
import { hasPasskeyAfterPassword, lockFactors } from '../accounts/second-factor.repository.ts'
import { auditTable } from '../audit/audit-table.ts'

/** A browser that is not asked for the second factor of a person. */
export interface TrustedBrowser {
  readonly id: string
  /** Names of browser and system; empty: unknown. */
  readonly agent: string
  readonly trustedAt: Date
  readonly lastUsedAt: Date
}

/** The cookie of a browser has this lifetime, in milliseconds. */
const LONGEST_TRUST_MS = 30 * 24 * 3_600_000

/**
 * The secret of the browsers that are not asked for the second factor of a person. Triggers delete it with every change of a second
 * factor (`end_factor` in migrations/0001_schema.sql), and a later one is another. Each change and its event are one transaction.
 */
export class BrowserTrustStore {
  readonly #database: Database
  readonly #rpId: string

  /** `rpId`: of the passkeys that count as a second factor; undefined where there are no passkeys. */
  constructor(database: Database, rpId: string | undefined) {
    this.#database = database
    this.#rpId = rpId ?? ''
  }

  async isSet(userId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'browser_trust.is_set', // primary key
      text: 'SELECT FROM directory.browser_trust WHERE user_id = $1',
      values: [userId],
    })
    return rowCount === 1
  }

  /**
   * Adds a browser. Returns the secret, which is `secret` if there was none; undefined for an account without a second
   * factor, to which nothing is added.
   */
  add(
    userId: string,
    secret: Buffer,
    browser: Pick<TrustedBrowser, 'id' | 'agent' | 'trustedAt'>,
    event: AuditEvent,
  ): Promise<Buffer | undefined> {
    return this.#database.transaction(async (tx) => {
      await lockFactors(tx, userId)
      const { rows } = await tx.query<{ secret: Buffer; organizationId: string }>({
        name: 'browser_trust.find_or_set', // primary keys, passkey_of_user
        text: `WITH owner AS (
                 SELECT a.user_id, a.organization_id FROM directory.account a
                  WHERE a.user_id = $1
                    AND (EXISTS (SELECT FROM directory.account_totp t WHERE t.user_id = a.user_id)
                         OR ${hasPasskeyAfterPassword('$1', '$3')})
               ), stored AS (
                 INSERT INTO directory.browser_trust AS r (user_id, secret) SELECT user_id, $2 FROM owner
                 ON CONFLICT (user_id) DO UPDATE SET secret = r.secret RETURNING r.user_id, r.secret
               )
               SELECT secret, organization_id AS "organizationId" FROM stored JOIN owner USING (user_id)`,
        values: [userId, secret, this.#rpId],
      })
      const [found] = rows
      if (found === undefined) return undefined
      await tx.query({
        name: 'trusted_browser.delete_old', // primary key
        text: 'DELETE FROM directory.trusted_browser WHERE user_id = $1 AND trusted_at <= $2',
        values: [userId, new Date(browser.trustedAt.getTime() - LONGEST_TRUST_MS)],
      })
      await tx.query({
        name: 'trusted_browser.add',
        text: `INSERT INTO directory.trusted_browser (user_id, browser_id, agent, trusted_at, last_used_at)
               VALUES ($1, $2, $3, $4, $4)`,
        values: [userId, browser.id, browser.agent, browser.trustedAt],
      })
      await auditTable.record(tx, { ...event, organizationId: found.organizationId })
      return found.secret
    })
  }

  /** Whether the browser is trusted. Records the use. */
  async use(userId: string, browserId: string, at: Date): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'trusted_browser.use', // primary key
      text: 'UPDATE directory.trusted_browser SET last_used_at = $3 WHERE user_id = $1 AND browser_id = $2',
      values: [userId, browserId, at],
    })
    return rowCount === 1
  }

  /** The last used first. */
  async list(userId: string, at: Date): Promise<readonly TrustedBrowser[]> {
    const { rows } = await this.#database.query<TrustedBrowser>({
      name: 'trusted_browser.list', // primary key
      text: `SELECT browser_id AS id, agent, trusted_at AS "trustedAt", last_used_at AS "lastUsedAt"
               FROM directory.trusted_browser WHERE user_id = $1 AND trusted_at > $2
              ORDER BY last_used_at DESC, browser_id LIMIT 100`,
      values: [userId, new Date(at.getTime() - LONGEST_TRUST_MS)],
    })
    return rows
  }

  async deleteOne(userId: string, browserId: string, event: AuditEvent): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const { rows } = await tx.query<{ organizationId: string }>({
        name: 'trusted_browser.delete', // primary keys
        text: `DELETE FROM directory.trusted_browser WHERE user_id = $1 AND browser_id = $2
            RETURNING (SELECT organization_id FROM directory.account WHERE user_id = $1) AS "organizationId"`,
        values: [userId, browserId],
      })
      if (rows[0] !== undefined) await auditTable.record(tx, { ...event, ...rows[0] })
    })
  }

  /** Ends the trust in all browsers. */
  async delete(userId: string, event: AuditEvent): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const { rows } = await tx.query<{ organizationId: string }>({
        name: 'browser_trust.delete', // primary keys
        text: `DELETE FROM directory.browser_trust WHERE user_id = $1
            RETURNING (SELECT organization_id FROM directory.account WHERE user_id = $1) AS "organizationId"`,
        values: [userId],
      })
      if (rows[0] !== undefined) await auditTable.record(tx, { ...event, ...rows[0] })
    })
  }
}
