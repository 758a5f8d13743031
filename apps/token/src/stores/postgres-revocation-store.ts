import type { Database, Queryable } from '@signet/postgres/pool'
import { dayOf } from '../partitions/partition-plan.ts'
import type { RecordedRevocation, Revocation, RevocationStore } from './revocation-store.ts'

type Row = Omit<RecordedRevocation, 'subject'> & { readonly subject: string | null }

const SWEEP_BATCH = 500

export class PostgresRevocationStore implements RevocationStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async record(
    tx: Queryable,
    revocations: readonly Revocation[],
    now: Date,
  ): Promise<readonly RecordedRevocation[]> {
    const day = dayOf(now)
    const { rows } = await tx.query<Row>({
      // primary key, twice; published_at is cleared because the risen value is not in the mirror yet, and revoked_at
      // follows it because readers look for what was revoked lately; in one order, so that two calls cannot wait for
      // each other
      name: `revocation.record_${day}`,
      text: `INSERT INTO grants.revocation AS r (day, kind, id, value, subject)
             SELECT ${day}, kind, id, value, subject
               FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS new (kind, id, value, subject)
              WHERE (SELECT held.value >= new.value AND held.published_at IS NOT NULL FROM grants.revocation held
                      WHERE held.day = ${day} AND held.kind = new.kind AND held.id = new.id) IS NOT TRUE
              ORDER BY kind, id
                 ON CONFLICT (day, kind, id)
                 DO UPDATE SET value = greatest(r.value, excluded.value), published_at = NULL,
                        revoked_at = CASE WHEN excluded.value > r.value THEN clock_timestamp() ELSE r.revoked_at END
             RETURNING day, kind, id, value, subject`,
      values: [
        revocations.map(({ kind }) => kind),
        revocations.map(({ id }) => id),
        revocations.map(({ value }) => value),
        revocations.map(({ subject }) => subject ?? null),
      ],
    })
    return rows.map(fromRow)
  }

  async markPublished(revocations: readonly RecordedRevocation[]): Promise<void> {
    await markPublished(this.#database, revocations)
  }

  async withUnpublished(
    olderThanMs: number,
    publish: (revocations: readonly RecordedRevocation[]) => Promise<void>,
  ): Promise<number> {
    return this.#database.transaction(async (tx) => {
      const { rows } = await tx.query<Row>({
        // revocation_unpublished
        name: 'revocation.unpublished',
        text: `SELECT day, kind, id, value, subject FROM grants.revocation
                WHERE published_at IS NULL AND revoked_at < clock_timestamp() - make_interval(secs => $1 / 1000.0)
                ORDER BY revoked_at LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED`,
        values: [olderThanMs],
      })
      if (rows.length === 0) return 0
      const found = rows.map(fromRow)
      await publish(found)
      await markPublished(tx, found)
      return found.length
    })
  }

  async all(): Promise<readonly Revocation[]> {
    const { rows } = await this.#database.query<Row>({
      // every partition that is left, which is what the mirror has to hold
      name: 'revocation.all',
      text: 'SELECT kind, id, max(value) AS value, min(subject) AS subject FROM grants.revocation GROUP BY kind, id',
    })
    return rows.map(fromRow)
  }
}

async function markPublished(target: Queryable, revocations: readonly RecordedRevocation[]): Promise<void> {
  await target.query({
    // primary key, which ON CONFLICT takes whatever the planner knows of a day that has just begun; every row is there,
    // a value that rose meanwhile stays unpublished, and rows are locked in the order of `record`
    name: 'revocation.mark_published',
    text: `INSERT INTO grants.revocation AS r (day, kind, id, value)
           SELECT day, kind, id, value
             FROM unnest($1::integer[], $2::text[], $3::text[], $4::bigint[]) AS done (day, kind, id, value)
            ORDER BY kind, id
               ON CONFLICT (day, kind, id)
               DO UPDATE SET published_at = clock_timestamp() WHERE r.value = excluded.value`,
    values: [
      revocations.map(({ day }) => day),
      revocations.map(({ kind }) => kind),
      revocations.map(({ id }) => id),
      revocations.map(({ value }) => value),
    ],
  })
}

function fromRow({ subject, ...row }: Row): RecordedRevocation {
  return subject === null ? row : { ...row, subject }
}
