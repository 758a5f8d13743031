import type { IncomingMessage } from 'node:http'
import { type Parameters, parseParameters } from './form-parameters.ts'

/** The parameters in the request's URL, under the same rules as a form body. */
export function queryParameters(req: IncomingMessage): Parameters {
  const url = req.url ?? ''
  const question = url.indexOf('?')
  return parseParameters(question === -1 ? '' : url.slice(question + 1))
}
