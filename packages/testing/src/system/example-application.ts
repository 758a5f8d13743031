import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../child-environment.ts'

const EXAMPLES = new URL('../../../../examples/', import.meta.url)

/** A running application of the folder `examples`. */
export interface ExampleApplication {
  readonly origin: string
  stop(): Promise<void>
}

/** Starts an example and waits until it says where to open it. Rejects with what it printed when it ends before. */
export async function startExample(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<ExampleApplication> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(`${folder}/server.mjs`, EXAMPLES))], {
    env: { ...childEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  let printed = ''
  const opened = new Promise<string>((resolve) => {
    const read = (text: string) => {
      printed += text
      const origin = /^open (\S+)$/m.exec(printed)?.[1]
      if (origin !== undefined) resolve(origin)
    }
    child.stdout.setEncoding('utf8').on('data', read)
    child.stderr.setEncoding('utf8').on('data', read)
  })
  const origin = await Promise.race([opened, closed.then(() => undefined)])
  if (origin === undefined) throw new Error(`the example ${folder} ended before it was ready:\n${printed}`)
  return {
    origin,
    async stop() {
      child.kill()
      await closed
    },
  }
}
