import { zstdDecompressSync } from 'node:zlib'
import type { ClaimedBatch, StagedBatchRepository } from '../jobs/staged-batch.ts'
import { ORGANIZATION } from '../jobs/staged-batch.ts'
import type { StagedSealer } from '../sealing.ts'
import { GIVEN_TWICE } from './document-problems.ts'
import type { RejectedBatchRepository } from './rejected-batch.repository.ts'
import { DUPLICATES_FROM, MOST_REPORTED, storeRejects } from './rejects.ts'
import { batchPlace } from './stage-document.ts'

interface Dependencies {
  readonly staged: Pick<StagedBatchRepository, 'batchesWithDuplicates'>
  readonly rejected: RejectedBatchRepository
  readonly sealer: StagedSealer
}

/**
 * Stores the records of a job that share what must be unique with an earlier one, and the fields of their organizations. Returns
 * how many there are. It may be repeated.
 */
export async function rejectDuplicates(jobId: string, { staged, rejected, sealer }: Dependencies) {
  const count = { organizations: 0, records: 0 }
  for await (const { batch, ordinal, list, leftOut, ...found } of staged.batchesWithDuplicates(jobId)) {
    const text = openRecords(sealer, jobId, { batch, sealed: found.sealed }).toString('utf8')
    const all = JSON.parse(text) as readonly unknown[]
    const problems = leftOut.slice(0, Math.max(0, MOST_REPORTED - count.records)).map((at) => ({
      index: found.indexes?.[at] ?? found.firstIndex + at,
      id: found.ids[at] ?? '',
      problems: [{ field: '', rule: GIVEN_TWICE }],
    }))
    count.records += leftOut.length
    if (list === ORGANIZATION) count.organizations += leftOut.length
    const records = list === ORGANIZATION ? all : leftOut.map((at) => all[at])
    const texts = records.map((record) => JSON.stringify(record))
    const place = { batch: DUPLICATES_FROM + batch, ordinal, list }
    const rejects = { ...place, texts, problems, recordCount: leftOut.length, credentialsOnly: false }
    await storeRejects(jobId, { rejected, sealer }, rejects)
  }
  return count
}

/** The records of a staged batch as a JSON list. Throws when they are deleted. */
export function openRecords(
  sealer: StagedSealer,
  jobId: string,
  { batch, sealed }: Pick<ClaimedBatch, 'batch' | 'sealed'>,
): Buffer {
  if (sealed === null) throw new Error(`the records of batch ${batch} of ${jobId} are deleted`)
  return zstdDecompressSync(sealer.open(sealed, batchPlace(jobId, batch)))
}
