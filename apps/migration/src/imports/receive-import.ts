import type { Attempt } from '@signet/admin-api/audit/audit-log'
import { DocumentError } from '@signet/file-formats/export/document-reader'
import type { JobCreation } from '../runs/create-job.ts'
import type { ImportRequest, JobError } from '../runs/job.ts'
import type { StagedSealer } from '../sealing/staged-sealer.ts'
import type { StorageOrder } from '../storage/storage-member.ts'
import type { StagedStore } from '../stores/staged-store.ts'
import { invalidDocument, unreadableDocument } from './document-problems.ts'
import { type ImportCall, importCallReader } from './read-import-call.ts'
import { createStager, NO_META, TooManyProblems } from './stage-document.ts'

interface Dependencies {
  readonly creation: JobCreation
  readonly staged: StagedStore
  readonly sealer: StagedSealer
}

/** Why a document is refused before it is accepted. */
export class ImportRefused extends Error {
  readonly refusal: JobError

  constructor(refusal: JobError) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** One call while its body comes in. */
export interface ReceivedImport {
  /** Rejects with ImportRefused as soon as the body cannot be imported. */
  write(chunk: Buffer): Promise<void>
  /** The options of the call, at the end of its body. Rejects with ImportRefused. */
  end(): Promise<ImportCall>
  /** Stores the import, which from then on survives the process. Returns the id of its job. */
  accept(request: ImportRequest, timeoutMs: number, order: StorageOrder | undefined): Promise<string>
  /** Removes the received parts. */
  discard(): Promise<void>
}

/** Stages the document of a call record by record, in constant memory. */
export function receiveImport({ creation, staged, sealer }: Dependencies) {
  return async (attempt: Attempt): Promise<ReceivedImport> => {
    const jobId = await creation.beginImport(attempt)
    const stager = createStager(jobId, { staged, sealer })
    const reader = importCallReader(stager.sink)
    let notes: readonly string[] = []

    const reading = <T>(read: () => T): T => {
      try {
        return read()
      } catch (error) {
        if (error instanceof DocumentError) throw new ImportRefused(unreadableDocument(error.message))
        if (error instanceof TooManyProblems) throw new ImportRefused(invalidDocument(stager.problems))
        throw error
      }
    }
    return {
      async write(chunk) {
        reading(() => reader.write(chunk))
        await stager.flush()
      },
      async end() {
        const call = reading(() => reader.end())
        const dropped = await stager.finish()
        if (stager.problems.length > 0) throw new ImportRefused(invalidDocument(stager.problems))
        const isForeign = call.document !== undefined && call.document.meta === undefined
        notes = [...dropped, ...(isForeign ? [NO_META] : [])]
        return call
      },
      async accept(request, timeoutMs, order) {
        await creation.acceptImport(jobId, attempt, { request, timeoutMs, notes, order })
        return jobId
      },
      async discard() {
        await stager.settled()
        await creation.discardImport(jobId)
      },
    }
  }
}
