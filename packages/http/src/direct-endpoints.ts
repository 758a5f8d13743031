import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '@signet/platform/logger/logger'
import { answerEndpoint, type OnError } from './answer-endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import { requestId } from './request-context.ts'
import { setEndpoint } from './route-pattern.ts'

/** Answers a request without Express when it is for one of the endpoints, word for word; else answers false. */
export function directEndpoints(
  endpoints: readonly Endpoint[],
  onError: OnError,
  logger: Logger,
): (req: IncomingMessage, res: ServerResponse) => boolean {
  const byPath = new Map(
    endpoints.map((endpoint) => {
      const answers = Object.entries(endpoint.methods).map(
        ([method, answer]) => [method, answerEndpoint(endpoint, answer, onError)] as const,
      )
      return [endpoint.path, new Map(answers)]
    }),
  )
  return (req, res) => {
    const { url = '', method = '' } = req
    const question = url.indexOf('?')
    const path = question === -1 ? url : url.slice(0, question)
    const answer = byPath.get(path)?.get(method)
    if (answer === undefined) return false
    setEndpoint(req, path)
    answer(req, res).catch((error: unknown) => {
      // Sending the error response failed itself: no client is left, and the process must not end for it.
      logger.error('request_failed', { requestId: requestId(req), error })
      res.destroy()
    })
    return true
  }
}
