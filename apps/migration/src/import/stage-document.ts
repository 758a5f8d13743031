import { promisify } from 'node:util'
import { zstdCompress, zstdCompressSync } from 'node:zlib'
import { type DocumentSink, problemsOf } from '@signet/file-formats/export/document-reader'
import { type ListName, type RecordOf, shapeOf } from '@signet/file-formats/export/lists'
import type { OrganizationHeader } from '@signet/file-formats/export/organization-header'
import { problemText } from '@signet/file-formats/export/record-check'
import { createCredentialCounter } from '../jobs/credential-counts.ts'
import type { ImportRequest, JobError } from '../jobs/job.ts'
import type { NamedOrganization, NewBatch, StagedBatchRepository } from '../jobs/staged-batch.ts'
import { ORGANIZATION } from '../jobs/staged-batch.ts'
import type { StagedSealer } from '../sealing.ts'
import { invalidDocument, type StagedProblem } from './document-problems.ts'
import { emptyBatch, isFull, type OpenBatch, shareOf } from './open-batch.ts'
import type { RejectedBatchRepository } from './rejected-batch.repository.ts'
import { createRejectCollector } from './rejects.ts'

const compress = promisify(zstdCompress)
/** To hand less over to another thread takes longer than to compress it: 0.2 ms instead of 0.03 for 7 kB. */
const SMALL_BYTES = 65_536

async function compressed(plain: Buffer): Promise<Buffer> {
  return plain.length < SMALL_BYTES ? zstdCompressSync(plain) : await compress(plain)
}

/** Limit of the problems in the error of a refused import; its report has more. */
const MOST_PROBLEMS = 100
const MOST_DROPPED = 50

/** A note of every import of a document that another product wrote. */
export const NO_META =
  'the document has no meta member: it was not written by Signet, and nothing tells whether it is whole'

/** Statements that store small batches one by one would take longer than reading the document. */
const STORED_BYTES = 524_288
const STORED_BATCHES = 100

/** The place that a batch is sealed for. */
export const batchPlace = (jobId: string, batch: number): string => `staged_batch ${jobId} ${batch}`

/** The notes and the invalid records of a document that was read to its end. */
export interface StagedDocument {
  readonly notes: readonly string[]
  readonly invalid: {
    /** Every invalid record, also those whose credentials are their only problem. */
    readonly records: number
    readonly credentialsOnly: number
    /** Organizations whose own fields are invalid. */
    readonly organizations: number
    /** The first ones. */
    readonly problems: readonly StagedProblem[]
    readonly problemCount: number
  }
}

/**
 * Collects the records of a document into batches of at most 2,000 records and about 1 MiB, and stores them when asked:
 * the batches that one piece of the document filled are stored while the next ones fill. Stores invalid records apart.
 */
export function createStager(jobId: string, { staged, rejected, sealer }: StagerDependencies) {
  const full: FullBatch[] = []
  const named: NamedOrganization[] = []
  const rejectTasks: (() => Promise<void>)[] = []
  let fullBytes = 0
  const problems: StagedProblem[] = []
  const dropped = new Map<string, number>()
  const rejects = createRejectCollector(jobId, { rejected, sealer }, (task) => rejectTasks.push(task))
  const credentials = createCredentialCounter()
  const invalid = { records: 0, credentialsOnly: 0, organizations: 0, problemCount: 0 }
  const open = new Map<boolean, OpenBatch>()
  let batches = 0
  let storing: Promise<void> = Promise.resolve()

  function append(
    withoutCredentials: boolean,
    { organization, list, index }: { organization: number; list: ListName; index: number },
    record: unknown,
  ): void {
    const before = open.get(withoutCredentials)
    if (before !== undefined && (before.list !== list || before.organization !== organization)) close()
    const batch = open.get(withoutCredentials) ?? emptyBatch(organization, list, withoutCredentials)
    open.set(withoutCredentials, batch)
    const shape = shapeOf(list)
    const text = JSON.stringify(record)
    batch.bytes += text.length
    for (const key of shape.unique?.(record) ?? []) batch.unique.push({ key, at: batch.records.length })
    batch.indexes.push(index)
    batch.records.push(text)
    batch.ids.push(shape.id(record))
    if (shape.entry !== undefined) batch.entries.push(shape.entry(record))
    if (shape.isSlow?.(record)) batch.slowRecords += 1
    if (isFull(batch)) closeOne(withoutCredentials)
  }

  const sink: DocumentSink = {
    record(organization, list, index, record) {
      append(false, { organization, list, index }, record)
      if (list === 'humanUsers') credentials.add(record as RecordOf<'humanUsers'>)
    },
    organization(organization, header) {
      close()
      stageHeader(organization, header)
      rejects.addOrganization(organization, JSON.stringify(header))
    },
    invalid(record) {
      invalid.records += 1
      const { organization, list, index, withoutCredentials } = record
      if (list === undefined) invalid.organizations += 1
      else if (withoutCredentials !== undefined && index !== undefined) {
        invalid.credentialsOnly += 1
        // Whether the import asks for it may stand behind the document.
        append(true, { organization, list, index }, withoutCredentials)
      }
      invalid.problemCount += record.problems.length
      for (const problem of problemsOf(record)) {
        if (problems.length < MOST_PROBLEMS) problems.push({ text: problemText(problem), problem })
      }
      rejects.add(record)
      if (list === 'humanUsers') credentials.addInvalid(record)
    },
    dropped(name) {
      if (dropped.has(name) || dropped.size < MOST_DROPPED) dropped.set(name, (dropped.get(name) ?? 0) + 1)
    },
  }

  function close(): void {
    closeOne(false)
    closeOne(true)
  }

  function closeOne(withoutCredentials: boolean): void {
    const batch = open.get(withoutCredentials)
    if (batch === undefined) return
    open.delete(withoutCredentials)
    const { organization, list, indexes, records, ids, entries, unique } = batch
    const callShare = shareOf(batch)
    const { stage } = shapeOf(list)
    const [firstIndex = 0] = indexes
    const isWhole = indexes.at(-1) === firstIndex + indexes.length - 1
    store({
      stage,
      ordinal: organization,
      list,
      firstIndex,
      indexes: isWhole ? undefined : indexes,
      withoutCredentials,
      callShare,
      ids,
      unique,
      records,
      entries: entries.length > 0 ? entries : undefined,
    })
  }

  function stageHeader(organization: number, header: OrganizationHeader): void {
    const { orgId } = header
    named.push({ ordinal: organization, organizationId: orgId })
    const records = [JSON.stringify(header)]
    const unique = [{ key: `organization/${orgId}`, at: 0 }]
    const domains = (header.domains ?? []).map(({ domainName }) => domainName)
    store({
      stage: 0,
      ordinal: organization,
      list: ORGANIZATION,
      firstIndex: organization,
      indexes: undefined,
      withoutCredentials: false,
      callShare: shareOf({ records, slowRecords: 0, bytes: records[0]?.length ?? 0 }),
      ids: [orgId],
      unique: [...unique, ...domains.map((domain) => ({ key: `@/domain/${domain}`, at: 0 }))],
      records,
      entries: [{ orgId, domains }],
    })
  }

  function store(batch: Omit<FullBatch, 'batch'>): void {
    full.push({ ...batch, batch: batches })
    batches += 1
    for (const record of batch.records) fullBytes += record.length
  }

  async function storeAll({ organizations, tasks, ...taken }: Taken): Promise<void> {
    if (organizations.length > 0) await staged.nameOrganizations(jobId, organizations)
    for (let at = 0; at < taken.batches.length; at += STORED_BATCHES) {
      const chunk: NewBatch[] = []
      for (const { records, ...batch } of taken.batches.slice(at, at + STORED_BATCHES)) {
        const plain = await compressed(Buffer.from(`[${records.join(',')}]`))
        chunk.push({ ...batch, sealed: sealer.seal(plain, batchPlace(jobId, batch.batch)) })
      }
      await staged.add(jobId, chunk)
    }
    for (const task of tasks) await task()
  }

  async function storeFull(): Promise<void> {
    await storing
    fullBytes = 0
    storing = storeAll({
      organizations: named.splice(0),
      batches: full.splice(0),
      tasks: rejectTasks.splice(0),
    })
    // The next call tells.
    storing.catch(() => undefined)
  }

  return {
    sink,
    /** Begins to store batches that are full, when those before are stored. Rejects when they are not. */
    async flush(): Promise<void> {
      if (fullBytes >= STORED_BYTES || full.length >= STORED_BATCHES || rejectTasks.length > 0)
        await storeFull()
    },
    /** Stores what is left; the document is over. */
    async finish(): Promise<StagedDocument> {
      close()
      rejects.close()
      await storeFull()
      await storing
      await staged.storeCredentials(jobId, credentials.counts())
      const notes = [...dropped].map(
        ([name, times]) => `the member ${shown(name)} is not part of the format: left out ${times} times`,
      )
      return { notes, invalid: { ...invalid, problems } }
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

/**
 * Returns the reason why a document with these invalid records is refused; undefined when its other records are
 * imported.
 */
export function invalidRecordsError(
  onInvalid: ImportRequest['onInvalid'],
  { records, credentialsOnly, organizations, problems, problemCount }: StagedDocument['invalid'],
): JobError | undefined {
  if (records === 0 || (onInvalid !== 'fail' && organizations === 0)) return undefined
  return invalidDocument(problems, { problemCount, records, credentialsOnly })
}

/** The notes of an import that leaves invalid records out. */
export function invalidRecordsNotes(
  onInvalid: ImportRequest['onInvalid'],
  { records, credentialsOnly }: StagedDocument['invalid'],
): readonly string[] {
  const imported = onInvalid === 'without_password' ? credentialsOnly : 0
  return [
    ...(imported > 0
      ? [
          `${imported} users are imported without a password hash or OTP secret that is invalid; see the report`,
        ]
      : []),
    ...(records > imported
      ? [`${records - imported} invalid records are left out; see the report and the rejects document`]
      : []),
  ]
}

const shown = (name: string): string => (/^\w{1,60}$/.test(name) ? name : '(unprintable)')

type FullBatch = Omit<NewBatch, 'sealed'> & { readonly records: readonly string[] }

/** Parts of a document that are ready to be stored. */
interface Taken {
  readonly organizations: readonly NamedOrganization[]
  readonly batches: readonly FullBatch[]
  readonly tasks: readonly (() => Promise<void>)[]
}

export interface StagerDependencies {
  readonly staged: StagedBatchRepository
  readonly rejected: RejectedBatchRepository
  readonly sealer: StagedSealer
}
