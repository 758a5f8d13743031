import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, rename, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { relocationOf } from '@signet/dev-stack/databases/data-directory'
import { startPostgres } from '@signet/dev-stack/databases/postgres'
import { openInstallation } from '@signet/dev-stack/installation/installation'
import { migrate } from '@signet/platform/postgres/migrate'
import { createPool } from '@signet/platform/postgres/pool'
import { provisionRoles } from '@signet/platform/postgres/roles'
import { inject } from 'vitest'
import { MIGRATIONS } from '../../../../apps/standalone/src/suite-migrations.ts'
import { withClient } from '../database-names.ts'
import { contentHash } from '../postgres-fixture.ts'
import { preparedDataFolder } from '../temporary-folder.ts'
import { createDataDirectory, type DataDirectory } from './installation.ts'

const execute = promisify(execFile)
/** Lock under which one data directory is prepared at a time. */
const PREPARED_DATA_LOCK = 7_331_101

/**
 * An installation whose database has every migration and no data: a copy of one that the first caller of a run makes. It
 * saves a start the making of a cluster and all migrations. Tests of first starts use `createDataDirectory`.
 */
export async function createPreparedDataDirectory(): Promise<DataDirectory> {
  const prepared = preparedDataFolder(inject('runId'), await contentHash({ migrations: MIGRATIONS }))
  await withClient(inject('postgresUrl'), async (client) => {
    // The lock ends with the connection.
    await client.query('SELECT pg_advisory_lock($1)', [PREPARED_DATA_LOCK])
    if (!existsSync(prepared)) await prepareData(prepared)
  })
  const data = await createDataDirectory()
  // Where the system user of PostgreSQL cannot enter temporary folders, the cluster lives elsewhere, under another name.
  if ((await relocationOf(prepared)) === undefined) await execute('cp', ['-a', `${prepared}/.`, data.path])
  return data
}

async function prepareData(folder: string): Promise<void> {
  const unfinished = `${folder}.new`
  await rm(unfinished, { recursive: true, force: true })
  const { rolePasswords } = await openInstallation(unfinished, randomBytes)
  // For the system user of PostgreSQL, as root: it copies its binaries and works on the disk when it cannot enter.
  await chmod(unfinished, 0o755)
  const server = await startPostgres({ dataDirectory: unfinished, durable: false })
  try {
    const database = createPool({ url: server.url, applicationName: 'test', max: 1, kind: 'long' })
    try {
      await provisionRoles(database, rolePasswords)
      for (const part of MIGRATIONS) await migrate(database, part)
    } finally {
      await database.close()
    }
  } finally {
    await server.stop()
  }
  await rename(unfinished, folder)
}
