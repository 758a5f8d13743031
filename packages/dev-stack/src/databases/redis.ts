import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Secret } from '@signet/platform/config/settings-fields'
import { StartFailure } from '@signet/platform/process/service'
import { claimDirectory } from './directory-claim.ts'
import { freePort } from './free-port.ts'
import { type GuardedProcess, spawnGuarded } from './guarded-process.ts'
import { stopOrphan } from './orphaned-process.ts'
import { passwordFromFile } from './secret-file.ts'

export interface RedisOptions {
  /** Made when missing. One running process at a time may use it. */
  readonly dataDirectory: string
  /** Called when the server ends without `stop`, for example because the system killed it. */
  readonly onUnexpectedEnd?: (problem: string) => void
}

export interface EmbeddedRedis {
  readonly url: Secret
  /** Writes everything to disk and ends the server. */
  stop(): Promise<void>
  /** Stops the server and deletes its data. */
  discard(): Promise<void>
}

// Either speaks the same protocol and reads the same configuration.
const PROGRAMS = ['redis-server', 'valkey-server']
// Number and port of the process that was started last.
const PROCESS_FILE = 'process'
const ATTEMPTS = 5
const START_DEADLINE_MS = 60_000
const POLL_MS = 10

/**
 * Runs a private redis-server (or valkey-server) on a free port of the loopback interface, append-only file on,
 * eviction off. A server left over from a killed process is stopped first. Throws StartFailure with the reason,
 * or when another running process owns the data directory.
 */
export async function startRedis(options: RedisOptions): Promise<EmbeddedRedis> {
  const dataDirectory = resolve(options.dataDirectory)
  const directory = join(dataDirectory, 'redis')
  await mkdir(dataDirectory, { recursive: true })
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const claim = await claimDirectory(dataDirectory, 'redis')
  try {
    const passwordFile = join(dataDirectory, 'redis-password')
    const password = await passwordFromFile(passwordFile)
    await stopOrphanedRedis(directory)
    const { server, port } = await launch(directory, password)
    let stopping = false
    void server.ended.then(() => {
      if (!stopping) options.onUnexpectedEnd?.(`Redis has ended; its log is ${join(directory, 'redis.log')}`)
    })
    const stop = async (): Promise<void> => {
      stopping = true
      await server.stop()
      await claim.release()
    }
    return {
      url: new Secret(`redis://:${password.reveal()}@127.0.0.1:${port}`),
      stop,
      discard: async () => {
        await stop()
        for (const path of [directory, passwordFile]) await rm(path, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await claim.release()
    throw error
  }
}

async function launch(directory: string, password: Secret) {
  const configurationFile = join(directory, 'redis.conf')
  const logFile = join(directory, 'redis.log')
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort()
    await writeFile(configurationFile, configuration(port, directory, password), { mode: 0o600 })
    const server = await spawnFirstInstalled(configurationFile, logFile)
    await writeFile(join(directory, PROCESS_FILE), `${server.pid} ${port}\n`)
    if (await becomesReady(server, logFile)) return { server, port }
    const log = await readFile(logFile, 'utf8')
    if (!log.includes('Address already in use') || attempt === ATTEMPTS) {
      throw new StartFailure(`Redis did not start; the end of ${logFile}:\n${log.trim().slice(-1_500)}`)
    }
  }
}

/**
 * The configuration of the private server. It goes into a file because arguments are visible to everyone who
 * may list processes. `noeviction`: an evicted revocation would make a dead token live again.
 */
function configuration(port: number, directory: string, password: Secret): string {
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password.reveal()}`,
    `dir ${JSON.stringify(directory)}`,
    'daemonize no',
    'databases 256',
    'maxmemory-policy noeviction',
    'appendonly yes',
    'save ""',
    '',
  ].join('\n')
}

async function spawnFirstInstalled(configurationFile: string, logFile: string): Promise<GuardedProcess> {
  for (const command of PROGRAMS) {
    try {
      return await spawnGuarded({ command, args: [configurationFile], stopSignal: 'SIGTERM', logFile })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  throw new StartFailure(
    `neither ${PROGRAMS.join(' nor ')} is on the PATH; install one of them or give the URL of a Redis server`,
  )
}

/** Reads the log: a test connection could reach another process that took the port. */
async function becomesReady(server: GuardedProcess, logFile: string): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < START_DEADLINE_MS; waitedMs += POLL_MS) {
    if (!server.running()) return false
    if ((await readFile(logFile, 'utf8')).includes('Ready to accept connections')) return true
    await pause(POLL_MS)
  }
  await server.stop()
  return false
}

/** The server shows its address in its process title. */
async function stopOrphanedRedis(directory: string): Promise<void> {
  const [pid = '', port = ''] = (await readFile(join(directory, PROCESS_FILE), 'utf8').catch(() => ''))
    .trim()
    .split(' ')
  if (port === '') return
  await stopOrphan({ name: 'Redis', pid: Number(pid), marker: `127.0.0.1:${port}`, stopSignal: 'SIGTERM' })
}
