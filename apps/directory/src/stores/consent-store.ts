import type { Queryable } from '@signet/postgres/pool'

/** Who agrees to give what to whom. */
export interface Consent {
  readonly userId: string
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly clientAddress?: string
}

export interface ConsentStore {
  scopes(userId: string, clientId: string): Promise<readonly string[]>
  /** Nothing that was agreed to is taken away. False when there is no such person or application. */
  add(consent: Consent, at: Date): Promise<boolean>
}

export class PostgresConsentStore implements ConsentStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async scopes(userId: string, clientId: string) {
    const { rows } = await this.#database.query<{ scope: string }>({
      name: 'consent.scopes', // primary key
      text: 'SELECT scope FROM directory.consent WHERE user_id = $1 AND client_id = $2 ORDER BY scope COLLATE "C"',
      values: [userId, clientId],
    })
    return rows.map(({ scope }) => scope)
  }

  async add({ userId, clientId, scopes }: Consent, at: Date) {
    const { rows } = await this.#database.query<{ found: boolean }>({
      name: 'consent.add', // primary keys, application_client_id_key
      text: `WITH parties AS (SELECT a.user_id, c.client_id FROM directory.account a, directory.application c
                               WHERE a.user_id = $1 AND a.kind = 'human' AND c.client_id = $2),
                  added AS (INSERT INTO directory.consent (user_id, client_id, scope, agreed_at)
                            SELECT DISTINCT p.user_id, p.client_id, s.scope, $4::timestamptz
                              FROM parties p, unnest($3::text[]) AS s (scope)
                            ON CONFLICT DO NOTHING)
             SELECT EXISTS (SELECT FROM parties) AS found`,
      values: [userId, clientId, scopes, at],
    })
    return rows[0]?.found ?? false
  }
}
