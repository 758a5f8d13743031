import type { ImportRequest, Job, JobRepository } from '../jobs/job.ts'
import { untilDone, withClaim } from '../jobs/run-job.ts'
import { MOST_LOST_WORKERS } from '../jobs/set-aside.ts'
import type { AppliedBatch, ClaimedBatch, Failure, StagedBatchRepository } from '../jobs/staged-batch.ts'
import type { StagedSealer } from '../sealing.ts'
import type { MarkBlocked } from './blocked-records.ts'
import { duplicateProblem, invalidDocument, planOutdated } from './document-problems.ts'
import { withLeftOut, without } from './left-out.ts'
import { type PlannedObject, plannedObjects, referencedKeys } from './planned-objects.ts'
import { openRecords, rejectDuplicates } from './reject-duplicates.ts'
import type { RejectedBatchRepository } from './rejected-batch.repository.ts'
import type { Staging } from './stage-object.ts'

/** Batch of a call of the directory. */
export interface BatchCall {
  readonly batch: number
  readonly list: string
  readonly organizationId: string
  readonly records: Buffer
  readonly planned: readonly PlannedObject[]
  /** Plan of a dry run of the same batch, which is written if its outcomes are the planned ones. */
  readonly plan: Buffer | undefined
}

/**
 * Writes batches of one list into the directory; repeated, it returns the stored outcomes. The results are in the order of
 * the batches, and end with the first whose plan does not hold.
 */
export type ApplyBatches = (job: Job, calls: readonly BatchCall[]) => Promise<readonly BatchResult[]>

export interface BatchResult extends Omit<AppliedBatch, 'batch'> {
  /** Reasons why the plan does not hold; the batch is not written then. */
  readonly differences: readonly Failure[]
}

interface Dependencies {
  readonly jobs: JobRepository
  readonly staged: StagedBatchRepository
  readonly rejected: RejectedBatchRepository
  readonly sealer: StagedSealer
  readonly applyBatches: ApplyBatches
  readonly markBlocked: MarkBlocked
  /** Stages the document that the job's storage holds, for the attempt that has claimed the job. */
  readonly stageStored: (job: Job, attempt: number) => Promise<Staging>
  readonly workerId: string
  readonly pause: (milliseconds: number) => Promise<void>
  /** The worker is to stop: other workers take over its batches. */
  readonly stopping: () => boolean
}

const MOST_PROBLEMS = 100
const MOST_NOTES = 1_000
/** The document of a storage is whole in the database then. */
const STAGED_PHASES: ReadonlySet<string> = new Set(['validating', 'comparing', 'applying'])
/** The letter of a record that is not written because others of its batch differ from the plan. */
const NOT_WRITTEN = '-'
/** Poll interval while other workers work on the rest of a stage. */
const WAIT_MS = 50
/** Poll interval while another worker validates the document or compares a plan, which reads all of it. */
const COMPARE_WAIT_MS = 1_000

/**
 * Does the work of one worker on an import: checks the document as a whole, then applies batch after batch, stage after
 * stage. Any number of workers may work on one job; each batch is claimed by one of them. Returns when nothing is left
 * to do or the job has to stop, and leaves nothing under way.
 */
export function createRunImport(dependencies: Dependencies) {
  const { jobs, staged, workerId, pause, stopping } = dependencies
  return async (job: Job): Promise<void> => {
    const isCompared = job.phase === 'comparing'
    const comesFromStorage = requestOf(job).storage !== undefined && !STAGED_PHASES.has(job.phase)
    if (job.state === 'queued') {
      await jobs.start(job.id, isCompared ? 'comparing' : comesFromStorage ? 'staging' : 'validating')
    }
    if (isCompared && !(await holds(dependencies, job))) return
    if (comesFromStorage && !(await stage(dependencies, job))) return
    if (!isCompared && !(await validated(dependencies, job))) return
    await jobs.setPhase(job.id, 'applying')
    while (!stopping()) {
      const claimed = await staged.claim(job.id, workerId, requestOf(job).dryRun === true)
      if (claimed === 'stopped') return void (await jobs.checkDeadline(job.id))
      if (claimed === 'done') return await finish(dependencies, job)
      if (claimed === 'waiting') await pause(WAIT_MS)
      else if (claimed[0].lostWorkers >= MOST_LOST_WORKERS)
        await staged.setAside(job.id, claimed[0], 'import')
      else await apply(dependencies, job, claimed)
    }
  }
}

/**
 * Stages the document by one worker. Another one, that found the job not staged yet and comes late, must not begin
 * again: see `claim`.
 */
async function stage(
  { workerId, jobs, pause, stopping, stageStored }: Dependencies,
  job: Job,
): Promise<boolean> {
  const claim = { jobId: job.id, workerId, phase: 'staging' }
  const isStaged = await withClaim(jobs, claim, { pause, stopping }, async (attempt) => {
    const result = await stageStored(job, attempt)
    if (result.outcome === 'refused') await jobs.refuse(job.id, result)
    if (result.outcome !== 'staged') return false
    await jobs.setNotes(job.id, result.notes)
    return await jobs.beginNextPhase(job.id, attempt, 'validating')
  })
  return isStaged ?? false
}

/**
 * Compares a plan with the target, by one worker, before any batch is written. Another one waits for it. False when the plan
 * does not hold or the job is to stop.
 */
function holds(dependencies: Dependencies, job: Job): Promise<boolean> {
  return byOne(dependencies, job, 'comparing', (attempt) => compare(dependencies, job, attempt))
}

/**
 * Validates the document as a whole, by one worker: a claim also tells that the job is not abandoned, however long it takes.
 * False when the document is refused or the job is to stop.
 */
async function validated(dependencies: Dependencies, job: Job): Promise<boolean> {
  const { jobs } = dependencies
  // A job that applies already has been found valid.
  if (job.phase === 'applying') return true
  return await byOne(
    dependencies,
    job,
    'validating',
    async (attempt) =>
      (await isValid(dependencies, job)) && (await jobs.beginNextPhase(job.id, attempt, 'applying')),
  )
}

/** Does the work of a phase alone, or waits for the worker that does. Returns whether the job goes on after it. */
async function byOne(
  { stopping, jobs, workerId, pause }: Dependencies,
  job: Job,
  phase: 'comparing' | 'validating',
  work: (attempt: number) => Promise<boolean | undefined>,
): Promise<boolean> {
  while (!stopping()) {
    const found = await withClaim(jobs, { jobId: job.id, workerId, phase }, { pause, stopping }, work)
    if (found !== undefined) return found
    const now = await jobs.find(job.id)
    if (now?.state !== 'running' || now.phase !== phase) return now?.state === 'running'
    await pause(COMPARE_WAIT_MS)
  }
  return false
}

async function compare(dependencies: Dependencies, job: Job, attempt: number): Promise<boolean | undefined> {
  const { staged, stopping, jobs, applyBatches } = dependencies
  const asDryRun = { ...job, request: { ...job.request, dryRun: true } }
  for await (const batches of staged.plannedCalls(job.id)) {
    if (stopping() || !(await jobs.mayContinue(job.id, attempt))) return false
    const results = await applyBatches(asDryRun, await callsFor(dependencies, asDryRun, batches))
    const at = results.findIndex(({ differences }) => differences.length > 0)
    const [refused, refusal] = [batches[at], results[at]]
    if (refused === undefined || refusal === undefined) continue
    const { error, outcome } = refusalOf(refused, refusal, false)
    // Another worker has the plan by now.
    if (!(await jobs.failBeforeApplying(job.id, attempt, error))) return undefined
    await staged.complete(job.id, [outcome])
    return false
  }
  return await jobs.beginNextPhase(job.id, attempt, 'applying')
}

async function isValid({ staged, rejected, sealer, jobs }: Dependencies, job: Job): Promise<boolean> {
  const duplicates = await staged.duplicates(job.id, MOST_PROBLEMS)
  if (duplicates.length > 0) {
    await staged.leaveOutDuplicates(job.id)
    const { organizations, records } = await rejectDuplicates(job.id, { staged, rejected, sealer })
    if ((requestOf(job).onInvalid ?? 'fail') === 'fail' || organizations > 0) {
      const problems = duplicates.map(duplicateProblem)
      const counts = { problemCount: records, records, credentialsOnly: 0 }
      await jobs.refuse(job.id, { error: invalidDocument(problems, counts), hasAllRejects: true })
      return false
    }
  }
  if (requestOf(job).dryRun) await staged.planKeys(job.id)
  return true
}

async function apply(dependencies: Dependencies, job: Job, claimed: readonly ClaimedBatch[]): Promise<void> {
  const { staged, workerId, pause, stopping, applyBatches, markBlocked, jobs } = dependencies
  const release = (those: readonly ClaimedBatch[]) => {
    const numbers = those.map(({ batch }) => batch)
    return untilDone(() => staged.release(job.id, numbers, workerId), { pause, stopping })
  }
  try {
    const calls = await callsFor(dependencies, job, claimed)
    const results = await markBlocked(job.id, calls, await applyBatches(job, calls))
    const done = claimed.flatMap(({ batch, leftOut }, at) => {
      const result = results[at]
      if (result === undefined || result.differences.length > 0) return []
      const { differences: _, ...applied } = result
      return [{ batch, ...withLeftOut(leftOut, applied) }]
    })
    await staged.complete(job.id, done)
    const [refused, refusal] = [claimed[done.length], results[done.length]]
    if (refused === undefined) return
    if (refusal === undefined) throw new Error(`batch ${refused.batch} of ${job.id} has no outcome`)
    const { error, outcome } = refusalOf(refused, refusal, true)
    await staged.complete(job.id, [outcome])
    await jobs.fail(job.id, error)
    // Not before the job has failed: another worker would claim and write them.
    await release(claimed.slice(done.length + 1))
  } catch (error) {
    await release(claimed)
    throw error
  }
}

async function callsFor(
  { sealer, staged }: Dependencies,
  job: Job,
  claimed: readonly ClaimedBatch[],
): Promise<readonly BatchCall[]> {
  const { appliesPlan, dryRun } = requestOf(job)
  const calls = claimed.map((one): Omit<BatchCall, 'planned'> => {
    const { batch, list, organizationId, leftOut, plan } = one
    if (appliesPlan && plan === null)
      throw new Error(`batch ${batch} of ${job.id} has no plan to compare with`)
    const records = without(leftOut, openRecords(sealer, job.id, one))
    return { batch, list, organizationId, records, plan: appliesPlan ? (plan ?? undefined) : undefined }
  })
  if (!dryRun) return calls.map((call) => ({ ...call, planned: [] }))
  const keysOf = calls.map(({ list, organizationId, records }) =>
    referencedKeys(list, organizationId, JSON.parse(records.toString('utf8'))),
  )
  const found = await staged.plannedKeys(job.id, [...new Set(keysOf.flat())])
  return calls.map((call, at) => {
    const own = (keysOf[at] ?? []).flatMap((key) => {
      const organizationId = found.get(key)
      return organizationId === undefined ? [] : [[key, organizationId] as const]
    })
    return { ...call, planned: plannedObjects(call.list, new Map(own)) }
  })
}

async function finish({ staged, jobs }: Dependencies, job: Job): Promise<void> {
  const [failed, { notes, total }] = await Promise.all([
    staged.hasFailures(job.id),
    staged.notes(job.id, MOST_NOTES),
  ])
  await jobs.finish(job.id, {
    state: failed ? 'partial' : 'succeeded',
    notes: [
      // An import that applies a plan has the notes of its dry run.
      ...new Set([...((await jobs.find(job.id))?.notes ?? []), ...notes]),
      ...(total > MOST_NOTES ? [`notes left out beyond the first ${MOST_NOTES}: ${total - MOST_NOTES}`] : []),
    ],
  })
}

/** The outcome of a batch whose plan does not hold, and the error of its job. */
function refusalOf(claimed: ClaimedBatch, { outcomes, differences }: BatchResult, hasWritten: boolean) {
  const { batch, list, organizationId, leftOut, ids } = claimed
  const differing = new Set(differences.map(({ index }) => index))
  const letters = [...outcomes].map((_, index) => (differing.has(index) ? 'f' : NOT_WRITTEN)).join('')
  const refused = withLeftOut(leftOut, { outcomes: letters, failures: differences, notes: [] })
  const error = planOutdated({ organizationId, list, ids, failures: refused.failures, hasWritten })
  return { outcome: { batch, ...refused }, error }
}

function requestOf({ request }: Job): ImportRequest {
  return request as unknown as ImportRequest
}
