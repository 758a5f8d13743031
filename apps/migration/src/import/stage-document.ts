import { promisify } from 'node:util'
import { zstdCompress, zstdCompressSync } from 'node:zlib'
import { type DocumentSink, problemsOf } from '@signet/file-formats/export/document-sink'
import type { RecordOf } from '@signet/file-formats/export/lists'
import { problemText } from '@signet/file-formats/export/record-check'
import { createCredentialCounter } from '../jobs/credential-counts.ts'
import type { ImportRequest, JobError } from '../jobs/job.ts'
import type { NewBatch, StagedBatchRepository } from '../jobs/staged-batch.ts'
import type { StagedSealer } from '../sealing.ts'
import { BatchCollector, type CollectedBatches, STORED_BATCHES } from './batch-collector.ts'
import { invalidDocument, type StagedProblem } from './document-problems.ts'
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
export function createStager(jobId: string, dependencies: StagerDependencies) {
  const { staged, rejected, sealer } = dependencies
  const collector = new BatchCollector()
  const rejectTasks: (() => Promise<void>)[] = []
  const problems: StagedProblem[] = []
  const dropped = new Map<string, number>()
  const rejects = createRejectCollector(jobId, { rejected, sealer }, (task) => rejectTasks.push(task))
  const credentials = createCredentialCounter()
  const invalid = { records: 0, credentialsOnly: 0, organizations: 0, problemCount: 0 }
  let storing: Promise<void> = Promise.resolve()

  const sink: DocumentSink = {
    record(organization, list, index, record) {
      collector.append(false, { organization, list, index }, record)
      if (list === 'humanUsers') credentials.add(record as RecordOf<'humanUsers'>)
    },
    organization(organization, header) {
      collector.addHeader(organization, header)
      rejects.addOrganization(organization, JSON.stringify(header))
    },
    invalid(record) {
      invalid.records += 1
      const { organization, list, index, withoutCredentials } = record
      if (list === undefined) invalid.organizations += 1
      else if (withoutCredentials !== undefined && index !== undefined) {
        invalid.credentialsOnly += 1
        // Whether the import asks for it may stand behind the document.
        collector.append(true, { organization, list, index }, withoutCredentials)
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

  async function storeFull(): Promise<void> {
    await storing
    storing = storeAll(jobId, { ...collector.take(), tasks: rejectTasks.splice(0) }, dependencies)
    // The next call tells.
    storing.catch(() => undefined)
  }

  return {
    sink,
    /** Begins to store batches that are full, when those before are stored. Rejects when they are not. */
    async flush(): Promise<void> {
      if (collector.isReady || rejectTasks.length > 0) await storeFull()
    },
    /** Stores what is left; the document is over. */
    async finish(): Promise<StagedDocument> {
      collector.close()
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

/** Stores batches, and runs the tasks that store rejects, in this order. */
async function storeAll(
  jobId: string,
  { organizations, batches, tasks }: CollectedBatches & { readonly tasks: readonly (() => Promise<void>)[] },
  { staged, sealer }: StagerDependencies,
): Promise<void> {
  if (organizations.length > 0) await staged.nameOrganizations(jobId, organizations)
  for (let at = 0; at < batches.length; at += STORED_BATCHES) {
    const chunk: NewBatch[] = []
    for (const { records, ...batch } of batches.slice(at, at + STORED_BATCHES)) {
      const plain = await compressed(Buffer.from(`[${records.join(',')}]`))
      chunk.push({ ...batch, sealed: sealer.seal(plain, batchPlace(jobId, batch.batch)) })
    }
    await staged.add(jobId, chunk)
  }
  for (const task of tasks) await task()
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

export interface StagerDependencies {
  readonly staged: StagedBatchRepository
  readonly rejected: RejectedBatchRepository
  readonly sealer: StagedSealer
}
