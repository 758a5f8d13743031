import type { Attempt } from '@signet/admin-api/audit/audit-recorder'
import { createPool, type Database } from '@signet/platform/postgres/pool'
import { createTestDatabase } from '@signet/testing/postgres-fixture'
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

/** An attempt of the fixture user alice. */
export const aliceTries = (action: string): Attempt => ({
  caller: { userId: 'alice', kind: 'human', organizationId: 'acme', tokenId: 'token', roles: [] },
  clientAddress: '127.0.0.1',
  action,
  target: { kind: 'job' },
})
