import { withLeftOut } from '../import/run-import.ts'
import { MOST_LOST_WORKERS } from '../import/set-aside.ts'
import type { AppliedBatch, StagedBatchRepository } from '../import/staged-batch.ts'
import type { Job, JobRepository } from '../jobs/job.ts'
import { untilDone } from '../jobs/run-job.ts'

/** Takes back what one batch of an import wrote; repeated, it returns the stored outcome. */
export type UndoBatch = (call: {
  readonly job: Job
  readonly batch: number
  readonly recordCount: number
}) => Promise<Pick<AppliedBatch, 'outcomes' | 'failures'>>

interface Dependencies {
  readonly jobs: JobRepository
  readonly staged: StagedBatchRepository
  readonly undoBatch: UndoBatch
  readonly workerId: string
  readonly pause: (milliseconds: number) => Promise<void>
  /** The worker is to stop: other workers take over its batches. */
  readonly stopping: () => boolean
}

/** While others work on the rest of a stage. */
const WAIT_MS = 50

/**
 * Does the work of one worker on an undo: takes batch after batch back, references before the objects that they refer to.
 * Any number of workers may work on one job. Returns when nothing is left to do or the job has to stop.
 */
export function createRunUndo({ jobs, staged, undoBatch, workerId, pause, stopping }: Dependencies) {
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
      const { batch, leftOut } = first
      try {
        // The import did not send the records that were left out.
        const recordCount = first.recordCount - leftOut.length
        const undone = await undoBatch({ job, batch, recordCount })
        await staged.complete(job.id, [{ batch, ...withLeftOut(leftOut, { ...undone, notes: [] }) }])
      } catch (error) {
        await untilDone(() => staged.release(job.id, [batch], workerId), { pause, stopping })
        throw error
      }
    }
  }
}
