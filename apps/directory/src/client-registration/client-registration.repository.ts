import type { Queryable } from '@signet/platform/postgres/pool'

/** The registration of an application by itself. */
export interface ClientRegistration {
  readonly applicationId: string
  /** Null: the initial access token was revoked. */
  readonly tokenId: string | null
  readonly organizationId: string
  /** The application and its organization are active. */
  readonly isActive: boolean
}

/** A registration whose client has to be in use, or is deleted. */
export interface DueRegistration {
  readonly applicationId: string
  readonly clientId: string
  readonly organizationId: string
  readonly unusedDays: number
  /** An IAM_OWNER made it an application that asks for no consent. */
  readonly isFirstParty: boolean
  /** The latest consent. */
  readonly agreedAt: Date | null
  /** People whose consent it has, up to the number that was asked for. */
  readonly userIds: readonly string[]
}

const DUE = `SELECT r.application_id AS "applicationId", a.client_id AS "clientId", p.organization_id AS "organizationId",
                    r.unused_days AS "unusedDays", a.first_party AS "isFirstParty",
                    (SELECT max(c.agreed_at) FROM directory.consent c WHERE c.client_id = a.client_id) AS "agreedAt",
                    ARRAY (SELECT DISTINCT c.user_id::text FROM directory.consent c WHERE c.client_id = a.client_id LIMIT $2)
                      AS "userIds"
               FROM directory.client_registration r JOIN directory.application a USING (application_id)
               JOIN directory.project p USING (project_id)`

export class ClientRegistrationStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async add(row: {
    readonly applicationId: string
    readonly tokenId: string
    readonly hash: Buffer
    readonly unusedDays: number
    readonly unusedUntil: Date
  }): Promise<void> {
    await this.#database.query({
      name: 'client_registration.add',
      text: `INSERT INTO directory.client_registration
               (application_id, token_id, access_token_hash, unused_days, unused_until)
             VALUES ($1, $2, $3, $4, $5)`,
      values: [row.applicationId, row.tokenId, row.hash, row.unusedDays, row.unusedUntil],
    })
  }

  /** Returns the registration of a client, for the token of this client alone. */
  async find(clientId: string, hash: Buffer): Promise<ClientRegistration | undefined> {
    const { rows } = await this.#database.query<ClientRegistration>({
      name: 'client_registration.find', // application_client_id_key, primary keys
      text: `SELECT r.application_id AS "applicationId", r.token_id AS "tokenId", p.organization_id AS "organizationId",
                    a.state = 'active' AND o.state = 'active' AS "isActive"
               FROM directory.application a JOIN directory.client_registration r USING (application_id)
               JOIN directory.project p USING (project_id) JOIN directory.organization o USING (organization_id)
              WHERE a.client_id = $1 AND r.access_token_hash = $2`,
      values: [clientId, hash],
    })
    return rows[0]
  }

  /** Whether the application has a secret with this hash. */
  async hasSecret(applicationId: string, hash: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'client_registration.has_secret', // application_secret_owner
      text: 'SELECT FROM directory.application_secret WHERE application_id = $1 AND hash = $2 LIMIT 1',
      values: [applicationId, hash],
    })
    return rowCount === 1
  }

  /** The registrations that have been unused for as long as they may, or were when they were looked at last. */
  async due(now: Date, limit: number, mostUsers: number): Promise<readonly DueRegistration[]> {
    const { rows } = await this.#database.query<DueRegistration>({
      name: 'client_registration.due', // client_registration_unused, primary keys, consent_client
      text: `${DUE} WHERE r.unused_until <= $1 ORDER BY r.unused_until LIMIT $3`,
      values: [now, mostUsers, limit],
    })
    return rows
  }

  /** The same for one, in the transaction that deletes it. */
  async findDue(applicationId: string, now: Date, mostUsers: number): Promise<DueRegistration | undefined> {
    const { rows } = await this.#database.query<DueRegistration>({
      name: 'client_registration.find_due', // primary keys, consent_client
      text: `${DUE} WHERE r.unused_until <= $1 AND r.application_id = $3`,
      values: [now, mostUsers, applicationId],
    })
    return rows[0]
  }

  /** Stores that people are asked for consent again. */
  async changeRecipients(applicationId: string, at: Date): Promise<void> {
    await this.#database.query({
      name: 'client_registration.change_recipients', // primary key
      text: 'UPDATE directory.client_registration SET recipients_changed_at = $2 WHERE application_id = $1',
      values: [applicationId, at],
    })
  }

  async keepUntil(applicationId: string, unusedUntil: Date): Promise<void> {
    await this.#database.query({
      name: 'client_registration.keep', // primary key
      text: 'UPDATE directory.client_registration SET unused_until = $2 WHERE application_id = $1',
      values: [applicationId, unusedUntil],
    })
  }
}
