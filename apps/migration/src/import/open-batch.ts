import type { ListName } from '@signet/file-formats/export/lists'
import { WHOLE_CALL } from '../jobs/staged-batch.ts'

/**
 * Each batch plans its statements again and waits for the disk: with 500 records an import takes a quarter
 * longer.
 */
const MOST_RECORDS = 2_000
/** A batch is one call of the directory, which has a deadline. */
const MOST_SLOW_RECORDS = 500
const BATCH_BYTES = 1_048_576
/** A batch that records are still added to. */
export interface OpenBatch {
  readonly organization: number
  readonly list: ListName
  readonly withoutCredentials: boolean
  readonly indexes: number[]
  readonly records: string[]
  readonly ids: string[]
  readonly entries: unknown[]
  readonly unique: { key: string; at: number }[]
  bytes: number
  slowRecords: number
}

export function emptyBatch(organization: number, list: ListName, withoutCredentials: boolean): OpenBatch {
  const parts = { indexes: [], records: [], ids: [], entries: [], unique: [] }
  return { organization, list, withoutCredentials, ...parts, bytes: 0, slowRecords: 0 }
}

type Size = Pick<OpenBatch, 'records' | 'slowRecords' | 'bytes'>

export function isFull({ records, slowRecords, bytes }: Size): boolean {
  return records.length >= MOST_RECORDS || slowRecords >= MOST_SLOW_RECORDS || bytes >= BATCH_BYTES
}

/** How much of one call the batch takes up, in thousandths. */
export function shareOf({ records, slowRecords, bytes }: Size): number {
  const part = Math.max(records.length / MOST_RECORDS, slowRecords / MOST_SLOW_RECORDS, bytes / BATCH_BYTES)
  return Math.min(WHOLE_CALL, Math.ceil(part * WHOLE_CALL))
}
