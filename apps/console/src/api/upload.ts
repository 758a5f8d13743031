import { accessToken } from '../session/session.ts'
import { ApiProblem, noticeStatus } from './client.ts'

interface Upload {
  readonly path: string
  readonly body: Blob
  /** Called with the part that was sent, 0 to 1. */
  readonly onProgress: (part: number) => void
}

/** Posts a body and tells how much of it was sent, which `fetch` cannot. Returns the job. Rejects with ApiProblem. */
export async function upload({ path, body, onProgress }: Upload): Promise<unknown> {
  const token = await accessToken()
  const request = new XMLHttpRequest()
  request.open('POST', path)
  request.setRequestHeader('Content-Type', 'application/json')
  // The answer is the job as soon as the document is there.
  request.setRequestHeader('Prefer', 'respond-async')
  if (token !== undefined) request.setRequestHeader('Authorization', `Bearer ${token}`)
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total))
  await new Promise((resolve, reject) => {
    request.addEventListener('load', resolve)
    request.addEventListener('error', () => reject(new ApiProblem(0, undefined, undefined)))
    request.send(body)
  })
  noticeStatus(request.status)
  const isJson = request.getResponseHeader('Content-Type')?.includes('json') === true
  const answer: unknown = isJson ? JSON.parse(request.responseText) : undefined
  if (request.status >= 300) {
    throw new ApiProblem(request.status, answer, request.getResponseHeader('X-Request-Id') ?? undefined)
  }
  return answer
}
