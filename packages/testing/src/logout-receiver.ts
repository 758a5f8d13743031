import { text } from 'node:stream/consumers'
import { startHttpServer } from './http-server.ts'

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
  const { url, openConnections, stop } = await startHttpServer(async (req, res) => {
    const body = await text(req).catch(() => undefined)
    // The sender was gone before it had said everything.
    if (body === undefined) return
    received.push(new URLSearchParams(body))
    if (answer !== undefined) res.writeHead(answer).end()
  })
  return {
    uri: `${url}/backchannel`,
    received,
    answerWith: (status) => {
      answer = status
    },
    openConnections,
    stop,
  }
}
