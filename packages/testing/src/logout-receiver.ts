import { text } from 'node:stream/consumers'
import { startHttpServer } from './http-server.ts'

/** The back-channel logout endpoint of an application. */
export async function startLogoutReceiver() {
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
    /** The bodies that came, in order. */
    received: received as readonly URLSearchParams[],
    /** The status of every answer from now on; undefined leaves the caller without one. */
    answerWith: (status: number | undefined) => {
      answer = status
    },
    /** Open connections: while there are some, more of what was sent may come. */
    openConnections,
    stop,
  }
}

export type LogoutReceiver = Awaited<ReturnType<typeof startLogoutReceiver>>
