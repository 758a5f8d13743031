import type { IncomingMessage } from 'node:http'
import type { HeaderList } from './endpoint.ts'
import { requestContext } from './request-context.ts'

/** The headers of the response to this request, whichever body it has. */
export function headersOf(req: IncomingMessage): HeaderList {
  const { requestId, securityHeaders } = requestContext(req)
  return ['X-Request-Id', requestId, ...securityHeaders]
}
