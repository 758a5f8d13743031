import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { type EmbeddedPostgres, startPostgres } from '@signet/dev-stack/databases/postgres'
import type { Secret } from '@signet/platform/config/settings-fields'
import { withClient } from '../database-names.ts'
import { startTcpRelay } from '../tcp-relay.ts'
import { createDataDirectory } from './installation.ts'

const execute = promisify(execFile)

/** A real PostgreSQL behind an address that stays the same when the server is stopped and started again. */
export interface RestartablePostgres {
  readonly url: Secret
  /** Stops the server and cuts every connection; who connects meanwhile is refused. */
  halt(): Promise<void>
  /** Starts it again on the same data. */
  resume(): Promise<void>
  /** Both, one after the other. */
  restart(): Promise<void>
  /** Copies the stopped server and starts it again. The copy before is gone. */
  backUp(): Promise<void>
  /** Replaces the server by the copy. */
  restore(): Promise<void>
  /** Starts it again as a standby without a primary, which is in recovery until it is promoted. */
  becomeStandby(): Promise<void>
  /** Replaces the server by the copy, which is promoted as a standby is that lacks every commit since. */
  loseCommits(): Promise<void>
  stop(): Promise<void>
}

/** With owners and times, which PostgreSQL insists on. */
async function cp(from: string, to: string): Promise<void> {
  await execute('cp', ['-a', from, to])
}

export async function startRestartablePostgres(): Promise<RestartablePostgres> {
  const data = await createDataDirectory()
  let server: EmbeddedPostgres | undefined = await startPostgres({ dataDirectory: data.path })
  const relay = await startTcpRelay(server.url)
  const url = relay.through(server.url)
  async function halt(): Promise<void> {
    await server?.stop()
    server = undefined
    relay.lead(undefined)
  }
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
    halt,
    resume,
    async restart() {
      await halt()
      await resume()
    },
    async backUp() {
      await halt()
      const cluster = await data.cluster()
      await rm(`${cluster}.backup`, { recursive: true, force: true })
      await cp(cluster, `${cluster}.backup`)
      await resume()
    },
    async restore() {
      await takeCopy()
      await resume()
    },
    async becomeStandby() {
      await halt()
      relay.lead((await startAsStandby()).url)
    },
    async loseCommits() {
      await takeCopy()
      const { url } = await startAsStandby()
      // Promotion begins another timeline.
      await withClient(url.reveal(), (client) => client.query('SELECT pg_promote()'))
      relay.lead(url)
    },
    async stop() {
      await relay.stop()
      await server?.discard()
      await data.remove()
    },
  }
}
