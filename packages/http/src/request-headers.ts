import type { IncomingMessage } from 'node:http'
import type { HeaderList } from './answer.ts'
import { requestContext } from './request-context.ts'

/** What the answer to this request carries, whatever it says. */
export function headersOf(req: IncomingMessage): HeaderList {
  const { requestId, securityHeaders } = requestContext(req)
  return ['X-Request-Id', requestId, ...securityHeaders]
}
