import type { ServerResponse } from 'node:http'
import type { HeaderList } from './answer.ts'

/** Adds these headers to a response that other code sends, unless that replaces them. */
export function setHeaders(res: ServerResponse, headers: HeaderList): void {
  for (let n = 0; n < headers.length; n += 2) res.setHeader(headers[n] ?? '', headers[n + 1] ?? '')
}
