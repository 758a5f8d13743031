import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendAnswer } from './answer.ts'
import type { AnswerRequest, Endpoint } from './endpoint.ts'
import { headersOf } from './request-headers.ts'
import { requestsRead } from './requests-read.ts'
import { setHeaders } from './set-headers.ts'

/** Answers a request for what it threw. The headers of all its answers are set already. */
export type OnError = (error: unknown, req: IncomingMessage, res: ServerResponse) => void

/** Answers by `answer`, with the headers of all answers and those of the endpoint's CORS. */
export function answerEndpoint(
  { cors }: Endpoint,
  answer: AnswerRequest,
  onError: OnError,
): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  return async (req, res) => {
    await requestsRead()
    let first = headersOf(req)
    try {
      if (cors !== undefined) {
        const more = cors.headers(req.headers.origin)
        first = first.concat(more instanceof Promise ? await more : more)
      }
      const found = answer(req)
      sendAnswer(res, first, found instanceof Promise ? await found : found)
    } catch (error) {
      if (!res.headersSent) setHeaders(res, first)
      onError(error, req, res)
    }
  }
}
