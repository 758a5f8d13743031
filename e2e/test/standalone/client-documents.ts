import type { ServerResponse } from 'node:http'
import { startHttpServer } from '@signet/testing/http-server'

type Members = Readonly<Record<string, unknown>>

/** The web server on which clients publish their documents. */
export async function startDocumentServer() {
  const answers = new Map<string, (res: ServerResponse) => void>()
  const counts = new Map<string, number>()
  const { url, port, stop } = await startHttpServer((req, res) => {
    const path = req.url ?? ''
    counts.set(path, (counts.get(path) ?? 0) + 1)
    const answer = answers.get(path)
    if (answer === undefined) res.writeHead(404).end()
    else answer(res)
  })
  const at = (path: string) => `${url}${path}`
  return {
    url,
    port,
    /** How often a document was read. */
    readings: (path: string) => counts.get(path) ?? 0,
    /** Answers a path in a way of one's own. */
    answer: (path: string, answer: (res: ServerResponse) => void) => {
      answers.set(path, answer)
      return at(path)
    },
    /** Publishes a document, and returns the client_id. Members that are undefined are left out. */
    publish(path: string, members: Members = {}, headers: Readonly<Record<string, string>> = {}): string {
      const document = {
        client_id: at(path),
        client_name: 'Agent',
        redirect_uris: [`${url}/callback`],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        ...members,
      }
      answers.set(path, (res) =>
        res.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(document)),
      )
      return at(path)
    },
    stop,
  }
}

export type DocumentServer = Awaited<ReturnType<typeof startDocumentServer>>
