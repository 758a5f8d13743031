import { randomBytes } from 'node:crypto'
import type { Secret } from '@signet/platform/config/settings-fields'
import type { Migrations } from '@signet/platform/postgres/migrate'
import type { DatabaseRole } from '@signet/platform/postgres/roles'
import { inject } from 'vitest'
import { databaseName, withClient } from './database-names.ts'
import { databaseUrl, rolePassword, templateDatabase } from './postgres-template.ts'
import './provided-context.ts'

export interface TestDatabase {
  /** Connects as superuser. */
  readonly adminUrl: Secret
  /** Connects as the role of one service, with that service's rights only. */
  url(role: DatabaseRole): Secret
  /** Ends all connections and removes the database. */
  drop(): Promise<void>
}

/**
 * A database of its own with every service role and the given migrations applied in their order; a copy of a
 * template that is made once for the run, so asking for it takes about a tenth of a second.
 */
export async function createTestDatabase({
  migrations,
}: {
  readonly migrations: readonly Migrations[]
}): Promise<TestDatabase> {
  const postgresUrl = inject('postgresUrl')
  const runId = inject('runId')
  const name = databaseName.test(runId, randomBytes(6).toString('hex'))
  await withClient(postgresUrl, async (admin) => {
    const template = await templateDatabase(admin, postgresUrl, runId, migrations)
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  })
  return {
    adminUrl: databaseUrl(postgresUrl, name),
    url: (role) => databaseUrl(postgresUrl, name, { name: role, password: rolePassword(postgresUrl, role) }),
    drop: () =>
      withClient(postgresUrl, async (admin) => {
        await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      }),
  }
}
