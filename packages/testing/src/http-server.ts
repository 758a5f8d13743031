import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'

/** An HTTP server of a test on a free port of the loopback interface. */
export async function startHttpServer(listener: RequestListener) {
  const server = createServer(listener)
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    /** The origin, without a slash at the end. */
    url: `http://127.0.0.1:${port}`,
    /** Lets the process end while the server is open. */
    unref: () => void server.unref(),
    /** Counts the connections that were ever made. */
    connections: () => connections,
    openConnections: promisify(server.getConnections.bind(server)),
    /** Cuts all connections. */
    async stop(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
