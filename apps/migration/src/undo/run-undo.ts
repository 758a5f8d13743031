import { withLeftOut } from '../import/left-out.ts'
import type { Job, JobRepository } from '../jobs/job.ts'
import { untilDone } from '../jobs/run-job.ts'
import { MOST_LOST_WORKERS } from '../jobs/set-aside.ts'
import type { AppliedBatch, StagedBatchRepository } from '../jobs/staged-batch.ts'

/** Takes back what batches of an import wrote, in their order; repeated, it returns the stored outcomes. */
export type UndoBatches = (
  job: Job,
  batches: readonly { readonly batch: number; readonly recordCount: number }[],
) => Promise<readonly Pick<AppliedBatch, 'outcomes' | 'failures'>[]>

interface Dependencies {
  readonly jobs: JobRepository
  readonly staged: StagedBatchRepository
  readonly undoBatches: UndoBatches
  readonly workerId: string
  readonly pause: (milliseconds: number) => Promise<void>
  /** The worker is to stop: other workers take over its batches. */
  readonly stopping: () => boolean
}

/** Poll interval while other workers work on the rest of a stage. */
const WAIT_MS = 50

/**
 * Does the work of one worker on an undo: takes batches back, references before the objects that they refer to.
 * Any number of workers may work on one job. Returns when nothing is left to do or the job has to stop.
 */
export function createRunUndo({ jobs, staged, undoBatches, workerId, pause, stopping }: Dependencies) {
  return async (job: Job): Promise<void> => {
    if (job.state === 'queued') await jobs.start(job.id, 'undoing')
    while (!stopping()) {
      const claimed = await staged.claim(job.id, workerId)
      if (claimed === 'stopped') return void (await jobs.checkDeadline(job.id))
      if (claimed === 'done') {
        const state = (await staged.hasFailures(job.id)) ? 'partial' : 'succeeded'
        return await jobs.finish(job.id, { state, notes: [] })
      }
      if (claimed === 'waiting') {
        await pause(WAIT_MS)
        continue
      }
      const [first] = claimed
      if (first.lostWorkers >= MOST_LOST_WORKERS) {
        await staged.setAside(job.id, first, 'undo')
        continue
      }
      try {
        // The import did not send the records that were left out.
        const sent = claimed.map(({ batch, recordCount, leftOut }) => ({
          batch,
          recordCount: recordCount - leftOut.length,
        }))
        const undone = await undoBatches(job, sent)
        await staged.complete(
          job.id,
          claimed.map(({ batch, leftOut }, at) => {
            const outcome = undone[at]
            if (outcome === undefined) throw new Error(`batch ${batch} of ${job.id} has no outcome`)
            return { batch, ...withLeftOut(leftOut, { ...outcome, notes: [] }) }
          }),
        )
      } catch (error) {
        const numbers = claimed.map(({ batch }) => batch)
        await untilDone(() => staged.release(job.id, numbers, workerId), { pause, stopping })
        throw error
      }
    }
  }
}
