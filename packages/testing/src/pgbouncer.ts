import { chmod, chown, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@signet/dev-stack/databases/free-port'
import { type GuardedProcess, spawnGuarded } from '@signet/dev-stack/databases/guarded-process'
import { Secret } from '@signet/platform/config/settings-fields'
import { inject } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'
import './provided-context.ts'

export interface Pgbouncer {
  /** The same database and user through the pooler. */
  through(url: Secret): Secret
  stop(): Promise<void>
}

/** PgBouncer refuses to run as root; this is an unprivileged uid. */
const NOBODY = 65_534
const DEADLINE_MS = 10_000
const POLL_MS = 10

/** Starts PgBouncer in transaction mode before the server of `urls`, for the users that they name. */
export async function startPgbouncer(urls: readonly Secret[]): Promise<Pgbouncer> {
  const command = inject('pgbouncerPath')
  const upstream = urls[0]
  if (command === '' || upstream === undefined) throw new Error('PgBouncer or an address for it is missing')
  const { hostname, port } = new URL(upstream.reveal())
  const folder = await temporaryFolder('pgbouncer')
  const users = urls.map((url) => {
    const { username, password } = new URL(url.reveal())
    return `"${username}" "${decodeURIComponent(password)}"`
  })
  const listenPort = await freePort()
  const configuration = join(folder, 'pgbouncer.ini')
  await writeFile(join(folder, 'users.txt'), `${users.join('\n')}\n`)
  await writeFile(
    configuration,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
default_pool_size = 4
max_client_conn = 500
`,
  )
  const asNobody = process.getuid?.() === 0 ? { runAs: { uid: NOBODY, gid: NOBODY } } : {}
  if (asNobody.runAs !== undefined) {
    await chmod(folder, 0o755)
    await chown(folder, NOBODY, NOBODY)
  }
  const server = await spawnGuarded({
    command,
    args: [configuration],
    stopSignal: 'SIGINT',
    logFile: join(folder, 'pgbouncer.log'),
    workingDirectory: '/',
    ...asNobody,
  })
  await untilListening(server, listenPort)
  return {
    through(url) {
      const pooled = new URL(url.reveal())
      pooled.port = String(listenPort)
      return new Secret(pooled.href)
    },
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function untilListening(server: GuardedProcess, port: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < DEADLINE_MS; waitedMs += POLL_MS) {
    if (!server.running()) break
    if (await answers(port)) return
    await pause(POLL_MS)
  }
  throw new Error('PgBouncer did not start')
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
