import type { Queryable } from '@signet/platform/postgres/pool'

/** The SMTP server of an organization as it is stored. */
export interface StoredSmtp {
  readonly host: string
  readonly port: number
  readonly tls: 'implicit' | 'starttls'
  readonly userName: string | null
  readonly sealedPassword: Buffer | null
  readonly senderAddress: string
  readonly senderName: string | null
}

export class SmtpSettingsStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async find(organizationId: string): Promise<StoredSmtp | undefined> {
    const { rows } = await this.#database.query<StoredSmtp>({
      name: 'organization_smtp.find', // primary key
      text: `SELECT host, port, tls, user_name AS "userName", sealed_password AS "sealedPassword",
                    sender_address AS "senderAddress", sender_name AS "senderName"
               FROM directory.organization_smtp WHERE organization_id = $1`,
      values: [organizationId],
    })
    return rows[0]
  }

  async set(organizationId: string, smtp: StoredSmtp): Promise<void> {
    const { host, port, tls, userName, sealedPassword, senderAddress, senderName } = smtp
    await this.#database.query({
      name: 'organization_smtp.set', // primary key
      text: `INSERT INTO directory.organization_smtp
                    (organization_id, host, port, tls, user_name, sealed_password, sender_address, sender_name)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                 ON CONFLICT (organization_id) DO UPDATE
                SET host = excluded.host, port = excluded.port, tls = excluded.tls, user_name = excluded.user_name,
                    sealed_password = excluded.sealed_password, sender_address = excluded.sender_address,
                    sender_name = excluded.sender_name`,
      values: [organizationId, host, port, tls, userName, sealedPassword, senderAddress, senderName],
    })
  }

  /** Messages that are still queued for it are given up after the usual tries. */
  async delete(organizationId: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'organization_smtp.delete', // primary key
      text: 'DELETE FROM directory.organization_smtp WHERE organization_id = $1',
      values: [organizationId],
    })
    return rowCount === 1
  }
}
