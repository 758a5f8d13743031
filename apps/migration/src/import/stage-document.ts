import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { DocumentReader, type DocumentSink } from '@signet/file-formats/export/document-reader'
import { type ListName, shapeOf } from '@signet/file-formats/export/lists'
import type { OrganizationHeader } from '@signet/file-formats/export/organization-header'
import { problemText } from '@signet/file-formats/export/record-check'
import { UnexpectedJsonError } from '@signet/file-formats/json-stream/json-values'
import type { Job, JobError } from '../jobs/job.ts'
import type { StagedSealer } from '../sealing.ts'
import type { StoredObject } from '../storage/stored-object.ts'
import { invalidDocument, type StagedProblem, unreadableDocument } from './document-problems.ts'
import type { NewBatch, StagedBatchRepository } from './staged-batch-repository.ts'

const compress = promisify(zstdCompress)

/** The list under which what an organization says of itself is staged. */
export const ORGANIZATION = 'organization'

/**
 * Each batch plans its statements again and waits for the disk: with 500 records an import takes a quarter
 * longer.
 */
const MOST_RECORDS = 2_000
/** A batch is one call of the directory, which has a deadline. */
const MOST_SLOW_RECORDS = 500
const BATCH_BYTES = 1_048_576
/** Enough problems to report; the rest of the document is not read. */
const MOST_PROBLEMS = 100
const MOST_DROPPED = 50

/** A note of every import of a document that another product wrote. */
export const NO_META =
  'the document has no meta member: it was not written by Signet, and nothing tells whether it is whole'

interface OpenBatch {
  readonly organization: number
  readonly list: ListName
  readonly firstIndex: number
  readonly records: string[]
  readonly ids: string[]
  readonly entries: unknown[]
  readonly unique: { key: string; at: number }[]
  bytes: number
  slowRecords: number
}

/** The place that a batch is sealed for. */
export const batchPlace = (jobId: string, batch: number): string => `staged_batch ${jobId} ${batch}`

/**
 * Collects the records of a document into batches of at most 2,000 records and about 1 MiB, and stores them when asked:
 * the batches that one piece of the document filled are stored while the next ones fill.
 */
export function createStager(
  jobId: string,
  { staged, sealer }: { staged: StagedBatchRepository; sealer: StagedSealer },
) {
  const full: (() => Promise<void>)[] = []
  const problems: StagedProblem[] = []
  const dropped = new Map<string, number>()
  let open: OpenBatch | undefined
  let batches = 0
  let storing: Promise<void> = Promise.resolve()

  const sink: DocumentSink = {
    record(organization, list, index, record) {
      if (open === undefined || open.list !== list || open.organization !== organization) close()
      open ??= emptyBatch(organization, list, index)
      const batch = open
      const shape = shapeOf(list)
      const text = JSON.stringify(record)
      batch.bytes += text.length
      for (const key of shape.unique?.(record) ?? []) batch.unique.push({ key, at: batch.records.length })
      batch.records.push(text)
      batch.ids.push(shape.id(record))
      if (shape.entry !== undefined) batch.entries.push(shape.entry(record))
      if (shape.isSlow?.(record)) batch.slowRecords += 1
      if (isFull(batch)) close()
    },
    organization(organization, header) {
      close()
      stageHeader(organization, header)
    },
    problem(problem) {
      problems.push({ text: problemText(problem), problem })
      if (problems.length >= MOST_PROBLEMS) throw new TooManyProblems()
    },
    dropped(name) {
      if (dropped.has(name) || dropped.size < MOST_DROPPED) dropped.set(name, (dropped.get(name) ?? 0) + 1)
    },
  }

  function close(): void {
    if (open === undefined) return
    const { organization, list, firstIndex, records, ids, entries, unique } = open
    open = undefined
    const { stage } = shapeOf(list)
    store({
      stage,
      ordinal: organization,
      list,
      firstIndex,
      ids,
      unique,
      records,
      entries: entries.length > 0 ? entries : undefined,
    })
  }

  function stageHeader(organization: number, header: OrganizationHeader): void {
    const { orgId } = header
    full.push(() => staged.nameOrganization(jobId, organization, orgId))
    const unique = [{ key: `organization/${orgId}`, at: 0 }]
    const domains = (header.domains ?? []).map(({ domainName }) => domainName)
    store({
      stage: 0,
      ordinal: organization,
      list: ORGANIZATION,
      firstIndex: organization,
      ids: [orgId],
      unique: [...unique, ...domains.map((domain) => ({ key: `@/domain/${domain}`, at: 0 }))],
      records: [JSON.stringify(header)],
      entries: [{ orgId, domains }],
    })
  }

  function store({
    records,
    ...batch
  }: Omit<NewBatch, 'batch' | 'sealed'> & { records: readonly string[] }): void {
    const number = batches
    batches += 1
    full.push(async () => {
      // On another thread: this one reads on.
      const plain = await compress(Buffer.from(`[${records.join(',')}]`))
      const sealed = sealer.seal(plain, batchPlace(jobId, number))
      await staged.add(jobId, { ...batch, batch: number, sealed })
    })
  }

  async function storeAll(tasks: readonly (() => Promise<void>)[]): Promise<void> {
    for (const task of tasks) await task()
  }

  return {
    sink,
    problems: problems as readonly StagedProblem[],
    /** Begins to store the batches that are full, when those before are stored. Rejects when they are not. */
    async flush(): Promise<void> {
      if (full.length === 0) return
      await storing
      storing = storeAll(full.splice(0))
      // The next call tells.
      storing.catch(() => undefined)
    },
    /** Stores what is left; the document is over. */
    async finish(): Promise<readonly string[]> {
      close()
      await this.flush()
      await storing
      return [...dropped].map(
        ([name, times]) => `the member ${shown(name)} is not part of the format: left out ${times} times`,
      )
    },
    /**
     * Resolves when no store is in progress, whether the last one succeeded or failed; for a caller that
     * gives up.
     */
    async settled(): Promise<void> {
      await storing.catch(() => undefined)
    },
  }
}

/** The document has too many problems to report; reading stops. */
export class TooManyProblems extends Error {}

const shown = (name: string): string => (/^\w{1,60}$/.test(name) ? name : '(unprintable)')

function emptyBatch(organization: number, list: ListName, firstIndex: number): OpenBatch {
  const parts = { records: [], ids: [], entries: [], unique: [] }
  return { organization, list, firstIndex, ...parts, bytes: 0, slowRecords: 0 }
}

function isFull({ records, slowRecords, bytes }: OpenBatch): boolean {
  return records.length >= MOST_RECORDS || slowRecords >= MOST_SLOW_RECORDS || bytes >= BATCH_BYTES
}

interface Dependencies {
  readonly staged: StagedBatchRepository
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
export function createStageObject({ staged, sealer }: Dependencies) {
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
      if (error instanceof UnexpectedJsonError)
        return { outcome: 'refused', error: unreadableDocument(error.message) }
      if (error instanceof TooManyProblems)
        return { outcome: 'refused', error: invalidDocument(stager.problems) }
      throw error
    } finally {
      await stager.settled()
    }
  }
}
