import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import type { DocumentSink } from '@signet/file-formats/export/document-reader'
import { type ListName, shapeOf } from '@signet/file-formats/export/lists'
import type { OrganizationHeader } from '@signet/file-formats/export/organization-header'
import { problemText, type RecordProblem } from '@signet/file-formats/export/record-check'
import type { StagedSealer } from '../sealing/staged-sealer.ts'
import type { NewBatch, StagedStore } from '../stores/staged-store.ts'

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

export interface StagedProblem {
  readonly text: string
  readonly problem: RecordProblem
}

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
  { staged, sealer }: { staged: StagedStore; sealer: StagedSealer },
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
