import { jsonErrorHandler } from '@signet/http-server/json-error-handler'
import { oauthErrorHandler } from '@signet/http-server/oauth-error-handler'
import type { Logger } from '@signet/service-runtime/logger'
import type { ErrorRequestHandler } from 'express'

/** Errors of the management API in its form, those of the key set and discovery in that of OAuth. */
export function errorHandler(logger: Logger): ErrorRequestHandler {
  const json = jsonErrorHandler(logger)
  const oauth = oauthErrorHandler(logger)
  return (error, req, res, next) =>
    (req.path.startsWith('/management/') ? json : oauth)(error, req, res, next)
}
