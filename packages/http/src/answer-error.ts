import type { Logger } from '@signet/platform/logger/logger'
import { jsonAnswer, sendAnswer } from './answer.ts'
import type { OnError } from './answer-endpoint.ts'
import { requestId } from './request-context.ts'

/** The part of an error for the client, and the part for the log. */
interface ErrorAnswer extends Error {
  readonly code: string
  readonly reason: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  toResponseBody(): object
}

/** Logs errors and answers them in the shape that `toAnswer` gives any thrown value. */
export function answerErrors(logger: Logger, toAnswer: (error: unknown) => ErrorAnswer): OnError {
  return (error, req, res) => {
    const answer = toAnswer(error)
    const { code, reason, status } = answer
    const fields = { requestId: requestId(req), code, reason, status }
    if (status >= 500) logger.error('request_failed', { ...fields, error: answer.cause ?? answer })
    else logger.info('request_refused', fields)
    // Half an answer cannot become an error any more; a cut connection at least cannot be mistaken for a whole one.
    if (res.headersSent) {
      res.destroy()
      return
    }
    res.setHeader('Cache-Control', 'no-store')
    for (const name in answer.headers) res.setHeader(name, answer.headers[name] ?? '')
    const { headers, body } = jsonAnswer(answer.toResponseBody())
    sendAnswer(res, [], { status, headers, body })
  }
}
