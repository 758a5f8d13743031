import {
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { startHttpServer } from './http-server.ts'

interface ProxiedRequest {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
}

/** The fault that replaces the normal handling of a request. */
export type Fault =
  | {
      readonly answer: {
        readonly status: number
        readonly headers?: Record<string, string>
        readonly body?: string | Buffer
      }
    }
  /** The connection is cut before the request gets anywhere. */
  | { readonly drop: true }
  /** Stall: no response, ever. */
  | { readonly stall: true }
  /** The connection is cut when so many bytes of the answer's body have gone through. */
  | { readonly cutAfterBytes: number }
  /** The same, but the connection stays open and silent. */
  | { readonly stallAfterBytes: number }

/** An HTTP server that passes requests on to another one, or fails in the ways in which networks and services fail. */
export async function startFaultProxy(target: string) {
  const requests: ProxiedRequest[] = []
  let decide: (request: ProxiedRequest) => Fault | undefined = () => undefined
  const { url, stop } = await startHttpServer((req, res) => {
    const url = new URL(req.url ?? '/', target)
    const proxied = { method: req.method ?? 'GET', url, headers: req.headers }
    requests.push(proxied)
    const fault = decide(proxied)
    if (fault === undefined) return pass(req, res, url, (answer) => void answer.pipe(res))
    if ('answer' in fault) {
      req.resume()
      const { status, headers, body } = fault.answer
      return void req.on('end', () => res.writeHead(status, headers).end(body))
    }
    if ('drop' in fault) return void req.socket.destroy()
    if ('stall' in fault) return void req.resume()
    const [limit, end] =
      'cutAfterBytes' in fault
        ? [fault.cutAfterBytes, () => void res.socket?.destroy()]
        : [fault.stallAfterBytes, () => undefined]
    pass(req, res, url, limited(res, limit, end))
  })
  return {
    url,
    /** Received requests, in order. */
    requests: requests as readonly ProxiedRequest[],
    /** Decides about every request from now on; undefined lets it pass. */
    failWith(next: typeof decide) {
      decide = next
    },
    stop,
  }
}

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>

type Forward = (answer: IncomingMessage) => void

function pass(req: IncomingMessage, res: ServerResponse, url: URL, forward: Forward): void {
  const onward = httpRequest(url, { method: req.method ?? 'GET', headers: req.headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 500, answer.headers)
    forward(answer)
  })
  onward.on('error', () => res.socket?.destroy())
  res.on('close', () => onward.destroy())
  req.pipe(onward)
}

function limited(res: ServerResponse, limit: number, end: () => void): Forward {
  return (answer) => {
    let passed = 0
    answer.on('data', (chunk: Buffer) => {
      const allowed = chunk.subarray(0, limit - passed)
      passed += allowed.length
      res.write(allowed, () => passed >= limit && end())
      if (passed >= limit) answer.destroy()
    })
    answer.on('end', () => (passed < limit ? res.end() : end()))
  }
}
