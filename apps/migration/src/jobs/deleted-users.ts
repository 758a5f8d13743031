import type { Database } from '@signet/platform/postgres/pool'

/** Returns the ids of deleted users. */
export type FindDeletedUsers = (ids: readonly string[]) => Promise<readonly string[]>

/** Records of users who were deleted have this id. */
const DELETED_USER = '(deleted)'

interface NamedRecords {
  readonly ids: string[]
  readonly entries: unknown[] | null
  readonly failures: { readonly index: number }[] | null
  readonly changes: { readonly index: number }[] | null
  readonly notes: string[] | null
}

interface NamedRejects {
  readonly problems: { readonly id?: string }[]
}

interface NamedJob {
  readonly notes: string[]
  readonly error: { readonly details: readonly Readonly<Record<string, unknown>>[] } | null
}

interface Clearing {
  readonly database: Database
  readonly find: FindDeletedUsers
}

/**
 * Creates a job that removes deleted users from the jobs that have ended, so that no report names them. A worker
 * checks each job once in an hour.
 */
export function createClearDeletedUsers(database: Database, find: FindDeletedUsers): () => Promise<void> {
  const clearing = { database, find }
  return async () => {
    for (let jobId = await nextJob(clearing); jobId !== undefined; jobId = await nextJob(clearing)) {
      try {
        await clearJob(clearing, jobId)
        await clearBatches(clearing, jobId)
        await clearRejects(clearing, jobId)
      } catch (error) {
        await giveBack(clearing, jobId)
        throw error
      }
    }
  }
}

async function nextJob({ database }: Clearing): Promise<string | undefined> {
  const { rows } = await database.query<{ id: string }>({
    name: 'job.next_to_clear', // job_cleared
    text: `UPDATE migration.job SET cleared_at = now()
            WHERE job_id = (SELECT job_id FROM migration.job
                             WHERE cleared_at < now() - interval '1 hour' AND ended_at IS NOT NULL
                             ORDER BY cleared_at LIMIT 1 FOR UPDATE SKIP LOCKED)
           RETURNING job_id AS id`,
  })
  return rows[0]?.id
}

async function giveBack({ database }: Clearing, jobId: string): Promise<void> {
  await database.query({
    name: 'job.not_cleared', // primary key
    text: `UPDATE migration.job SET cleared_at = now() - interval '2 hours' WHERE job_id = $1`,
    values: [jobId],
  })
}

async function deletedOf({ find }: Clearing, ids: readonly unknown[]): Promise<ReadonlySet<unknown>> {
  const texts = new Set(ids.filter((id): id is string => typeof id === 'string' && id !== ''))
  return new Set(texts.size === 0 ? [] : await find([...texts]))
}

async function clearJob(clearing: Clearing, jobId: string): Promise<void> {
  const { database } = clearing
  const { rows } = await database.query<NamedJob>({
    name: 'job.names', // primary key
    text: 'SELECT notes, error FROM migration.job WHERE job_id = $1',
    values: [jobId],
  })
  const [{ notes = [], error = null } = {}] = rows
  const details = error?.details ?? []
  const deleted = await deletedOf(clearing, [
    ...notes.flatMap(namedUsers),
    ...details.flatMap(({ recordId }) => partsOf(recordId)),
  ])
  if (deleted.size === 0) return
  await forgetPeople(clearing, jobId)
  const cleared = error && {
    ...error,
    details: details.map((detail) => ({
      ...detail,
      ...(names(detail.recordId, deleted) && { recordId: DELETED_USER }),
    })),
  }
  await database.query({
    name: 'job.clear_names', // primary key
    text: 'UPDATE migration.job SET notes = $2, error = $3 WHERE job_id = $1 AND ended_at IS NOT NULL',
    values: [jobId, clearedNotes(notes, deleted), cleared === null ? null : JSON.stringify(cleared)],
  })
}

/** Deletes the entries about people in the list of a conversion: they name no ids. */
async function forgetPeople({ database }: Clearing, jobId: string): Promise<void> {
  await database.query({
    name: 'left_out.forget_people', // primary key
    text: `DELETE FROM migration.left_out WHERE job_id = $1 AND part = 'people'`,
    values: [jobId],
  })
}

async function clearBatches(clearing: Clearing, jobId: string): Promise<void> {
  const { database } = clearing
  for await (const { batch, ...records } of batchesOf<NamedRecords>(clearing, jobId, RECORDS)) {
    const { ids, entries, failures, changes, notes } = records
    const userIds = ids.map((_, at) => userIdOf(entries?.[at]))
    const deleted = await deletedOf(clearing, [...ids, ...userIds, ...(notes ?? []).flatMap(namedUsers)])
    if (deleted.size === 0) continue
    // First: this batch does not tell again that someone was deleted.
    await forgetPeople(clearing, jobId)
    const isGone = (at: number) => deleted.has(ids[at]) || deleted.has(userIds[at])
    const without = <T extends { readonly index: number }>(parts: readonly T[] | null) =>
      parts && JSON.stringify(parts.filter(({ index }) => !isGone(index)))
    await database.query({
      name: 'staged_batch.clear_names', // primary key
      text: `WITH ${ENDED_JOB}
             UPDATE migration.staged_batch b
                SET ids = $3, entries = $4, failures = $5, changes = $6, notes = $7,
                    unique_keys = ARRAY(SELECT CASE WHEN u.at = ANY ($8::integer[]) THEN '${DELETED_USER} ' || b.batch || ' ' || u.at ELSE u.key END
                                          FROM unnest(b.unique_keys, b.unique_at) WITH ORDINALITY AS u (key, at, place)
                                         ORDER BY u.place)
               FROM job WHERE b.job_id = $1 AND b.batch = $2`,
      values: [
        jobId,
        batch,
        ids.map((id, at) => (isGone(at) ? DELETED_USER : id)),
        entries && JSON.stringify(entries.map((entry, at) => (isGone(at) ? null : entry))),
        without(failures),
        without(changes),
        notes && clearedNotes(notes, deleted),
        [...ids.keys()].filter(isGone),
      ],
    })
  }
}

async function clearRejects(clearing: Clearing, jobId: string): Promise<void> {
  const { database } = clearing
  for await (const { batch, problems } of batchesOf<NamedRejects>(clearing, jobId, REJECTS)) {
    const deleted = await deletedOf(
      clearing,
      problems.flatMap(({ id }) => partsOf(id)),
    )
    if (deleted.size === 0) continue
    await forgetPeople(clearing, jobId)
    const cleared = problems.map((problem) => ({
      ...problem,
      ...(names(problem.id, deleted) && { id: DELETED_USER }),
    }))
    await database.query({
      name: 'rejected_batch.clear_names', // primary key
      text: `WITH ${ENDED_JOB}
             UPDATE migration.rejected_batch r SET problems = $3 FROM job WHERE r.job_id = $1 AND r.batch = $2`,
      values: [jobId, batch, JSON.stringify(cleared)],
    })
  }
}

async function* batchesOf<Row>(
  { database }: Clearing,
  jobId: string,
  statement: { readonly name: string; readonly text: string },
): AsyncIterable<Row & { readonly batch: number }> {
  for (let last = -1; ; ) {
    const { rows } = await database.query<Row & { readonly batch: number }>({
      ...statement,
      values: [jobId, last],
    })
    const [row] = rows
    if (row === undefined) return
    yield row
    last = row.batch
  }
}

/** Locks the job, so that it is not resumed meanwhile; no row when it runs again. */
const ENDED_JOB = 'job AS (SELECT FROM migration.job WHERE job_id = $1 AND ended_at IS NOT NULL FOR SHARE)'

const RECORDS = {
  name: 'staged_batch.names', // primary key
  text: `SELECT batch, ids, entries, failures, changes, notes FROM migration.staged_batch
          WHERE job_id = $1 AND batch > $2 ORDER BY batch LIMIT 1`,
}
const REJECTS = {
  name: 'rejected_batch.names', // primary key
  text: `SELECT batch, problems FROM migration.rejected_batch
          WHERE job_id = $1 AND batch > $2 ORDER BY batch LIMIT 1`,
}

/** The id of the user of a record that is no user itself, such as a grant. */
function userIdOf(entry: unknown): unknown {
  return typeof entry === 'object' && entry !== null && 'userId' in entry ? entry.userId : undefined
}

/** An id, and what it may consist of: ids such as `project_user` and `user_key` have two parts, which may hold the sign too. */
function partsOf(id: unknown): readonly string[] {
  if (typeof id !== 'string') return []
  const places = [...id.matchAll(/_/g)].map(({ index }) => index)
  return [id, ...places.flatMap((at) => [id.slice(0, at), id.slice(at + 1)])]
}

const names = (id: unknown, deleted: ReadonlySet<unknown>): boolean =>
  partsOf(id).some((part) => deleted.has(part))

const USER_NOTE = /\buser ([\w.~@+|:-]+)/

/** The ids that a note may name: a colon at the end belongs to the id or to the sentence. */
function namedUsers(note: string): readonly string[] {
  const named = USER_NOTE.exec(note)?.[1] ?? ''
  return [named, named.replace(/:$/, '')]
}

const clearedNotes = (notes: readonly string[], deleted: ReadonlySet<unknown>): readonly string[] =>
  notes.map((note) => {
    const gone = namedUsers(note).find((id) => deleted.has(id))
    return gone === undefined ? note : note.replace(`user ${gone}`, `user ${DELETED_USER}`)
  })
