import type { ObjectImage } from './changed-fields.ts'

/** Outcome of a record of an import. */
export type RecordOutcome = 'created' | 'updated' | 'skipped' | 'failed'

/** An object before a batch updated it. */
export interface ObjectBefore {
  readonly image: ObjectImage
  /** Seed of the fingerprints of its batch. */
  readonly seed: string
  /** Undefined unless the batch makes or applies a plan; null: there was no such object. */
  readonly fingerprint: string | null | undefined
}

/** A record of a batch, and what became of it. */
export interface BatchRecord {
  /** Number of its batch. */
  readonly batch: number
  /** Index in its batch. */
  readonly index: number
  readonly organizationId: string
  readonly record: unknown
  readonly outcome: RecordOutcome
  /** The object before an update. */
  readonly before: ObjectBefore | undefined
}

/** Records of one list in several batches, one batch after the other. */
export interface Batches {
  readonly batches: readonly {
    readonly batch: number
    readonly organizationId: string
    /** Number of records of the batch. */
    readonly count: number
  }[]
}

export const isWritten = ({ outcome }: Pick<BatchRecord, 'outcome'>): boolean =>
  outcome === 'created' || outcome === 'updated'

/** The letter of each outcome in `directory.applied_batch`, in sealed plans and between services. */
const LETTERS: Readonly<Record<RecordOutcome, string>> = {
  created: 'c',
  updated: 'u',
  skipped: 's',
  failed: 'f',
}
const OUTCOMES = new Map(
  Object.entries(LETTERS).map(([outcome, letter]) => [letter, outcome as RecordOutcome]),
)

/** The outcomes of records, a letter for each. */
export const lettersOf = (records: readonly Pick<BatchRecord, 'outcome'>[]): string =>
  records.map(({ outcome }) => LETTERS[outcome]).join('')

/** The outcome that a letter stands for; undefined for another letter. */
export const outcomeOfLetter = (letter: string): RecordOutcome | undefined => OUTCOMES.get(letter)

/** The batch of each record, and its index there. */
export function placesOf({
  batches,
}: Batches): readonly Pick<BatchRecord, 'batch' | 'index' | 'organizationId'>[] {
  return batches.flatMap(({ batch, organizationId, count }) =>
    Array.from({ length: count }, (_, index) => ({ batch, index, organizationId })),
  )
}

/** Each batch with its records. */
export function recordsByBatch<B extends Batches['batches'][number]>(
  { batches }: { readonly batches: readonly B[] },
  records: readonly BatchRecord[],
): readonly (B & { readonly records: readonly BatchRecord[] })[] {
  let end = 0
  return batches.map((batch) => {
    const from = end
    end += batch.count
    return { ...batch, records: records.slice(from, end) }
  })
}
