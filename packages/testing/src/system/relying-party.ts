import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A web application that waits for its callback. */
export interface RelyingParty {
  readonly origin: string
  readonly redirectUri: string
  /** The next request to the callback, with its parameters. */
  nextCallback(): Promise<URL>
  close(): Promise<void>
}

export interface RelyingPartyOptions {
  /** Where the callback sends the browser on to; without one it answers a page. */
  readonly redirectOnTo?: string
}

/** Listens on a free loopback port. */
export async function startRelyingParty({ redirectOnTo }: RelyingPartyOptions = {}): Promise<RelyingParty> {
  const waiting: ((url: URL) => void)[] = []
  const arrived: URL[] = []
  const server: Server = createServer((req: IncomingMessage, res) => {
    const url = new URL(req.url ?? '/', origin())
    if (url.pathname === '/callback') {
      const waiter = waiting.shift()
      if (waiter) waiter(url)
      else arrived.push(url)
      if (redirectOnTo !== undefined) {
        res.writeHead(303, { Location: redirectOnTo }).end()
        return
      }
    }
    res
      .writeHead(200, { 'Content-Type': 'text/html' })
      .end(`<title>app</title><p id="app">${url.pathname}</p>`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = () => `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    origin: origin(),
    redirectUri: `${origin()}/callback`,
    nextCallback: () => {
      const first = arrived.shift()
      return first ? Promise.resolve(first) : new Promise((resolve) => waiting.push(resolve))
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
