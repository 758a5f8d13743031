import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'

/** The back-channel logout endpoint of an application. */
export interface LogoutReceiver {
  readonly uri: string
  /** The bodies that came, in order. */
  readonly received: readonly URLSearchParams[]
  /** The status of every answer from now on; undefined leaves the caller without one. */
  answerWith(status: number | undefined): void
  /** While there are some, more of what was sent may come. */
  openConnections(): Promise<number>
  stop(): Promise<void>
}

export async function startLogoutReceiver(): Promise<LogoutReceiver> {
  const received: URLSearchParams[] = []
  let answer: number | undefined = 200
  const server = createServer(async (req, res) => {
    const body = await text(req).catch(() => undefined)
    // The sender was gone before it had said everything.
    if (body === undefined) return
    received.push(new URLSearchParams(body))
    if (answer !== undefined) res.writeHead(answer).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/backchannel`,
    received,
    answerWith: (status) => {
      answer = status
    },
    openConnections: () => promisify(server.getConnections.bind(server))(),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
