// npm run dev:servers
//
// Keeps one PostgreSQL and one Redis server until it is stopped. A run of vitest finds them by the file that is written here
// and saves their start and the templates of its databases.
import { readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type RunEnvironment, startServersOfRun } from './backing-services.ts'

const FILE = fileURLToPath(new URL('../../../.tools/dev-servers.json', import.meta.url))

interface DevEnvironment extends RunEnvironment {
  /** Holds the data of the servers, and data that tests prepare for other tests. */
  readonly TMPDIR: string
}

/** The environment of the servers of `npm run dev:servers`; empty when none runs, or when `env` names servers itself. */
export async function devServers(
  env: Readonly<Record<string, string | undefined>>,
  file = FILE,
): Promise<Partial<DevEnvironment>> {
  if (env.SIGNET_TEST_POSTGRES_URL || env.SIGNET_TEST_REDIS_URL) return {}
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return {}
  const servers: DevEnvironment = JSON.parse(text)
  const urls = [servers.SIGNET_TEST_POSTGRES_URL, servers.SIGNET_TEST_REDIS_URL]
  // A process that was killed leaves its file behind.
  return (await Promise.all(urls.map(isListening))).every(Boolean) ? servers : {}
}

function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) })
    const finish = (is: boolean) => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', () => finish(true)).once('error', () => finish(false))
  })
}

if (import.meta.main) {
  const servers = await startServersOfRun(process.env)
  // The URL of PostgreSQL holds the password of a superuser.
  const found: DevEnvironment = { ...servers.env, TMPDIR: tmpdir() }
  await writeFile(FILE, JSON.stringify(found), { mode: 0o600 })
  process.stdout.write('PostgreSQL and Redis run: vitest uses them in this checkout until Ctrl-C\n')
  const keepAlive = setInterval(() => {}, 2 ** 30)
  const stop = async () => {
    clearInterval(keepAlive)
    await rm(FILE, { force: true })
    await servers.stop()
    process.exit()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void stop())
}
