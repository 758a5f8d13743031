import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@signet/dev-stack/databases/free-port'
import { type Databases, openDatabases } from '@signet/dev-stack/installation/databases'
import { type Child, FROM_SOURCES, startChild } from '@signet/dev-stack/processes/child'
import { DIRECTORY_DOCUMENT } from './directory-document.ts'

/** All services in one process, on databases that run beside it. */
export interface Standalone {
  readonly origin: string
  /** Starts the process, waits until it is ready and answers how long that took. */
  start(): Promise<{ readonly pid: number; readonly readyMs: number }>
  /** Ends the process; the databases stay. */
  end(): Promise<void>
  stop(): Promise<void>
}

export async function openStandalone(
  dataDirectory: string,
  environment: Readonly<Record<string, string>>,
): Promise<Standalone> {
  const databases: Databases = await openDatabases({ dataDirectory })
  const port = await freePort()
  const file = join(dataDirectory, 'bootstrap.json')
  await writeFile(file, JSON.stringify(DIRECTORY_DOCUMENT), { mode: 0o600 })
  const env = {
    ...environment,
    SIGNET_PORT: `${port}`,
    SIGNET_DATA_DIR: dataDirectory,
    // All load comes from one address.
    SIGNET_RATE_LIMIT_SIGN_IN: '0',
    SIGNET_RATE_LIMIT_PUBLIC: '0',
    SIGNET_BOOTSTRAP_FILE: file,
    SIGNET_POSTGRES_URL: databases.postgresAdminUrl.reveal(),
    SIGNET_REDIS_URL: databases.redisUrl.reveal(),
  }
  let child: Child | undefined

  async function end(): Promise<void> {
    child?.stop()
    await child?.ended
    child = undefined
  }

  return {
    origin: `http://127.0.0.1:${port}`,
    async start() {
      const startedAt = performance.now()
      const ready = new EventTarget()
      let output = ''
      const onOutput = (text: string) => {
        output = (output + text).slice(-5_000)
        if (/^ready /m.test(text)) ready.dispatchEvent(new Event('ready'))
      }
      const isReady = once(ready, 'ready')
      child = await startChild({ program: FROM_SOURCES, app: 'standalone', env, onOutput })
      const endedEarly = child.ended.then((code) => {
        throw new Error(`standalone ended with code ${code}:\n${output}`)
      })
      // It ends sooner or later; only before it is ready is that a failure.
      endedEarly.catch(() => undefined)
      await Promise.race([isReady, endedEarly])
      return { pid: child.pid, readyMs: performance.now() - startedAt }
    },
    end,
    async stop() {
      await end()
      await databases.stop()
    },
  }
}
