import type { DocumentStore } from '../stores/document-store.ts'
import type { JobStore } from '../stores/job-store.ts'
import type { JobCreation } from './create-job.ts'

interface Dependencies {
  readonly jobs: JobStore
  readonly documents: DocumentStore
  readonly creation: JobCreation
}

/** What administrators may ask about jobs, and do with them. */
export function jobDesk({ jobs, documents, creation }: Dependencies) {
  return {
    find: (jobId: string) => jobs.find(jobId),
    list: (after: string | undefined, most: number) => jobs.list(after, most),
    /** The job ends at the next batch; false when it has ended already. */
    cancel: (jobId: string) => jobs.requestStop(jobId, 'cancelled'),
    /** The job goes on where it stopped, with all of its time; false unless it can. */
    async resume(jobId: string): Promise<boolean> {
      const attempt = await jobs.resume(jobId)
      if (attempt !== undefined) await creation.tell(jobId, attempt)
      return attempt !== undefined
    },
    hasDocument: (jobId: string) => documents.has(jobId),
    document: (jobId: string) => documents.read(jobId),
  }
}

export type JobDesk = ReturnType<typeof jobDesk>
