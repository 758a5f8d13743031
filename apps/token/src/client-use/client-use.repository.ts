import type { Queryable } from '@signet/platform/postgres/pool'

/** A client and the day on which it got its latest token, counted from 1970 in UTC. */
export interface ClientUse {
  readonly clientId: string
  readonly day: number
}

/** Stores on which day clients got tokens last. */
export class ClientUseStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** Keeps the latest of the days that replicas record for a client. */
  async record(day: number, clientIds: readonly string[]): Promise<void> {
    await this.#database.query({
      name: 'client_use.record', // primary key; in one order, so that replicas do not wait for each other in a circle
      text: `INSERT INTO grants.client_use AS u (client_id, day)
             SELECT id, $1::integer FROM unnest($2::text[]) AS id ORDER BY id
                 ON CONFLICT (client_id) DO UPDATE SET day = excluded.day WHERE u.day < excluded.day`,
      values: [day, clientIds],
    })
  }

  /** Leaves out clients that got no token. */
  async find(clientIds: readonly string[]): Promise<readonly ClientUse[]> {
    const { rows } = await this.#database.query<ClientUse>({
      name: 'client_use.find', // primary key
      text: `SELECT client_id AS "clientId", day FROM grants.client_use WHERE client_id = ANY ($1)`,
      values: [clientIds],
    })
    return rows
  }

  async deleteBefore(day: number): Promise<void> {
    await this.#database.query({
      name: 'client_use.delete', // one row for each client: read as a whole
      text: 'DELETE FROM grants.client_use WHERE day < $1',
      values: [day],
    })
  }
}
