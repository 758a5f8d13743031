import { sendAuthorized } from '../session/session.ts'
import { ApiProblem, noticeStatus } from './client.ts'

interface Upload {
  readonly path: string
  readonly body: Blob
  /** Called with the part that was sent, 0 to 1. */
  readonly onProgress: (part: number) => void
}

/** Posts a body and tells how much of it was sent, which `fetch` cannot. Returns the job. Rejects with ApiProblem. */
export async function upload({ path, body, onProgress }: Upload): Promise<unknown> {
  const { request } = await sendAuthorized({ method: 'POST', url: path }, async (headers) => {
    const request = new XMLHttpRequest()
    request.open('POST', path)
    request.setRequestHeader('Content-Type', 'application/json')
    // The answer is the job as soon as the document is there.
    request.setRequestHeader('Prefer', 'respond-async')
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total))
    await new Promise((resolve, reject) => {
      request.addEventListener('load', resolve)
      request.addEventListener('error', () => reject(new ApiProblem(0, undefined, undefined)))
      request.send(body)
    })
    return { status: request.status, nonce: request.getResponseHeader('DPoP-Nonce'), request }
  })
  noticeStatus(request.status, request.getResponseHeader('WWW-Authenticate'))
  const isJson = request.getResponseHeader('Content-Type')?.includes('json') === true
  const answer: unknown = isJson ? JSON.parse(request.responseText) : undefined
  if (request.status >= 300) {
    throw new ApiProblem(request.status, answer, request.getResponseHeader('X-Request-Id') ?? undefined)
  }
  return answer
}
