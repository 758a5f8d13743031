import { Router } from 'express'
import { sendAnswer } from './answer.ts'
import { answerEndpoint } from './answer-endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import { headersOf } from './request-headers.ts'

/**
 * An endpoint as a `Router`: for pages that ask before they ask, for HEAD, and for a path that is written with capitals
 * or a slash at its end.
 */
export function endpointRouter(endpoint: Endpoint): Router {
  const { path, methods, cors } = endpoint
  const router = Router()
  if (cors !== undefined) {
    router.options(path, async (req, res) =>
      sendAnswer(res, headersOf(req), await cors.preflight(req.headers.origin)),
    )
  }
  const { GET, POST } = methods
  if (GET !== undefined)
    router.get(path, (req, res, next) => answerEndpoint(endpoint, GET, (error) => next(error))(req, res))
  if (POST !== undefined)
    router.post(path, (req, res, next) => answerEndpoint(endpoint, POST, (error) => next(error))(req, res))
  return router
}
