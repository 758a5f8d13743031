import type { IncomingMessage } from 'node:http'
import type { HeaderList } from './answer.ts'
import { requestId } from './request-context.ts'
import { SECURITY_HEADERS } from './response-headers.ts'

/** What the answer to this request carries, whatever it says. */
export function headersOf(req: IncomingMessage): HeaderList {
  return ['X-Request-Id', requestId(req), ...SECURITY_HEADERS]
}
