import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '@signet/platform/logger/logger'
import { Router } from 'express'
import { type AnswerRequest, type Endpoint, sendAnswer, setHeaders } from './endpoint.ts'
import { headersOf, requestId } from './request-context.ts'

interface RoutedRequest {
  readonly route?: { readonly path?: unknown }
}

const ENDPOINT = Symbol('signet endpoint')

interface EndpointCarrier {
  [ENDPOINT]?: string
}

/** Says which endpoint answers a request that Express never sees. */
export function setEndpoint(req: IncomingMessage & EndpointCarrier, path: string): void {
  req[ENDPOINT] = path
}

/** The pattern of the route that answers a request, or `none`; never its URL, where codes and hints travel. */
export function routePattern(req: IncomingMessage & RoutedRequest & EndpointCarrier): string {
  const path = req[ENDPOINT] ?? req.route?.path
  return typeof path === 'string' ? path : 'none'
}

/** Answers a request for what it threw. The headers of all its answers are set already. */
export type OnError = (error: unknown, req: IncomingMessage, res: ServerResponse) => void

/** Answers by `answer`, with the headers of all answers and those of the endpoint's CORS. */
export function createEndpointAnswer(
  { cors }: Endpoint,
  answer: AnswerRequest,
  onError: OnError,
): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  return async (req, res) => {
    await requestsRead()
    let first = headersOf(req)
    try {
      if (cors !== undefined) {
        const more = cors.headers(req)
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

/** Answers a request without Express when it is for one of the endpoints, word for word; else answers false. */
export function createDirectEndpoints(
  endpoints: readonly Endpoint[],
  onError: OnError,
  logger: Logger,
): (req: IncomingMessage, res: ServerResponse) => boolean {
  const byPath = new Map(
    endpoints.map((endpoint) => {
      const answers = Object.entries(endpoint.methods).map(
        ([method, answer]) => [method, createEndpointAnswer(endpoint, answer, onError)] as const,
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

/**
 * Adapts an endpoint to an Express router: adds CORS preflight, HEAD, and paths in capitals or with a slash at the end.
 */
export function endpointRouter(endpoint: Endpoint): Router {
  const { path, methods, cors } = endpoint
  const router = Router()
  if (cors !== undefined) {
    router.options(path, async (req, res) => sendAnswer(res, headersOf(req), await cors.preflight(req)))
  }
  const { GET, POST } = methods
  if (GET !== undefined)
    router.get(path, (req, res, next) =>
      createEndpointAnswer(endpoint, GET, (error) => next(error))(req, res),
    )
  if (POST !== undefined)
    router.post(path, (req, res, next) =>
      createEndpointAnswer(endpoint, POST, (error) => next(error))(req, res),
    )
  return router
}

let turn: Promise<void> | undefined

/**
 * Resolves when the event loop has read all requests that have arrived. The requests of one turn then run in step:
 * each step runs for all of them before the next, so the processor has its code and tables in the cache for all but
 * the first. A busy service answers 1.2 to 1.6 times as many that way (docs/decisions/0023); an idle one waits for no
 * others.
 */
function requestsRead(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined
      resolve()
    })
  })
  return turn
}
