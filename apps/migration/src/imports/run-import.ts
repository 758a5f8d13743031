import { zstdDecompressSync } from 'node:zlib'
import type { ImportRequest, Job } from '../runs/job.ts'
import type { JobStore } from '../runs/job-store.ts'
import { untilDone } from '../runs/until-done.ts'
import type { StagedSealer } from '../sealing/staged-sealer.ts'
import type { AppliedBatch, ClaimedBatch, StagedStore } from '../stores/staged-store.ts'
import { duplicateProblem, invalidDocument } from './document-problems.ts'
import { plannedObjects, referencedKeys } from './planned-objects.ts'
import { batchPlace } from './stage-document.ts'
import type { Staging } from './stage-object.ts'

/** Writes one batch into the directory; repeated, it answers what it answered before. */
export type ApplyBatch = (order: {
  readonly job: Job
  readonly batch: number
  readonly list: string
  readonly organizationId: string
  readonly records: Buffer
  readonly planned: readonly { readonly kind: string; readonly id: string; readonly ownerId: string }[]
}) => Promise<Omit<AppliedBatch, 'batch'>>

interface Dependencies {
  readonly jobs: JobStore
  readonly staged: StagedStore
  readonly sealer: StagedSealer
  readonly applyBatch: ApplyBatch
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
const STAGED_PHASES: ReadonlySet<string> = new Set(['validating', 'applying'])
/** While others work on the rest of a stage. */
const WAIT_MS = 50

/**
 * Does a worker's share of an import: checks the document as a whole, then applies batch after batch, stage after
 * stage. Any number of workers may share a job; each batch is claimed by one of them. Returns when nothing is left
 * to do or the job has to stop, and leaves nothing under way.
 */
export function runImport({
  jobs,
  staged,
  sealer,
  applyBatch,
  stageStored,
  workerId,
  pause,
  stopping,
}: Dependencies) {
  return async (job: Job): Promise<void> => {
    const comesFromStorage = requestOf(job).storage !== undefined && !STAGED_PHASES.has(job.phase)
    if (job.state === 'queued') await jobs.start(job.id, comesFromStorage ? 'staging' : 'validating')
    if (comesFromStorage && !(await stage(job))) return
    if (!(await isValid(job))) return
    await jobs.setPhase(job.id, 'applying')
    while (!stopping()) {
      const claimed = await staged.claim(job.id, workerId)
      if (claimed === 'stopped') return void (await jobs.settle(job.id))
      if (claimed === 'done') return await finish(job)
      if (claimed === 'waiting') await pause(WAIT_MS)
      else await apply(job, claimed)
    }
  }

  /** By one worker. Another one, that found the job not staged yet and comes late, must not begin again: see `claim`. */
  async function stage(job: Job): Promise<boolean> {
    const attempt = await jobs.claim(job.id, workerId, 'staging')
    if (attempt === undefined) {
      await jobs.settle(job.id)
      return false
    }
    try {
      const result = await stageStored(job, attempt)
      if (result.outcome === 'refused') await jobs.fail(job.id, result.error)
      if (result.outcome !== 'staged') return false
      await jobs.setNotes(job.id, result.notes)
      return await jobs.passOn(job.id, attempt, 'validating')
    } finally {
      await untilDone(() => jobs.leave(job.id, workerId), { pause, stopping })
    }
  }

  async function isValid(job: Job): Promise<boolean> {
    // A job that applies already has been found valid.
    if (job.phase === 'applying') return true
    const duplicates = await staged.duplicates(job.id, MOST_PROBLEMS)
    if (duplicates.length > 0) {
      await jobs.fail(job.id, invalidDocument(duplicates.map(duplicateProblem)))
      return false
    }
    if (requestOf(job).dryRun) await staged.planKeys(job.id)
    return true
  }

  async function apply(job: Job, { batch, list, organizationId, sealed }: ClaimedBatch): Promise<void> {
    try {
      const records = zstdDecompressSync(sealer.open(sealed, batchPlace(job.id, batch)))
      const planned = requestOf(job).dryRun ? await plan(job, list, organizationId, records) : []
      const outcome = await applyBatch({ job, batch, list, organizationId, records, planned })
      await staged.complete(job.id, { batch, ...outcome })
    } catch (error) {
      await untilDone(() => staged.release(job.id, batch, workerId), { pause, stopping })
      throw error
    }
  }

  async function plan(job: Job, list: string, organizationId: string, records: Buffer) {
    const keys = referencedKeys(list, organizationId, JSON.parse(records.toString('utf8')))
    return plannedObjects(list, await staged.plannedKeys(job.id, keys))
  }

  async function finish(job: Job): Promise<void> {
    const [failed, { notes, total }] = await Promise.all([
      staged.hasFailures(job.id),
      staged.notes(job.id, MOST_NOTES),
    ])
    await jobs.finish(job.id, {
      state: failed ? 'partial' : 'succeeded',
      notes: [
        ...((await jobs.find(job.id))?.notes ?? []),
        ...notes,
        ...(total > MOST_NOTES
          ? [`notes left out beyond the first ${MOST_NOTES}: ${total - MOST_NOTES}`]
          : []),
      ],
    })
  }
}

function requestOf({ request }: Job): ImportRequest {
  return request as unknown as ImportRequest
}
