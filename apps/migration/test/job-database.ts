import type { Attempt } from '@signet/admin-api/audit/audit-recorder'
import { createPool, type Database } from '@signet/platform/postgres/pool'
import { createTestDatabase } from '@signet/testing/postgres-fixture'
import { afterAll, beforeAll } from 'vitest'
import { PostgresStagedBatchRepository } from '../src/import/staged-batch.repository.ts'
import { DispatchRepository } from '../src/jobs/dispatch.repository.ts'
import { createJobRepository } from '../src/jobs/job.repository.ts'
import type { JobRepository } from '../src/jobs/job.ts'
import { migrations } from '../src/migrations.ts'

export const STALL_SECONDS = 60
export const LIMITS = { stallSeconds: STALL_SECONDS, jobRetentionDays: 30 } as const

/** A database of jobs, as their service connects to it. */
export async function openJobDatabase(): Promise<{ readonly database: Database; close(): Promise<void> }> {
  const server = await createTestDatabase({ migrations: [migrations] })
  const database = createPool({ url: server.url('signet_migration'), applicationName: 'test', max: 4 })
  return {
    database,
    async close() {
      await database.close()
      await server.drop()
    },
  }
}

export let database: Database
export let jobs: JobRepository
export let dispatch: DispatchRepository
export let staged: PostgresStagedBatchRepository

/** Opens a database of jobs, with its repositories, for the tests of the calling file. */
export function serveJobDatabase(): void {
  let opened: Awaited<ReturnType<typeof openJobDatabase>> | undefined
  beforeAll(async () => {
    opened = await openJobDatabase()
    database = opened.database
    jobs = createJobRepository(database, STALL_SECONDS)
    dispatch = new DispatchRepository(database, LIMITS)
    staged = new PostgresStagedBatchRepository(database, STALL_SECONDS)
  })
  afterAll(() => opened?.close())
}

/** An attempt of the fixture user alice. */
export const aliceTries = (action: string): Attempt => ({
  caller: { userId: 'alice', kind: 'human', organizationId: 'acme', tokenId: 'token', roles: [] },
  clientAddress: '127.0.0.1',
  action,
  target: { kind: 'job' },
})
