import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { relocationOf, removeDataDirectory } from '@signet/dev-stack/databases/data-directory'
import { temporaryFolder } from '../temporary-folder.ts'

/** The data of the suite between starts, and access to its database that no service has. */
export interface DataDirectory {
  readonly path: string
  /** Connects the superuser to the database of the running suite. */
  superuserUrl(): Promise<string>
  /** The folder of the PostgreSQL cluster. */
  cluster(): Promise<string>
  remove(): Promise<void>
}

export async function createDataDirectory(): Promise<DataDirectory> {
  const path = await temporaryFolder('suite')
  const cluster = async () => join((await relocationOf(path)) ?? path, 'postgres')
  return {
    path,
    cluster,
    async superuserUrl() {
      const port = (await readFile(join(await cluster(), 'postmaster.pid'), 'utf8')).split('\n')[3]
      const password = (await readFile(join(path, 'postgres-password'), 'utf8')).trim()
      return `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`
    },
    remove: () => removeDataDirectory(path),
  }
}
