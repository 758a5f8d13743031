import type { Attempt } from '@signet/admin-api/audit/audit-log'
import type { DocumentStore } from '../stores/document-store.ts'
import type { JobCreation } from './create-job.ts'
import type { JobStore, KnownJob } from './job-store.ts'

interface Dependencies {
  readonly jobs: JobStore
  readonly documents: DocumentStore
  readonly creation: JobCreation
}

/** The operations of administrators on jobs. */
export function jobDesk({ jobs, documents, creation }: Dependencies) {
  return {
    find: (jobId: string) => jobs.find(jobId),
    list: (after: string | undefined, most: number) => jobs.list(after, most),
    /** The job ends at the next batch; false when it has ended already. */
    cancel: (job: KnownJob, attempt: Attempt) => jobs.requestStop(job, attempt),
    /** The job goes on where it stopped, with all of its time or with another; false unless it can. */
    async resume(job: KnownJob, attempt: Attempt, timeoutMs: number | undefined): Promise<boolean> {
      const turn = await jobs.resume(job, attempt, timeoutMs)
      if (turn !== undefined) await creation.tell(job.id, turn)
      return turn !== undefined
    },
    hasDocument: (jobId: string) => documents.has(jobId),
    document: (jobId: string) => documents.read(jobId),
  }
}

export type JobDesk = ReturnType<typeof jobDesk>
