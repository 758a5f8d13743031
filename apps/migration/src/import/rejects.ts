import { promisify } from 'node:util'
import { zstdCompress, zstdDecompressSync } from 'node:zlib'
import type { InvalidRecord } from '@signet/file-formats/export/document-sink'
import { ORGANIZATION } from '../jobs/staged-batch.ts'
import type { StagedSealer } from '../sealing.ts'
import type { RejectedBatchRepository, ReportedReject } from './rejected-batch.repository.ts'

const compress = promisify(zstdCompress)

const MOST_RECORDS = 2_000
const BATCH_BYTES = 1_048_576
/** The report names so many records; the rejects document holds all. */
export const MOST_REPORTED = 10_000
/**
 * Limit of the rejects, equal to the largest body of an import, so that the rejects of an upload can be imported
 * again.
 */
const MOST_BYTES = 268_435_456

/** A batch of records that were found invalid after the document was staged has the number of its staged batch behind this. */
export const DUPLICATES_FROM = 1_000_000_000

interface Dependencies {
  readonly rejected: RejectedBatchRepository
  readonly sealer: StagedSealer
}

interface RejectedRecords {
  readonly batch: number
  readonly ordinal: number
  readonly list: string
  readonly texts: readonly string[]
  readonly problems: readonly ReportedReject[]
  readonly recordCount: number
  readonly credentialsOnly: boolean
}

/** The place that rejected records are sealed for. */
export const rejectedPlace = (jobId: string, batch: number): string => `rejected_batch ${jobId} ${batch}`

/** Seals and stores rejected records. Repeating it changes nothing. */
export async function storeRejects(
  jobId: string,
  { rejected, sealer }: Dependencies,
  { texts, ...batch }: RejectedRecords,
): Promise<void> {
  const plain = await compress(Buffer.from(texts.join(',')))
  const sealed = sealer.seal(plain, rejectedPlace(jobId, batch.batch))
  await rejected.add(jobId, { ...batch, sealed })
}

/** The document has more invalid records than are kept; reading stops. */
export class TooManyRejects extends Error {}

interface OpenRejects {
  readonly ordinal: number
  readonly list: string
  readonly texts: string[]
  readonly problems: ReportedReject[]
  bytes: number
}

/**
 * Collects the invalid records of a document into batches and hands over a task for each that is full. Records whose
 * credentials are their only problem have batches of their own.
 */
export function createRejectCollector(
  jobId: string,
  dependencies: Dependencies,
  addTask: (task: () => Promise<void>) => void,
) {
  const open = new Map<boolean, OpenRejects>()
  const rejectedIn = new Set<number>()
  let batches = 0
  let reported = 0
  let bytes = 0

  function close(credentialsOnly: boolean, recordCount?: number): void {
    const batch = open.get(credentialsOnly)
    if (batch === undefined) return
    open.delete(credentialsOnly)
    const { ordinal, list, texts, problems } = batch
    const number = batches
    batches += 1
    const records = {
      ordinal,
      list,
      texts,
      problems,
      recordCount: recordCount ?? texts.length,
      credentialsOnly,
    }
    addTask(() => storeRejects(jobId, dependencies, { ...records, batch: number }))
  }

  function append(credentialsOnly: boolean, ordinal: number, list: string, text: string): OpenRejects {
    const before = open.get(credentialsOnly)
    if (before !== undefined && (before.ordinal !== ordinal || before.list !== list)) close(credentialsOnly)
    const batch = open.get(credentialsOnly) ?? { ordinal, list, texts: [], problems: [], bytes: 0 }
    open.set(credentialsOnly, batch)
    batch.texts.push(text)
    batch.bytes += text.length
    bytes += text.length
    if (bytes > MOST_BYTES) throw new TooManyRejects()
    return batch
  }

  return {
    add({ organization, list, index, id, problems, text, withoutCredentials }: InvalidRecord): void {
      const credentialsOnly = withoutCredentials !== undefined
      rejectedIn.add(organization)
      const batch = append(credentialsOnly, organization, list ?? ORGANIZATION, text)
      if (reported < MOST_REPORTED) {
        reported += 1
        batch.problems.push({
          ...(index !== undefined && { index }),
          ...(id !== undefined && { id }),
          problems,
        })
      }
      if (batch.texts.length >= MOST_RECORDS || batch.bytes >= BATCH_BYTES) close(credentialsOnly)
    },
    /** The fields of a valid organization: its rejected records are imported with them. */
    addOrganization(ordinal: number, header: string): void {
      if (!rejectedIn.delete(ordinal)) return
      close(false)
      append(false, ordinal, ORGANIZATION, header)
      close(false, 0)
    },
    close(): void {
      close(false)
      close(true)
    },
  }
}

/**
 * The rejected records of a job as an export document, in pieces: an organization with its own fields, and in its lists
 * the records as they were written.
 */
export async function* writeRejectsDocument(
  { rejected, sealer }: Dependencies,
  jobId: string,
): AsyncIterable<string> {
  yield '{"orgs":['
  let last: { readonly ordinal: number; readonly list: string } | undefined
  let members = 0
  for await (const { batch, ordinal, list, sealed } of rejected.sealed(jobId)) {
    const text = zstdDecompressSync(sealer.open(sealed, rejectedPlace(jobId, batch))).toString('utf8')
    const isNext = last?.ordinal !== ordinal
    if (!isNext && last?.list === list) {
      // An organization that is given twice has been named.
      if (list !== ORGANIZATION) yield `,${text}`
      continue
    }
    if (last !== undefined && last.list !== ORGANIZATION) yield ']'
    if (isNext) {
      yield last === undefined ? '{' : '},{'
      members = 0
    }
    if (members > 0) yield ','
    // The fields are those of the organization itself.
    yield list === ORGANIZATION ? text.slice(1, -1) : `${JSON.stringify(list)}:[${text}`
    members += list === ORGANIZATION && text === '{}' ? 0 : 1
    last = { ordinal, list }
  }
  if (last !== undefined) yield last.list === ORGANIZATION ? '}' : ']}'
  yield ']}\n'
}
