import { rm } from 'node:fs/promises'
import { startPostgres } from '@signet/dev-stack/databases/postgres'
import type { Secret } from '@signet/platform/config/settings-fields'
import { createPool } from '@signet/platform/postgres/pool'
import { temporaryFolder } from './temporary-folder.ts'

export interface ServerWithoutArchive {
  /** Connects as superuser. */
  readonly url: Secret
  stop(): Promise<void>
}

/** Starts a PostgreSQL that should archive its write-ahead log and whose `archive_command` always fails. */
export async function startServerWithoutArchive(): Promise<ServerWithoutArchive> {
  const folder = await temporaryFolder('archive')
  const options = { dataDirectory: folder, durable: false }
  const first = await startPostgres(options)
  const pool = createPool({ url: first.url, applicationName: 'test', max: 1 })
  for (const setting of ["archive_mode = 'on'", "archive_command = 'false'"]) {
    await pool.query({ name: '', text: `ALTER SYSTEM SET ${setting}` })
  }
  await pool.close()
  await first.stop()
  const postgres = await startPostgres(options)
  return {
    url: postgres.url,
    async stop() {
      await postgres.discard()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
