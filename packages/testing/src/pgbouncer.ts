import { chmod, chown, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from '@signet/dev-stack/databases/free-port'
import { spawnGuarded } from '@signet/dev-stack/databases/guarded-process'
import { Secret } from '@signet/platform/config/settings-fields'
import { inject, vi } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'
import './provided-context.ts'

/** PgBouncer refuses to run as root; this is an unprivileged uid. */
const NOBODY = 65_534

/** Starts PgBouncer in transaction mode before the server of `urls`, for the users that they name. */
export async function startPgbouncer(urls: readonly Secret[]) {
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
  const isListening = () => {
    if (!server.running()) throw new Error('PgBouncer did not start')
    return answers(listenPort)
  }
  await vi.waitUntil(isListening, { timeout: 10_000, interval: 10 })
  return {
    /** The same database and user through the pooler. */
    through(url: Secret): Secret {
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
