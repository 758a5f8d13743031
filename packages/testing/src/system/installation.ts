import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { relocationOf, removeDataDirectory } from '@signet/dev-stack/databases/data-directory'
import type pg from 'pg'
import { withClient } from '../database-names.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** A bootstrap document where a process can read it. */
export async function writeBootstrapFile(document: unknown) {
  const folder = await mkdtemp(join(tmpdir(), 'signet-bootstrap-'))
  const path = join(folder, 'bootstrap.json')
  const write = (content: unknown) => writeFile(path, JSON.stringify(content, null, 2))
  await write(document)
  return { path, write, remove: () => rm(folder, { recursive: true, force: true }) }
}

export type BootstrapFile = Awaited<ReturnType<typeof writeBootstrapFile>>

/** The data of an installation between starts, and access to its database that no service has. */
export interface DataDirectory {
  readonly path: string
  /** The folder of the PostgreSQL cluster. */
  cluster(): Promise<string>
  /** Runs one statement on the database of the running services as superuser. */
  sql<R extends pg.QueryResultRow>(text: string): Promise<readonly R[]>
  remove(): Promise<void>
}

export async function createDataDirectory(): Promise<DataDirectory> {
  const path = await temporaryFolder('data')
  const cluster = async () => join((await relocationOf(path)) ?? path, 'postgres')
  return {
    path,
    cluster,
    async sql<R extends pg.QueryResultRow>(text: string) {
      const port = (await readFile(join(await cluster(), 'postmaster.pid'), 'utf8')).split('\n')[3]
      const password = (await readFile(join(path, 'postgres-password'), 'utf8')).trim()
      const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`
      return withClient(url, async (client) => (await client.query<R>(text)).rows)
    },
    remove: () => removeDataDirectory(path),
  }
}
