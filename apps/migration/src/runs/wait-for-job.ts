import { hasEnded, type Job } from './job.ts'
import type { JobStore } from './job-store.ts'

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 250

interface Dependencies {
  readonly jobs: JobStore
  readonly pause: (milliseconds: number) => Promise<void>
  readonly now: () => Date
}

/** The job once it has ended, or undefined when the waiting is given up before. Ends it when its time is over. */
export function waitForJob({ jobs, pause, now }: Dependencies) {
  return async (jobId: string, givenUp: () => boolean): Promise<Job | undefined> => {
    for (let pauseMs = FIRST_PAUSE_MS; !givenUp(); pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
      const job = await jobs.find(jobId)
      if (job === undefined || hasEnded(job)) return job
      // Also without any worker alive.
      if (job.deadlineAt !== null && job.deadlineAt < now()) await jobs.settle(jobId)
      await pause(pauseMs)
    }
    return undefined
  }
}
