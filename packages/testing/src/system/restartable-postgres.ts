import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { type EmbeddedPostgres, startPostgres } from '@signet/dev-stack/databases/postgres'
import { withClient } from '../database-names.ts'
import { startTcpRelay } from '../tcp-relay.ts'
import { createDataDirectory, type DataDirectory } from './installation.ts'

const execute = promisify(execFile)

/** Copies a folder with owners and times, which PostgreSQL insists on. */
async function cp(from: string, to: string): Promise<void> {
  await execute('cp', ['-a', from, to])
}

/**
 * A real PostgreSQL behind an address that stays the same when the server is stopped and started again: a new cluster, or that
 * of a directory.
 */
export async function startRestartablePostgres(given?: DataDirectory) {
  const data = given ?? (await createDataDirectory())
  let server: EmbeddedPostgres | undefined = await startPostgres({ dataDirectory: data.path })
  const relay = await startTcpRelay(server.url)
  const url = relay.through(server.url)
  /** Stops the server and cuts every connection; new ones are refused. */
  async function halt(): Promise<void> {
    await server?.stop()
    server = undefined
    relay.lead(undefined)
  }
  /** Starts it again on the same data. */
  async function resume(): Promise<void> {
    server = await startPostgres({ dataDirectory: data.path })
    relay.lead(server.url)
  }
  /** Stops the server and puts the copy in the place of its data. */
  async function takeCopy(): Promise<void> {
    await halt()
    const cluster = await data.cluster()
    await rm(cluster, { recursive: true })
    await cp(`${cluster}.backup`, cluster)
  }
  async function startAsStandby(): Promise<EmbeddedPostgres> {
    const cluster = await data.cluster()
    // PostgreSQL reads only whether the file is there; a copy has the right owner.
    await cp(`${cluster}/PG_VERSION`, `${cluster}/standby.signal`)
    server = await startPostgres({ dataDirectory: data.path })
    return server
  }
  return {
    url,
    /** The folder of the PostgreSQL cluster. */
    cluster: () => data.cluster(),
    halt,
    resume,
    async restart(): Promise<void> {
      await halt()
      await resume()
    },
    /** Copies the stopped server and starts it again. The copy before is gone. */
    async backUp(): Promise<void> {
      await halt()
      const cluster = await data.cluster()
      await rm(`${cluster}.backup`, { recursive: true, force: true })
      await cp(cluster, `${cluster}.backup`)
      await resume()
    },
    /** Replaces the server by the copy. */
    async restore(): Promise<void> {
      await takeCopy()
      await resume()
    },
    /** Starts it again as a standby without a primary, which is in recovery until it is promoted. */
    async becomeStandby(): Promise<void> {
      await halt()
      relay.lead((await startAsStandby()).url)
    },
    /** Replaces the server by the copy, which is promoted as a standby is that lacks every commit since. */
    async loseCommits(): Promise<void> {
      await takeCopy()
      const { url } = await startAsStandby()
      // Promotion begins another timeline.
      await withClient(url.reveal(), (client) => client.query('SELECT pg_promote()'))
      relay.lead(url)
    },
    async stop(): Promise<void> {
      await relay.stop()
      await server?.discard()
      await data.remove()
    },
  }
}

export type RestartablePostgres = Awaited<ReturnType<typeof startRestartablePostgres>>
