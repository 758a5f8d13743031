import { DocumentError, DocumentReader } from '@signet/file-formats/export/document-reader'
import type { Job, JobError } from '../runs/job.ts'
import type { StagedSealer } from '../sealing/staged-sealer.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import type { StagedStore } from '../stores/staged-store.ts'
import { invalidDocument, unreadableDocument } from './document-problems.ts'
import { createStager, NO_META, TooManyProblems } from './stage-document.ts'

interface Dependencies {
  readonly staged: StagedStore
  readonly sealer: StagedSealer
}

interface StoredDocument {
  readonly object: StoredObject
  /** Of the claim under which it is staged. */
  readonly attempt: number
  readonly goesOn: () => Promise<boolean>
}

/** Above the largest document of one import, counted after decompression. */
const MOST_BYTES = 64 * 1024 ** 3

export type Staging =
  | { readonly outcome: 'staged'; readonly notes: readonly string[] }
  | { readonly outcome: 'refused'; readonly error: JobError }
  | { readonly outcome: 'stopped' }

/**
 * Stages the document of an object, from its beginning, in constant memory. Deletes the batches of an earlier
 * attempt first.
 */
export function stageObject({ staged, sealer }: Dependencies) {
  return async (job: Job, { object, attempt, goesOn }: StoredDocument): Promise<Staging> => {
    if (!(await staged.clear(job.id, attempt))) return { outcome: 'stopped' }
    const stager = createStager(job.id, { staged, sealer })
    const reader = new DocumentReader(stager.sink)
    try {
      const content = await object.read({ limitBytes: MOST_BYTES })
      for await (const chunk of content.bytes) {
        reader.write(chunk)
        await stager.flush()
        if (!(await goesOn())) return { outcome: 'stopped' }
      }
      const { intact, meta } = reader.end()
      if (intact === false && job.request.ignoreChecksum !== true) {
        const rule =
          'meta.sha256 does not fit: the document was changed after it was written; ignore_checksum imports it all the same'
        return { outcome: 'refused', error: unreadableDocument(rule) }
      }
      const notes = await stager.finish()
      if (stager.problems.length > 0) return { outcome: 'refused', error: invalidDocument(stager.problems) }
      return { outcome: 'staged', notes: meta === undefined ? [...notes, NO_META] : notes }
    } catch (error) {
      if (error instanceof DocumentError)
        return { outcome: 'refused', error: unreadableDocument(error.message) }
      if (error instanceof TooManyProblems)
        return { outcome: 'refused', error: invalidDocument(stager.problems) }
      throw error
    } finally {
      await stager.settled()
    }
  }
}
