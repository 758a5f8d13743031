import { type BatchRecord, isWritten, lettersOf } from '../undo/batch-record.ts'
import type { AppliedBatch, Batch, PlannedObject } from './batch.ts'
import type { Crossing } from './crossing.ts'
import type { HashedUsers } from './hashed-users.ts'
import type { BatchContext, LeftOut } from './record-writer.ts'

/** A batch whose passwords are hashes; those that break a rule are left out. */
export type CheckedBatch = Batch & Pick<HashedUsers, 'leftOut'>

/** Batches of one list and one job with equal options, whose records are written together. */
export interface BatchGroup {
  readonly jobId: string
  readonly list: string
  readonly onConflict: Batch['onConflict']
  readonly dryRun: boolean
  readonly undoDays: number
  readonly namedOrganizations: readonly string[]
  readonly context: BatchContext
  readonly batches: readonly (Pick<Batch, 'batch' | 'organizationId' | 'plan'> & { readonly count: number })[]
  /** Records of all batches, one batch after the other; indexes count through all of them. */
  readonly records: readonly unknown[]
  /** Parts of the records that break a rule, by the index in the group. */
  readonly leftOut: readonly LeftOut[]
}

/** The outcomes of the records of a group. */
export interface WrittenRecords {
  /** The group with its records under the rules of the directory. */
  readonly group: BatchGroup
  /** The records of all batches in their order, with what became of them. */
  readonly records: readonly BatchRecord[]
  readonly failures: readonly LeftOut[]
  readonly notes: readonly string[]
  readonly crossings: readonly Crossing[]
}

/** Batches as one group. */
export function groupOf(together: readonly CheckedBatch[]): BatchGroup {
  const [first] = together
  if (first === undefined) throw new RangeError('no batch')
  const { jobId, list, onConflict, dryRun, undoDays, namedOrganizations, acceptedAt, domainSuffix } = first
  const organizationIds = together.flatMap(({ organizationId, records }) => records.map(() => organizationId))
  let start = 0
  const leftOut = together.flatMap((batch) => {
    const from = start
    start += batch.records.length
    return batch.leftOut.map((part) => ({ ...part, index: from + part.index }))
  })
  return {
    ...{ jobId, list, onConflict, dryRun, undoDays, namedOrganizations },
    context: { jobId, organizationIds, acceptedAt, domainSuffix },
    batches: together.map(({ batch, organizationId, plan, records }) => ({
      ...{ batch, organizationId, plan },
      count: records.length,
    })),
    records: together.flatMap(({ records }) => records),
    leftOut,
  }
}

/** The outcome of each batch of a group. Its notes are those of the first batch with a record that was written. */
export function outcomesOf(
  together: readonly CheckedBatch[],
  { records, failures, notes, crossings }: WrittenRecords,
): readonly AppliedBatch[] {
  const noted = Math.max(0, records.findIndex(isWritten))
  let start = 0
  return together.map((batch) => {
    const from = start
    start += batch.records.length
    const own = failures.length === 0 ? [] : failuresOf(failures, from, start)
    const outcome = {
      outcomes: lettersOf(records.slice(from, start)),
      failures: own,
      notes: noted >= from && noted < start ? notes : [],
    }
    return { batch, outcome, crossings: crossings.filter(({ index }) => index >= from && index < start) }
  })
}

function failuresOf(failures: readonly LeftOut[], from: number, end: number): readonly LeftOut[] {
  return failures
    .filter(({ index }) => index >= from && index < end)
    .map((failure) => ({ ...failure, index: failure.index - from }))
}

/** Each object once. */
export function placeholdersOf(open: readonly Batch[]): readonly PlannedObject[] {
  const objects = open.flatMap(({ planned }) => planned)
  return [
    ...new Map(objects.map((object) => [`${object.kind} ${object.ownerId} ${object.id}`, object])).values(),
  ]
}
