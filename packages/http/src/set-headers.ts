import type { ServerResponse } from 'node:http'
import type { HeaderList } from './answer.ts'

/** Has an answer that is made elsewhere carry these headers, unless that replaces them. */
export function setHeaders(res: ServerResponse, headers: HeaderList): void {
  for (let n = 0; n < headers.length; n += 2) res.setHeader(headers[n] ?? '', headers[n + 1] ?? '')
}
