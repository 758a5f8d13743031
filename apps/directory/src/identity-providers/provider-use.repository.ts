import type { Queryable } from '@signet/platform/postgres/pool'

/** Stores on which day people signed in by providers last. */
export class ProviderUseStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** Keeps the latest of the days that replicas record for a provider. A provider that was deleted is left out. */
  async record(at: Date, providerIds: readonly string[]): Promise<void> {
    await this.#database.query({
      name: 'provider_use.record', // primary keys; in one order, so that replicas do not wait for each other in a circle
      text: `INSERT INTO directory.identity_provider_last_use AS u (provider_id, day)
             SELECT provider_id, $1::date FROM directory.identity_provider WHERE provider_id = ANY ($2) ORDER BY provider_id
                 ON CONFLICT (provider_id) DO UPDATE SET day = excluded.day WHERE u.day < excluded.day`,
      values: [at.toISOString().slice(0, 10), providerIds],
    })
  }
}
