import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A server in a process of its own that Signet is compared with. */
export interface ContenderProcess {
  readonly pid: number
  readonly origin: string
  /** Hands over data and waits until it is in use. */
  tell(message: object): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a file of this folder and sends it its settings. It replies to each message with `{ port }` once the
 * message is in effect, and exits when this process is gone.
 */
export async function startContender(
  file: string,
  settings: object,
  env: Readonly<Record<string, string>>,
): Promise<ContenderProcess> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${file} ended`)
  })
  ended.catch(() => undefined)
  const tell = async (message: object): Promise<number> => {
    child.send(message)
    const [answer] = await Promise.race([once(child, 'message'), ended])
    return (answer as { port: number }).port
  }
  const port = await tell(settings)
  return {
    pid: child.pid ?? 0,
    origin: `http://127.0.0.1:${port}`,
    tell: async (message) => void (await tell(message)),
    async stop() {
      child.disconnect()
      await ended.catch(() => undefined)
    },
  }
}
