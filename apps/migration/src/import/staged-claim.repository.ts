import type { Queryable } from '@signet/platform/postgres/pool'
import { type ClaimedBatch, type StagedBatchRepository, WHOLE_CALL } from '../jobs/staged-batch.ts'

/** Batches of one call: the directory holds a lock for each of them. */
const MOST_BATCHES = 100

type Claimed = Awaited<ReturnType<StagedBatchRepository['claim']>>

interface FirstClaim {
  readonly jobId: string
  readonly workerId: string
  /** A worker without a heartbeat for so long has lost its claims. */
  readonly stallSeconds: number
  /** Batches of the job that this worker works on. */
  readonly held: readonly number[]
  readonly stage: number
  readonly order: ClaimOrder
}

interface ClaimOrder {
  readonly name: string
  readonly direction: 'ASC' | 'DESC'
  /** The aggregate that finds the first open batch of a list in this order. */
  readonly end: 'min' | 'max'
  /** Compares the number of a batch with that of the batch before it in this order. */
  readonly follows: '>' | '<'
}

const FIRST_FIRST: ClaimOrder = { name: 'forward', direction: 'ASC', end: 'min', follows: '>' }
/** An undo begins with the last batch. */
const LAST_FIRST: ClaimOrder = { name: 'backward', direction: 'DESC', end: 'max', follows: '<' }

/** $1 is the job, $4 the stage. */
const openOf = (list: string) =>
  `FROM migration.staged_batch e WHERE e.job_id = $1 AND e.stage = $4 AND e.outcomes IS NULL AND e.list = '${list}'`

/** Batches of service users wait for all batches of people, and run one at a time. */
const serviceUsersWait = (end: ClaimOrder['end']) => `(c.list <> 'machineUsers' OR c.batch = (
                      SELECT ${end}(e.batch) ${openOf('machineUsers')} AND NOT EXISTS (SELECT ${openOf('humanUsers')})))`

/**
 * A document repeats the members of a project in each organization, so several batches may update one object. These batches
 * run one at a time, so that an undo finds their changes in the opposite order.
 */
const membersWait = (end: ClaimOrder['end']) => `(c.list <> 'projectMembers' OR c.batch = (
                      SELECT ${end}(e.batch) ${openOf('projectMembers')}))`

const CLAIMED = `b.batch, b.stage, b.list, b.sealed, b.plan, b.record_count AS "recordCount", b.ids, b.left_out AS "leftOut",
                 cardinality(b.lost_workers) AS "lostWorkers", o.organization_id AS "organizationId"`

/**
 * $3 is the stall time. $5 are the batches that worker $2 holds. A batch with this worker's name that is not in $5 was
 * claimed in a call whose response was lost. The worker claims it again. `NOT EXISTS` and no join with the workers: the join
 * would read and sort all open batches of the stage for each claim.
 */
const NOT_CLAIMED = `(c.claimed_by IS NULL OR c.claimed_by = $2 AND c.batch <> ALL ($5::integer[]) OR NOT EXISTS (
                        SELECT FROM migration.worker w WHERE w.worker_id = c.claimed_by
                           AND w.seen_at > now() - $3 * interval '1 s'))`

/**
 * The batches that a process has claimed and not released. Its claims run one after the other, so that each one sees the
 * result of the one before. A claim that PostgreSQL committed, but whose response was lost, adds no batch.
 */
export class HeldBatches {
  readonly #held = new Map<string, Set<number>>()
  #last: Promise<unknown> = Promise.resolve()

  /** Runs `claim` with the batches of the job that the worker holds, and keeps those that it returns. */
  claim(
    jobId: string,
    workerId: string,
    claim: (held: readonly number[]) => Promise<Claimed>,
  ): Promise<Claimed> {
    const key = `${jobId} ${workerId}`
    const claimed = this.#last.then(async () => {
      const found = await claim([...(this.#held.get(key) ?? [])])
      if (typeof found === 'string') return found
      this.#held.set(key, new Set([...(this.#held.get(key) ?? []), ...found.map(({ batch }) => batch)]))
      return found
    })
    this.#last = claimed.catch(() => undefined)
    return claimed
  }

  /** Forgets batches that have an outcome or were released. */
  forget(jobId: string, batches: readonly number[]): void {
    for (const [key, held] of this.#held) {
      if (!key.startsWith(`${jobId} `)) continue
      for (const batch of batches) held.delete(batch)
      if (held.size === 0) this.#held.delete(key)
    }
  }
}

/** See `StagedBatchRepository.claim`; `held` are the batches that this worker works on. */
export async function claimBatches(
  tx: Queryable,
  {
    jobId,
    isDryRun,
    ...claim
  }: Pick<FirstClaim, 'jobId' | 'workerId' | 'stallSeconds' | 'held'> & {
    readonly isDryRun: boolean | undefined
  },
): Promise<Claimed> {
  // A shared lock, so that claims wait for the end of the job and not for each other.
  const { rows: jobs } = await tx.query<{ kind: string; goes_on: boolean }>({
    name: 'staged_batch.may_claim', // primary key
    text: `SELECT kind, state = 'running' AND stop_as IS NULL AND deadline_at > now()
                    AND coalesce((request ->> 'dryRun')::boolean, false) = coalesce($2, (request ->> 'dryRun')::boolean, false) AS goes_on
             FROM migration.job WHERE job_id = $1 FOR SHARE`,
    values: [jobId, isDryRun ?? null],
  })
  if (!jobs[0]?.goes_on) return 'stopped'
  const order = jobs[0].kind === 'undo' ? LAST_FIRST : FIRST_FIRST
  const { rows: stages } = await tx.query<{ stage: number | null }>({
    name: 'staged_batch.stage', // staged_batch_open
    text: `SELECT min(stage) AS stage FROM migration.staged_batch WHERE job_id = $1 AND outcomes IS NULL`,
    values: [jobId],
  })
  const stage = stages[0]?.stage ?? null
  if (stage === null) return 'done'
  const claimed = await claimFirst(tx, { ...claim, jobId, stage, order })
  if (claimed === undefined) return 'waiting'
  const { share, ...first } = claimed
  const isAlone = first.lostWorkers > 0 || share === null || share >= WHOLE_CALL
  if (isAlone) return [first]
  return [first, ...(await claimMore(tx, { jobId, workerId: claim.workerId, order, first, share }))]
}

/** Claims the next batch of a stage that no live worker has. */
async function claimFirst(
  tx: Queryable,
  { jobId, workerId, stallSeconds, held, stage, order }: FirstClaim,
): Promise<(ClaimedBatch & { readonly share: number | null }) | undefined> {
  const { rows } = await tx.query<ClaimedBatch & { readonly share: number | null }>({
    name: `staged_batch.claim_${order.name}`, // staged_batch_open, staged_batch_open_list, staged_batch_suspect, primary keys
    // Materialized: a join that reads it again would lock, and claim, one more batch each time.
    text: `WITH free AS MATERIALIZED (
             SELECT c.batch FROM migration.staged_batch c
              WHERE c.job_id = $1 AND c.stage = $4 AND c.outcomes IS NULL AND ${NOT_CLAIMED}
                AND (c.claimed_by IS NULL AND c.lost_workers = '{}' OR NOT EXISTS (
                      SELECT FROM migration.staged_batch s
                       WHERE s.claimed_by = $2 AND s.outcomes IS NULL AND s.lost_workers <> '{}'))
                AND ${serviceUsersWait(order.end)}
                AND ${membersWait(order.end)}
              ORDER BY c.batch ${order.direction} LIMIT 1 FOR UPDATE SKIP LOCKED)
           UPDATE migration.staged_batch b
              SET claimed_by = $2,
                  lost_workers = CASE WHEN b.claimed_by <> ALL (b.lost_workers || $2::text) AND EXISTS (
                                             SELECT FROM migration.worker w
                                              WHERE w.worker_id = b.claimed_by AND NOT w.is_stopping)
                                      THEN b.lost_workers || b.claimed_by ELSE b.lost_workers END
             FROM free, migration.staged_organization o
            WHERE b.job_id = $1 AND b.batch = free.batch AND o.job_id = b.job_id AND o.ordinal = b.ordinal
           RETURNING ${CLAIMED}, b.call_share AS share`,
    values: [jobId, workerId, stallSeconds, stage, held],
  })
  return rows[0]
}

/**
 * Claims the open batches of the same list that follow a claimed one, as many as fit into one call with it. Stops before
 * the first batch that is claimed or that lost a worker, so that the order of the batches stays.
 */
async function claimMore(
  tx: Queryable,
  {
    jobId,
    workerId,
    order,
    first,
    share,
  }: {
    readonly jobId: string
    readonly workerId: string
    readonly order: ClaimOrder
    readonly first: ClaimedBatch
    readonly share: number
  },
): Promise<readonly ClaimedBatch[]> {
  const { rows } = await tx.query<ClaimedBatch>({
    name: `staged_batch.claim_more_${order.name}`, // staged_batch_open_list, primary keys
    text: `WITH open AS MATERIALIZED (
             SELECT c.batch, c.call_share, c.claimed_by IS NULL AND c.lost_workers = '{}' AND c.call_share IS NOT NULL AS is_free
               FROM migration.staged_batch c
              WHERE c.job_id = $1 AND c.stage = $3 AND c.list = $4 AND c.batch ${order.follows} $5 AND c.outcomes IS NULL
              ORDER BY c.batch ${order.direction} LIMIT ${MOST_BATCHES - 1} FOR UPDATE SKIP LOCKED),
                added AS (
             SELECT batch, bool_and(is_free) OVER before AND sum(call_share) OVER before <= $6 AS fits
               FROM open WINDOW before AS (ORDER BY batch ${order.direction}))
           UPDATE migration.staged_batch b SET claimed_by = $2
             FROM added, migration.staged_organization o
            WHERE b.job_id = $1 AND b.batch = added.batch AND added.fits
              AND o.job_id = b.job_id AND o.ordinal = b.ordinal
           RETURNING ${CLAIMED}`,
    values: [jobId, workerId, first.stage, first.list, first.batch, WHOLE_CALL - share],
  })
  const sign = order === LAST_FIRST ? -1 : 1
  return rows.toSorted((one, other) => sign * (one.batch - other.batch))
}

/** The batches of a plan without an outcome, grouped for calls of the directory, by stage and list. */
export async function* plannedCalls(
  database: Queryable,
  jobId: string,
): AsyncIterable<readonly ClaimedBatch[]> {
  let last: ClaimedBatch | undefined
  for (;;) {
    const { rows }: { rows: readonly ClaimedBatch[] } = await database.query<ClaimedBatch>({
      name: 'staged_batch.planned', // staged_batch_open_list, primary keys
      text: `WITH next AS MATERIALIZED (
               SELECT c.batch, c.stage, c.list, coalesce(c.call_share, ${WHOLE_CALL}) AS share FROM migration.staged_batch c
                WHERE c.job_id = $1 AND c.outcomes IS NULL AND (c.stage, c.list, c.batch) > ($2::smallint, $3::text, $4::integer)
                ORDER BY c.stage, c.list, c.batch LIMIT ${MOST_BATCHES}),
                  added AS (
               SELECT batch, list = first_value(list) OVER placed AS is_of_list, row_number() OVER placed = 1 AS is_first,
                      sum(share) OVER placed AS total
                 FROM next WINDOW placed AS (ORDER BY stage, list, batch))
             SELECT ${CLAIMED} FROM added
               JOIN migration.staged_batch b ON b.job_id = $1 AND b.batch = added.batch
               JOIN migration.staged_organization o ON o.job_id = b.job_id AND o.ordinal = b.ordinal
              WHERE added.is_first OR added.is_of_list AND added.total <= ${WHOLE_CALL}
              ORDER BY b.batch`,
      values: [jobId, last?.stage ?? -1, last?.list ?? '', last?.batch ?? -1],
    })
    if (rows.length === 0) return
    yield rows
    last = rows.at(-1)
  }
}
