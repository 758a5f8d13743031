import { execFile } from 'node:child_process'
import { appendFile, chown, mkdir, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type GuardedProcess, spawnGuarded } from '@signet/dev-stack/databases/guarded-process'
import { postgresSystemUser } from '@signet/dev-stack/databases/postgres-location'
import { Secret } from '@signet/platform/config/settings-fields'
import { vi } from 'vitest'
import { freePort } from '../free-port.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const execute = promisify(execFile)

/** A server of the PostgreSQL that is installed on this machine, whose programs a drill runs as an operator does. */
export interface NativePostgres {
  /** Connects the superuser to the database `signet`. */
  readonly url: Secret
  /** Runs a program of the installation (`pg_dump`, `psql` …) against this server, and returns its standard output. */
  run(program: string, ...args: readonly string[]): Promise<string>
  /** Copies the server with `pg_basebackup` and starts the copy as its standby. */
  standby(): Promise<NativePostgres>
  /** Makes a base backup; later WAL is archived. */
  baseBackup(): Promise<BaseBackup>
  /** Ends the server like a power cut. */
  kill(): Promise<void>
  /** Ends the server in order, which archives what it has written; its folders stay. */
  halt(): Promise<void>
  stop(): Promise<void>
}

export interface BaseBackup {
  /** Starts a server from the backup and the archive as they were at a moment, such as `2026-11-23 10:00:00+00`. */
  restoreTo(time: string): Promise<NativePostgres>
}

/** Makes a cluster with an empty database `signet`. Rejects where `initdb` and `pg_basebackup` are not installed. */
export async function startNativePostgres(): Promise<NativePostgres> {
  const cluster = await emptyFolder()
  await tool('initdb', '--pgdata', cluster, '--username=postgres', '--auth=trust', '--no-sync')
  const archive = join(dirname(cluster), 'archive')
  await ownFolder(archive)
  const server = await serve(cluster, {
    archive_mode: 'on',
    archive_command: `cp %p ${archive}/%f`,
    restore_command: `cp ${archive}/%f %p`,
  })
  await server.run('createdb', 'signet')
  return server
}

const baseBackupTo = (folder: string) =>
  ['pg_basebackup', '--pgdata', folder, '--wal-method=stream', '--checkpoint=fast'] as const

type Settings = Readonly<Record<string, string | number>>

async function serve(cluster: string, more: Settings = {}): Promise<NativePostgres> {
  const port = await freePort()
  const settings: Settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    ...more,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  await appendFile(join(cluster, 'postgresql.auto.conf'), lines.join(''))
  const process_ = await launch(cluster)
  const connection = ['--host=127.0.0.1', `--port=${port}`, '--username=postgres']
  const run = async (program: string, ...args: readonly string[]) => tool(program, ...connection, ...args)
  await vi.waitFor(() => run('pg_isready'), { timeout: 30_000, interval: 100 })
  return {
    url: new Secret(`postgresql://postgres:trusted@127.0.0.1:${port}/signet`),
    run,
    async standby() {
      const copy = await emptyFolder()
      await run(...baseBackupTo(copy), '--write-recovery-conf')
      return serve(copy)
    },
    async baseBackup() {
      const copy = await emptyFolder()
      await run(...baseBackupTo(copy))
      return {
        async restoreTo(time) {
          await writeFile(join(copy, 'recovery.signal'), '')
          return serve(copy, { recovery_target_time: time, recovery_target_action: 'promote' })
        },
      }
    },
    async kill() {
      process.kill(process_.pid, 'SIGQUIT')
      await process_.stop()
    },
    halt: () => process_.stop(),
    async stop() {
      await process_.stop()
      await rm(dirname(cluster), { recursive: true, force: true })
    },
  }
}

async function launch(cluster: string): Promise<GuardedProcess> {
  const runAs = await postgresSystemUser()
  return spawnGuarded({
    command: await pathOf('postgres'),
    args: ['-D', cluster],
    stopSignal: 'SIGINT',
    logFile: join(dirname(cluster), 'postgres.log'),
    workingDirectory: '/',
    ...(runAs && { runAs }),
  })
}

/** Owned by the user that PostgreSQL runs as, because it refuses root. */
async function emptyFolder(): Promise<string> {
  const parent = await temporaryFolder('native-postgres')
  const folder = join(parent, 'data')
  await ownFolder(folder)
  return folder
}

async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  const runAs = await postgresSystemUser()
  if (runAs) await chown(folder, runAs.uid, runAs.gid)
}

/** Runs a program as the user that PostgreSQL runs as. */
async function tool(program: string, ...args: readonly string[]): Promise<string> {
  const runAs = await postgresSystemUser()
  const { stdout } = await execute(await pathOf(program), [...args], {
    cwd: '/',
    maxBuffer: 2 ** 28,
    ...(runAs ?? {}),
  })
  return stdout
}

/** Debian links some of the programs alone into the path. */
async function pathOf(program: string): Promise<string> {
  const { stdout } = await execute('sh', [
    '-c',
    'command -v initdb || ls /usr/lib/postgresql/*/bin/initdb | tail -1',
  ])
  return join(dirname(await realpath(stdout.trim())), program)
}
