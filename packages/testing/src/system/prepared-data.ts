import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, rename, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { relocationOf } from '@signet/dev-stack/databases/data-directory'
import { startPostgres } from '@signet/dev-stack/databases/postgres'
import { openInstallation } from '@signet/dev-stack/installation/installation'
import { Secret } from '@signet/platform/config/settings-fields'
import { migrate } from '@signet/platform/postgres/migrate'
import { createPool, type Pool } from '@signet/platform/postgres/pool'
import { provisionRoles } from '@signet/platform/postgres/roles'
import { inject } from 'vitest'
import { MIGRATIONS } from '../../../../apps/standalone/src/suite-migrations.ts'
import { withClient } from '../database-names.ts'
import { contentHash, databaseUrl } from '../postgres-fixture.ts'
import { configureShortLived } from '../server-settings.ts'
import { preparedDataFolder } from '../temporary-folder.ts'
import { firstStart } from './first-start.ts'
import { createDataDirectory, type DataDirectory } from './installation.ts'

const execute = promisify(execFile)
/** Lock under which one data directory is prepared at a time. */
const PREPARED_DATA_LOCK = 7_331_101

/** Returns the random bytes of which every prepared installation of a run gets the same secrets. */
export function randomOfRun(): (size: number) => Buffer {
  let calls = 0
  return (size) => {
    calls += 1
    return createHmac('sha256', inject('runId')).update(`${calls}`).digest().subarray(0, size)
  }
}

/**
 * An installation whose database has every migration, the partitions of the token service and the first keys: a copy of one
 * that the first caller of a run makes. It saves a start 2 s of CPU. Tests of first starts use `createDataDirectory`.
 */
export async function createPreparedDataDirectory(): Promise<DataDirectory> {
  const now = new Date()
  // The names of the preparations are part of the hash; the keys are sealed under the master key in the folder.
  const contents = { migrations: MIGRATIONS, preparations: firstStart(now, new Secret([])) }
  const prepared = preparedDataFolder(inject('runId'), await contentHash(contents))
  await withClient(inject('postgresUrl'), async (client) => {
    // The lock ends with the connection.
    await client.query('SELECT pg_advisory_lock($1)', [PREPARED_DATA_LOCK])
    if (!existsSync(prepared)) await prepareData(prepared, now)
  })
  const data = await createDataDirectory()
  // Where the system user of PostgreSQL cannot enter temporary folders, the cluster lives elsewhere, under another name.
  if ((await relocationOf(prepared)) === undefined) await execute('cp', ['-a', `${prepared}/.`, data.path])
  return data
}

async function prepareData(folder: string, now: Date): Promise<void> {
  const unfinished = `${folder}.new`
  await rm(unfinished, { recursive: true, force: true })
  const { rolePasswords, keysMasterKeys } = await openInstallation(unfinished, randomOfRun())
  // For the system user of PostgreSQL, as root: it copies its binaries and works on the disk when it cannot enter.
  await chmod(unfinished, 0o755)
  const server = await startPostgres({ dataDirectory: unfinished, durable: false })
  try {
    await connected(server.url, async (database) => {
      await provisionRoles(database, rolePasswords)
      for (const part of MIGRATIONS) await migrate(database, part)
    })
    for (const { role, run } of firstStart(now, keysMasterKeys)) {
      const user = { name: role, password: rolePasswords[role] }
      await connected(databaseUrl(server.url.reveal(), 'postgres', user), run)
    }
    await withClient(server.url.reveal(), configureShortLived)
  } finally {
    await server.stop()
  }
  await rename(unfinished, folder)
}

async function connected(url: Secret, work: (database: Pool) => Promise<void>): Promise<void> {
  const database = createPool({ url, applicationName: 'test', max: 1, kind: 'long' })
  await work(database).finally(() => database.close())
}
