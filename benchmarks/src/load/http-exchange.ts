import type { IncomingHttpHeaders } from 'node:http'
import { Agent } from 'undici'

export interface HttpRequest {
  readonly origin: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends a request over a kept connection and answers with the whole answer; rejects when the connection fails. */
export type Send = (request: HttpRequest) => Promise<HttpAnswer>

export interface Connections {
  readonly send: Send
  close(): Promise<void>
}

/** Opens this number of kept connections to each origin, with one request at a time on each. */
export function openConnections(perOrigin: number): Connections {
  const agent = new Agent({ connections: perOrigin, pipelining: 1 })
  return {
    // Handlers and not promises and streams, which took the generator twice the time for an answer.
    send: (request) =>
      new Promise((resolve, reject) => {
        let status = 0
        let headers: IncomingHttpHeaders = {}
        const chunks: Buffer[] = []
        agent.dispatch(
          { ...request, body: request.body ?? null },
          {
            onRequestStart: () => undefined,
            onResponseStart(_controller, statusCode, received) {
              status = statusCode
              headers = received
            },
            onResponseData(_controller, chunk) {
              chunks.push(chunk)
            },
            onResponseEnd() {
              const [first] = chunks
              const body = chunks.length === 1 && first ? first : Buffer.concat(chunks)
              resolve({ status, headers, body: body.toString('utf8') })
            },
            onResponseError(_controller, error) {
              reject(error)
            },
          },
        )
      }),
    close: () => agent.close(),
  }
}
