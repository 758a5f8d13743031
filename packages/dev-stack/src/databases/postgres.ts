import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Secret } from '@signet/platform/config/settings-fields'
import { StartFailure } from '@signet/platform/process/service'
import { claimDirectory } from './directory-claim.ts'
import { freePort } from './free-port.ts'
import { type GuardedProcess, spawnGuarded } from './guarded-process.ts'
import { readPostmasterFile, stopOrphanedPostgres } from './orphaned-process.ts'
import { POSTGRES_MAJOR } from './postgres-binaries.ts'
import { type PostgresLocation, postgresLocation } from './postgres-location.ts'
import { runCommand } from './run-command.ts'
import { passwordFromFile } from './secret-file.ts'

export interface PostgresOptions {
  /** Made when missing. One running process at a time may use it. */
  readonly dataDirectory: string
  /** Whether the database survives a power cut; false is faster, for tests. */
  readonly durable?: boolean
  /** Folder for a database whose data directory the system user cannot enter; see `postgresLocation`. */
  readonly relocationRoot?: string
  /** Called when the server ends without `stop`, for example because the system killed it. */
  readonly onUnexpectedEnd?: (problem: string) => void
}

export interface EmbeddedPostgres {
  /** Connects the superuser to the database `postgres`. */
  readonly url: Secret
  /** Ends all connections and the server; committed data stay for the next start. */
  stop(): Promise<void>
  /** Stops and deletes the database, wherever it lives. */
  discard(): Promise<void>
}

const ATTEMPTS = 5
const START_DEADLINE_MS = 60_000
const POLL_MS = 10

/**
 * Runs a private PostgreSQL on a free port of the loopback interface. A server left over from a killed process
 * is stopped first. Throws StartFailure with the reason, or when another running process owns the data directory.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const dataDirectory = resolve(options.dataDirectory)
  const durable = options.durable ?? true
  await mkdir(dataDirectory, { recursive: true })
  const claim = await claimDirectory(dataDirectory, 'postgres')
  try {
    const location = await postgresLocation(dataDirectory, options.relocationRoot)
    await stopOrphanedPostgres(location.cluster)
    const passwordFile = join(dataDirectory, 'postgres-password')
    const password = await passwordFromFile(passwordFile)
    await ensureCluster(location, password, durable)
    const logFile = join(dataDirectory, 'postgres.log')
    const { server, port } = await launch(location, logFile, durable)
    let stopping = false
    void server.ended.then(() => {
      if (!stopping) options.onUnexpectedEnd?.(`PostgreSQL has ended; its log is ${logFile}`)
    })
    const stop = async (): Promise<void> => {
      stopping = true
      await server.stop()
      await claim.release()
    }
    return {
      url: new Secret(`postgresql://${SUPERUSER}:${password.reveal()}@127.0.0.1:${port}/postgres`),
      stop,
      discard: async () => {
        await stop()
        for (const path of [...location.belongings, passwordFile])
          await rm(path, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await claim.release()
    throw error
  }
}

async function launch(location: PostgresLocation, logFile: string, durable: boolean) {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort()
    const server = await spawnGuarded({
      command: join(location.native, 'bin', 'postgres'),
      args: serverArguments(location.cluster, port, durable),
      stopSignal: 'SIGINT',
      logFile,
      workingDirectory: '/',
      env: POSTGRES_ENVIRONMENT,
      ...(location.runAs && { runAs: location.runAs }),
    })
    if (await becomesReady(server, location.cluster)) return { server, port }
    const log = await readFile(logFile, 'utf8')
    // The port was taken meanwhile, or processes of a killed server have not let go of its memory yet.
    const passes = /Address already in use|shared memory block/.test(log) && attempt < ATTEMPTS
    if (!passes)
      throw new StartFailure(`PostgreSQL did not start; the end of ${logFile}:\n${log.trim().slice(-1_500)}`)
    await pause(attempt * 100)
  }
}

function serverArguments(cluster: string, port: number, durable: boolean): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: `${port}`,
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...(durable
      ? {}
      : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_wal_size: '4GB' }),
  }
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

/** `postmaster.pid` says, as for pg_ctl; `standby` is a server in recovery that accepts connections. */
async function becomesReady(server: GuardedProcess, cluster: string): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < START_DEADLINE_MS; waitedMs += POLL_MS) {
    if (!server.running()) return false
    const { pid, status } = await readPostmasterFile(cluster)
    if (pid === server.pid && (status === 'ready' || status === 'standby')) return true
    await pause(POLL_MS)
  }
  await server.stop()
  return false
}

const SUPERUSER = 'postgres'

/** PostgreSQL needs nothing of our environment, and our secrets are none of its business. */
const POSTGRES_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/bin:/usr/bin:/bin' }

/**
 * Makes the cluster unless there is one. It is made aside and renamed, so a kill in between leaves nothing that
 * looks finished. Throws StartFailure when the existing one belongs to another major version.
 */
async function ensureCluster(
  { native, cluster, runAs }: PostgresLocation,
  password: { reveal(): string },
  durable: boolean,
): Promise<void> {
  const version = (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim()
  if (version === POSTGRES_MAJOR) return
  if (version !== '') {
    throw new StartFailure(
      `${cluster} was made by PostgreSQL ${version}, this is ${POSTGRES_MAJOR}; export with the old version and start with an empty data directory`,
    )
  }
  const unfinished = `${cluster}.new`
  const passwordFile = `${cluster}.password.new`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { mode: 0o700 })
  await writeFile(passwordFile, password.reveal(), { mode: 0o600 })
  try {
    if (runAs !== undefined) {
      await chown(unfinished, runAs.uid, runAs.gid)
      await chown(passwordFile, runAs.uid, runAs.gid)
    }
    const args = [
      ...['--pgdata', unfinished, '--username', SUPERUSER, '--pwfile', passwordFile],
      ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale-provider', 'builtin'],
      ...['--builtin-locale', 'C.UTF-8', '--locale', 'C', '--no-instructions'],
      ...(durable ? [] : ['--no-sync']),
    ]
    const initdb = join(native, 'bin', 'initdb')
    const result = await runCommand(initdb, args, { env: POSTGRES_ENVIRONMENT, ...(runAs && { runAs }) })
    if (result.code !== 0)
      throw new StartFailure(`a new PostgreSQL database could not be made: ${result.output}`)
  } finally {
    await rm(passwordFile, { force: true })
  }
  await rename(unfinished, cluster)
}
