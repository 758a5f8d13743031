import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What the suite keeps between starts, and a way into its database that no service has. */
export interface DataDirectory {
  readonly path: string
  /** Connects the superuser to the database of the running suite. */
  superuserUrl(): Promise<string>
  remove(): Promise<void>
}

export async function createDataDirectory(): Promise<DataDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'signet-e2e-'))
  // Root's PostgreSQL may live elsewhere; a file says where.
  const relocation = async () =>
    (await readFile(join(path, 'postgres-location'), 'utf8').catch(() => '')).trim()
  return {
    path,
    async superuserUrl() {
      const cluster = join((await relocation()) || path, 'postgres')
      const port = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[3]
      const password = (await readFile(join(path, 'postgres-password'), 'utf8')).trim()
      return `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`
    },
    async remove() {
      const elsewhere = await relocation()
      for (const folder of [elsewhere, path].filter((folder) => folder !== '')) {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}
