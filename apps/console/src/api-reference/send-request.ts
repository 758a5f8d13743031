import { text } from '../texts/texts.ts'
import type { AdmittedRequest } from './described-requests.ts'
import type { FrameAnswer } from './messages.ts'

/** The most of an answer that the frame gets; exports and logs are longer. */
const MOST_BYTES = 4 * 1024 * 1024

type Answer = Omit<FrameAnswer, 'id'>

/** An answer of the console itself in the form of the API's. */
export const ownAnswer = (status: number, message: string): Answer => ({
  status,
  headers: [['Content-Type', 'application/json']],
  body: new TextEncoder().encode(JSON.stringify({ message })).buffer,
})

/**
 * Sends a request of the frame. One with a token of the person's is sent without anything of their session; another one by `asAdministrator`.
 */
export async function sendRequest(
  { method, url, headers, body, hasToken }: AdmittedRequest,
  asAdministrator: (request: Request) => Promise<Response>,
): Promise<Answer> {
  const request = new Request(url, {
    ...{ method, headers, credentials: 'omit', redirect: 'error' },
    ...(body !== undefined && { body }),
  })
  try {
    const response = await (hasToken ? fetch(request) : asAdministrator(request))
    const read = await firstBytes(response)
    if (read === undefined) return ownAnswer(413, text('reference.too_large'))
    return { status: response.status, headers: [...response.headers], body: read }
  } catch (error) {
    return ownAnswer(502, String(error))
  }
}

/** The body of a response; undefined when it is longer than the frame gets. */
async function firstBytes({ body }: Response): Promise<ArrayBuffer | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  const reader = body?.getReader()
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    parts.push(part.value)
    length += part.value.length
    if (length > MOST_BYTES) {
      await reader?.cancel()
      return undefined
    }
  }
  return new Blob(parts as BlobPart[]).arrayBuffer()
}
