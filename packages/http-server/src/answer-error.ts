import type { Logger } from '@signet/service-runtime/logger'
import type { ErrorRequestHandler } from 'express'
import { requestId } from './request-context.ts'

/** What a client hears of an error, and what only the log does. */
interface ErrorAnswer extends Error {
  readonly code: string
  readonly reason: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  toResponseBody(): object
}

/** Logs errors and answers them in the shape that `toAnswer` gives any thrown value. */
export function answerErrors(logger: Logger, toAnswer: (error: unknown) => ErrorAnswer): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
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
    res.set(answer.headers)
    res.status(status).json(answer.toResponseBody())
  }
}
