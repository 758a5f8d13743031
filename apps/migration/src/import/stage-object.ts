import { DocumentReader } from '@signet/file-formats/export/document-reader'
import { UnexpectedJsonError } from '@signet/file-formats/json-stream/json-values'
import type { ImportRequest, Job, JobError } from '../jobs/job.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import { tooManyRejects, unreadableDocument } from './document-problems.ts'
import { TooManyRejects } from './rejects.ts'
import {
  createStager,
  invalidRecordsError,
  invalidRecordsNotes,
  NO_META,
  type StagerDependencies,
} from './stage-document.ts'

interface StoredDocument {
  readonly object: StoredObject
  /** Number of the claim under which the object is staged. */
  readonly attempt: number
  readonly mayContinue: () => Promise<boolean>
}

/** Above the largest document of one import, counted after decompression. */
const MOST_BYTES = 64 * 1024 ** 3

export type Staging =
  | { readonly outcome: 'staged'; readonly notes: readonly string[] }
  /** Refusal; with `hasAllRejects` every invalid record is stored. */
  | { readonly outcome: 'refused'; readonly error: JobError; readonly hasAllRejects: boolean }
  | { readonly outcome: 'stopped' }

/**
 * Stages the document of an object, from its beginning, in constant memory. Deletes the batches of an earlier
 * attempt first.
 */
export function createStageObject({ staged, rejected, sealer }: StagerDependencies) {
  return async (job: Job, { object, attempt, mayContinue }: StoredDocument): Promise<Staging> => {
    if (!(await staged.clear(job.id, attempt))) return { outcome: 'stopped' }
    const stager = createStager(job.id, { staged, rejected, sealer })
    const { onInvalid = 'fail' } = job.request as Partial<ImportRequest>
    const reader = new DocumentReader(stager.sink)
    try {
      const content = await object.read({ limitBytes: MOST_BYTES })
      for await (const chunk of content.bytes) {
        reader.write(chunk)
        await stager.flush()
        if (!(await mayContinue())) return { outcome: 'stopped' }
      }
      const { intact, meta } = reader.end()
      if (intact === false && job.request.ignoreChecksum !== true) {
        const rule =
          'meta.sha256 does not fit: the document was changed after it was written; ignore_checksum imports it all the same'
        return { outcome: 'refused', error: unreadableDocument(rule), hasAllRejects: false }
      }
      const { notes, invalid } = await stager.finish()
      const error = invalidRecordsError(onInvalid, invalid)
      if (error !== undefined) return { outcome: 'refused', error, hasAllRejects: true }
      if (invalid.records > 0) await staged.decide(job.id, onInvalid)
      const foreign = meta === undefined ? [NO_META] : []
      return { outcome: 'staged', notes: [...notes, ...invalidRecordsNotes(onInvalid, invalid), ...foreign] }
    } catch (error) {
      if (error instanceof UnexpectedJsonError)
        return { outcome: 'refused', error: unreadableDocument(error.message), hasAllRejects: false }
      if (error instanceof TooManyRejects)
        return { outcome: 'refused', error: tooManyRejects(), hasAllRejects: false }
      throw error
    } finally {
      await stager.settled()
    }
  }
}
