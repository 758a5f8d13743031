import type { OnError } from '@signet/http-server/answer-endpoint'
import { jsonErrorHandler } from '@signet/http-server/json-error-handler'
import { oauthErrorHandler } from '@signet/http-server/oauth-error-handler'
import type { Logger } from '@signet/service-runtime/logger'

/** Errors of the management API in its form, those of the key set and discovery in that of OAuth. */
export function errorHandler(logger: Logger): OnError {
  const json = jsonErrorHandler(logger)
  const oauth = oauthErrorHandler(logger)
  return (error, req, res) => (req.url?.startsWith('/management/') ? json : oauth)(error, req, res)
}
