import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Contender {
  readonly listener: RequestListener
  /** Called with later messages of the benchmark process. */
  readonly told?: (message: never) => void
}

/** The process's side of `startContender`. */
export async function serveContender<Settings>(
  start: (settings: Settings) => Promise<Contender>,
): Promise<void> {
  const [settings] = (await once(process, 'message')) as [Settings]
  const { listener, told } = await start(settings)
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  process.on('message', (message) => {
    told?.(message as never)
    process.send?.({ port })
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ port })
}
