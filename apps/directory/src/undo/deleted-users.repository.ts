import type { Database, Queryable } from '@signet/platform/postgres/pool'
import type { CarriedSealing } from '../carried/carried.repository.ts'
import { createUndoBatchRepository, UnopenedUndoBatch, type WrittenObject } from './undo-batch.repository.ts'

/** Deletes records of batches that can no longer be taken back. */
export async function deleteExpiredUndoBatches(database: Queryable): Promise<void> {
  await database.query({
    name: 'undo_batch.delete_expired', // undo_batch_expires
    text: `DELETE FROM directory.undo_batch WHERE (job_id, batch) IN (
             SELECT job_id, batch FROM directory.undo_batch WHERE expires_at < now() ORDER BY expires_at LIMIT 500)`,
  })
}

/** Returns the ids of users who were deleted and do not exist again. */
export async function findDeletedUsers(
  database: Queryable,
  ids: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await database.query<{ id: string }>({
    name: 'tombstone.find_users', // primary keys
    text: `SELECT DISTINCT t.id FROM directory.tombstone t
            WHERE t.id = ANY ($1::text[]) AND t.kind IN ('human', 'service_user')
              AND NOT EXISTS (SELECT FROM directory.principal p WHERE p.principal_id = t.id)`,
    values: [ids],
  })
  return rows.map(({ id }) => id)
}

/** A transaction that deletes a user may be this much older than its commit. */
const LATE_MINUTES = 10
const BATCHES_AT_ONCE = 20

/**
 * Creates a job that removes the users who were deleted since the last round from the undo batches, so that nothing
 * there names them. Every replica may run it.
 */
export function createClearDeletedUsers(database: Database, sealing: CarriedSealing): () => Promise<void> {
  const undoBatches = createUndoBatchRepository(sealing)
  return async () => {
    const { rows } = await database.query<{ at: Date }>({
      name: 'undo_batch.now',
      text: 'SELECT now() AS at',
    })
    const until = rows[0]?.at ?? new Date(0)
    let cleared = BATCHES_AT_ONCE
    while (cleared === BATCHES_AT_ONCE) {
      cleared = await database.transaction((tx) => clearSome(tx, until), { kind: 'background' })
    }
  }

  async function clearSome(tx: Queryable, until: Date): Promise<number> {
    const { rows } = await tx.query<{ job_id: string; batch: number }>({
      name: 'undo_batch.clear', // undo_batch_cleared, tombstone_ended
      text: `UPDATE directory.undo_batch u SET cleared_at = $1
               FROM (SELECT job_id, batch FROM directory.undo_batch
                      WHERE cleared_at < $1
                        AND cleared_at < (SELECT max(ended_at) + make_interval(mins => ${LATE_MINUTES})
                                            FROM directory.tombstone)
                      ORDER BY cleared_at, job_id, batch LIMIT ${BATCHES_AT_ONCE} FOR UPDATE SKIP LOCKED) b
              WHERE u.job_id = b.job_id AND u.batch = b.batch RETURNING u.job_id, u.batch`,
      values: [until],
    })
    for (const { job_id, batch } of rows) await clearBatch(tx, job_id, batch)
    return rows.length
  }

  async function clearBatch(tx: Queryable, jobId: string, batch: number): Promise<void> {
    const taken = await undoBatches.take(tx, jobId, [batch]).catch((error: unknown) => {
      // Nothing in it can be read, and the other batches still have to be cleared.
      if (error instanceof UnopenedUndoBatch) return undefined
      throw error
    })
    const recorded = taken?.get(batch)
    if (recorded === undefined) return
    const { objects } = recorded
    const deleted = new Set(await findDeletedUsers(tx, [...new Set(objects.flatMap(namedIds))]))
    const kept = objects.filter((object) => !namedIds(object).some((id) => deleted.has(id)))
    if (kept.length < objects.length) await undoBatches.replace(tx, [{ ...recorded, objects: kept }])
  }
}

/** The ids that may be those of users: of a metadata entry its key, too. */
function namedIds({ key, before = {} }: WrittenObject): readonly string[] {
  const owners = Object.values(before).flatMap((rows) => rows.map(({ user_id }) => user_id))
  return [...key, ...owners].filter((id): id is string => typeof id === 'string')
}
