import { chown, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startPostgres } from '@signet/dev-stack/databases/postgres'
import type { Secret } from '@signet/platform/config/settings-fields'
import { temporaryFolder } from './temporary-folder.ts'

export interface ServerInRecovery {
  /** Connects as superuser. */
  readonly url: Secret
  stop(): Promise<void>
}

/** Starts a PostgreSQL that waits for WAL and accepts connections meanwhile, as a standby does; `pg_promote()` ends that. */
export async function startServerInRecovery(): Promise<ServerInRecovery> {
  const folder = await temporaryFolder('standby')
  const options = { dataDirectory: folder, durable: false }
  await (await startPostgres(options)).stop()
  const location = await readFile(join(folder, 'postgres-location'), 'utf8').catch(() => folder)
  const cluster = join(location.trim(), 'postgres')
  const signal = join(cluster, 'standby.signal')
  const { uid, gid } = await stat(cluster)
  await writeFile(signal, '')
  await chown(signal, uid, gid)
  const postgres = await startPostgres(options)
  return {
    url: postgres.url,
    async stop() {
      await postgres.discard()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
