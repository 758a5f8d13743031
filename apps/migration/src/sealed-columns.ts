import type { SealedColumn } from '@signet/platform/sealing/rewrap'
import { rejectedPlace } from './import/rejects.ts'
import { batchPlace } from './import/stage-document.ts'
import { chunkPlace } from './jobs/document.repository.ts'
import { uploadPlace } from './jobs/job-storage.ts'
import { leftOutPlace } from './jobs/left-out-list.repository.ts'
import { locationPlaces } from './jobs/requested-location.ts'

/** Every column of this service with values under the migration master key; a test compares them with the schema. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'migration.job',
    column: 'sealed_credentials',
    reads: ['job_id'],
    purposes: ({ job_id }) => locationPlaces(String(job_id)),
  },
  {
    table: 'migration.job',
    column: 'sealed_upload',
    reads: ['job_id'],
    purposes: ({ job_id }) => [uploadPlace(String(job_id))],
  },
  {
    table: 'migration.staged_batch',
    column: 'sealed',
    reads: ['job_id', 'batch'],
    purposes: ({ job_id, batch }) => [batchPlace(String(job_id), Number(batch))],
  },
  {
    table: 'migration.rejected_batch',
    column: 'sealed',
    reads: ['job_id', 'batch'],
    purposes: ({ job_id, batch }) => [rejectedPlace(String(job_id), Number(batch))],
  },
  {
    table: 'migration.left_out',
    column: 'sealed',
    reads: ['job_id', 'part'],
    purposes: ({ job_id, part }) => [leftOutPlace(String(job_id), String(part))],
  },
  {
    table: 'migration.document_chunk',
    column: 'sealed',
    reads: ['job_id', 'attempt', 'position'],
    purposes: ({ job_id, attempt, position }) => [
      chunkPlace(String(job_id), Number(attempt), Number(position)),
    ],
  },
]
