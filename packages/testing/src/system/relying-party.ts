import { startHttpServer } from '../http-server.ts'

/** A web application that waits for its callback. */
export interface RelyingParty {
  readonly origin: string
  readonly redirectUri: string
  /** The next request to the callback, with its parameters. */
  nextCallback(): Promise<URL>
  close(): Promise<void>
}

/** `redirectOnTo` is where the callback sends the browser on to; without one it answers a page. */
export async function startRelyingParty({
  redirectOnTo,
}: {
  readonly redirectOnTo?: string
} = {}): Promise<RelyingParty> {
  const waiting: ((url: URL) => void)[] = []
  const arrived: URL[] = []
  const { port, stop } = await startHttpServer((req, res) => {
    const url = new URL(req.url ?? '/', 'http://localhost')
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
  const origin = `http://localhost:${port}`
  return {
    origin,
    redirectUri: `${origin}/callback`,
    nextCallback: () => {
      const first = arrived.shift()
      return first ? Promise.resolve(first) : new Promise((resolve) => waiting.push(resolve))
    },
    close: stop,
  }
}
