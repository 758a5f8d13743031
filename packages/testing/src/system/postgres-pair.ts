import { execFile } from 'node:child_process'
import { appendFile, copyFile, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startPostgres } from '@signet/dev-stack/databases/postgres'
import { vi } from 'vitest'
import { withClient } from '../database-names.ts'
import { startTcpRelay } from '../tcp-relay.ts'
import { createDataDirectory } from './installation.ts'

const execute = promisify(execFile)

/** Quotes a value for a file of settings of PostgreSQL. */
const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`

/**
 * Starts a primary of PostgreSQL and a standby that each commit waits for, behind one address that leads to the primary. After
 * `failOver` it leads to what was the standby.
 */
export async function startPostgresPair() {
  const [first, second] = await Promise.all([createDataDirectory(), createDataDirectory()])
  for (const data of [first, second]) await (await startPostgres({ dataDirectory: data.path })).stop()
  const [cluster, copy] = await Promise.all([first.cluster(), second.cluster()])
  await rm(copy, { recursive: true })
  // With owners and times, which PostgreSQL insists on.
  await execute('cp', ['-a', cluster, copy])
  await copyFile(join(first.path, 'postgres-password'), join(second.path, 'postgres-password'))

  const primary = await startPostgres({ dataDirectory: first.path })
  const { hostname, port, username, password } = new URL(primary.url.reveal())
  const connection = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`
  await appendFile(join(copy, 'postgresql.auto.conf'), `primary_conninfo = ${quoted(connection)}\n`)
  await execute('cp', ['-a', join(copy, 'PG_VERSION'), join(copy, 'standby.signal')])
  const standby = await startPostgres({ dataDirectory: second.path })
  await withClient(primary.url.reveal(), async (client) => {
    await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
    await client.query('SELECT pg_reload_conf()')
    const isSynchronous = async () =>
      (await client.query("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'")).rowCount === 1
    await vi.waitUntil(isSynchronous, { timeout: 20_000, interval: 20 })
  })

  const relay = await startTcpRelay(primary.url)
  return {
    url: relay.through(primary.url),
    /** Kills the primary. Connections are cut, and new ones refused. */
    async killPrimary(): Promise<void> {
      const [pid] = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')
      process.kill(Number(pid), 'SIGKILL')
      relay.lead(undefined)
    },
    /** Promotes the standby and leads the address to it. */
    async promoteStandby(): Promise<void> {
      await withClient(standby.url.reveal(), (client) => client.query('SELECT pg_promote()'))
      relay.lead(standby.url)
    },
    async stop(): Promise<void> {
      await relay.stop()
      await Promise.all([primary.stop(), standby.stop()])
      await Promise.all([first.remove(), second.remove()])
    },
  }
}
