import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@signet/dev-stack/databases/free-port'
import { type GuardedProcess, spawnGuarded } from '@signet/dev-stack/databases/guarded-process'
import { Secret } from '@signet/platform/config/settings-fields'
import { Redis } from 'ioredis'
import { vi } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

const POLL_MS = 5
// A replica is copied to at once, without waiting for others, and a lost one is noticed within a second.
const IMPATIENT = ['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1']

/** A redis-server that a test may do anything to. */
export type RedisProcess = Awaited<ReturnType<typeof startProcess>>

/** Starts a redis-server without persistence, unless `args` (`['--appendonly', 'yes']`) say otherwise. */
export async function startRedisProcess(args: readonly string[] = []) {
  const own = (port: number, dir: string) => Object.entries({ port, bind: '127.0.0.1', dir, save: '' })
  return startProcess((port, data) => [
    ...own(port, data).flatMap(([name, value]) => [`--${name}`, `${value}`]),
    ...IMPATIENT,
    ...args,
  ])
}

/** Starts a sentinel; `watch` are the directives that say what it watches. */
export async function startSentinelProcess(watch: readonly string[]) {
  return startProcess(async (port, data) => {
    const configuration = join(data, 'sentinel.conf')
    await writeFile(configuration, [`port ${port}`, 'bind 127.0.0.1', `dir ${data}`, ...watch, ''].join('\n'))
    return [configuration, '--sentinel']
  })
}

async function startProcess(
  argumentsFor: (port: number, data: string) => readonly string[] | Promise<readonly string[]>,
) {
  const folder = await temporaryFolder('redis-process')
  const port = await freePort()
  const data = join(folder, 'data')
  await mkdir(data)
  const args = await argumentsFor(port, data)
  const admin = new Redis(port, '127.0.0.1', {
    lazyConnect: true,
    maxRetriesPerRequest: null,
    retryStrategy: () => 20,
  })
  admin.on('error', () => undefined)
  let server = await spawn()

  async function spawn(): Promise<GuardedProcess> {
    const spawned = await spawnGuarded({
      command: 'redis-server',
      args,
      stopSignal: 'SIGTERM',
      logFile: join(folder, 'redis.log'),
    })
    await untilItAnswers(spawned)
    return spawned
  }
  /** Throws when the server ends instead, because a port was taken for example. */
  async function untilItAnswers({ running }: GuardedProcess): Promise<void> {
    const answer = admin.ping().then(() => true)
    while (running()) if (await Promise.race([answer, pause(POLL_MS, false)])) return
    admin.disconnect()
    throw new Error(`redis-server ended at its start: ${await readFile(join(folder, 'redis.log'), 'utf8')}`)
  }
  const kill = async () => {
    if (!server.running()) return
    process.kill(server.pid, 'SIGKILL')
    await server.ended
  }

  return {
    port,
    url: new Secret(`redis://127.0.0.1:${port}`),
    /** Connection for the test's own commands; connects by itself and reconnects after a restart. */
    admin,
    /** The process stops where it is, sockets stay open. */
    freeze: () => process.kill(server.pid, 'SIGSTOP'),
    thaw: () => process.kill(server.pid, 'SIGCONT'),
    /** Writes its data to disk, after a write that is running, such as the one for a replica. */
    save: () =>
      vi.waitUntil(
        () =>
          admin.save().catch((error: unknown) => {
            if (String(error).includes('save already in progress')) return false
            throw error
          }),
        { timeout: 10_000, interval: POLL_MS },
      ),
    /** Kills the server with SIGKILL; resolves when it is gone. */
    kill,
    /** Starts it again on the same port and data. */
    restart: async (): Promise<void> => {
      await kill()
      server = await spawn()
    },
    /** Ends the process and deletes its data. */
    drop: async (): Promise<void> => {
      admin.disconnect()
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
