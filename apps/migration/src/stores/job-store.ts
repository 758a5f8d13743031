import type { Database } from '@signet/platform/postgres/pool'
import type { JobStore } from '../runs/job-store.ts'
import { postgresJobEndings } from './job-endings.ts'
import { postgresJobRecords } from './job-records.ts'
import { postgresJobRuns } from './job-runs.ts'

/** A worker that was not heard of for `stallSeconds` is gone. */
export function postgresJobStore(database: Database, stallSeconds: number): JobStore {
  const endings = postgresJobEndings(database, stallSeconds)
  const runs = postgresJobRuns(database, { stallSeconds, settle: endings.settle })
  return { ...postgresJobRecords(database), ...runs, ...endings }
}
