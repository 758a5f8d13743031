import { execFile } from 'node:child_process'
import { chown, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { startPostgres } from '@signet/dev-stack/databases/postgres'
import type { Secret } from '@signet/platform/config/settings-fields'
import pg from 'pg'
import { temporaryFolder } from './temporary-folder.ts'

export interface ServerWithSmallDisk {
  /** Connects as superuser. */
  readonly url: Secret
  stop(): Promise<void>
}

const run = promisify(execFile)

/**
 * Starts a PostgreSQL whose tablespace `small` lies on a tmpfs of this many mebibytes. Mounting it takes the rights of
 * root; rejects without them.
 */
export async function startServerWithSmallDisk(mebibytes: number): Promise<ServerWithSmallDisk> {
  const opened = new AsyncDisposableStack()
  const disk = await temporaryFolder('small-disk')
  opened.defer(() => rm(disk, { recursive: true, force: true }))
  await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', disk])
  opened.defer(async () => void (await run('umount', [disk])))
  const folder = await temporaryFolder('small-disk-server')
  const server = await startPostgres({ dataDirectory: folder, durable: false })
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  opened.defer(() => server.discard())
  const client = new pg.Client({ connectionString: server.url.reveal() })
  await client.connect()
  const { rows } = await client.query(`SELECT current_setting('data_directory') AS path`)
  const { stdout } = await run('stat', ['--format', '%u %g', rows[0].path])
  const [uid = 0, gid = 0] = stdout.trim().split(' ').map(Number)
  await chown(disk, uid, gid)
  await client.query(`CREATE TABLESPACE small LOCATION '${disk}'`)
  await client.end()
  return { url: server.url, stop: () => opened.disposeAsync() }
}
