import { jsonErrorHandler } from '@signet/admin-api/json-error-handler'
import type { OnError } from '@signet/http/hot-endpoint'
import { oauthErrorHandler } from '@signet/http/oauth-error-handler'
import type { Logger } from '@signet/platform/logger/logger'

/** Errors of the management API in its form, those of the key set and discovery in that of OAuth. */
export function errorHandler(logger: Logger): OnError {
  const json = jsonErrorHandler(logger)
  const oauth = oauthErrorHandler(logger)
  return (error, req, res) => (req.url?.startsWith('/management/') ? json : oauth)(error, req, res)
}
