import { text } from 'node:stream/consumers'
import { startHttpServer } from '../http-server.ts'

/** A web application that waits for its callback. */
export interface RelyingParty {
  readonly origin: string
  readonly redirectUri: string
  /** The requests to the callback, with the parameters of their query or form, in order. */
  readonly answers: readonly { readonly method: string; readonly parameters: Record<string, string> }[]
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
  const answers: RelyingParty['answers'][number][] = []
  const { port, stop } = await startHttpServer(async (req, res) => {
    const url = new URL(req.url ?? '/', `http://${req.headers.host}`)
    if (url.pathname === '/callback') {
      const { method = '' } = req
      const sent = method === 'POST' ? await text(req) : url.search
      answers.push({ method, parameters: Object.fromEntries(new URLSearchParams(sent)) })
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
    answers,
    nextCallback: () => {
      const first = arrived.shift()
      return first ? Promise.resolve(first) : new Promise((resolve) => waiting.push(resolve))
    },
    close: stop,
  }
}
