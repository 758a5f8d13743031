import type { DispatchStore } from '../stores/dispatch-store.ts'
import type { JobEndings } from './job-store.ts'

interface Dependencies {
  readonly jobs: Pick<JobEndings, 'settle'>
  readonly dispatches: DispatchStore
  /** Puts a job into the queue of workers; rejects when the queue is away. */
  readonly dispatch: (jobId: string, attempt: number) => Promise<void>
}

/** Enqueues jobs that lost their worker, and deletes expired data. */
export function reconcile({ jobs, dispatches, dispatch }: Dependencies) {
  return async (): Promise<void> => {
    for (const { id, attempt } of await dispatches.takeAbandoned()) {
      if (!(await jobs.settle(id))) continue
      try {
        await dispatch(id, attempt)
      } catch (error) {
        await dispatches.undispatched(id)
        throw error
      }
    }
    await dispatches.removeLost()
    await dispatches.deleteExpired()
  }
}
