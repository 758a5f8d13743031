// OAuth 2.0 Multiple Response Type Encoding Practices section 2.1; OAuth 2.0 Form Post Response Mode section 2.
import type { ResponseType } from './response-types.ts'

export const RESPONSE_MODES = ['query', 'fragment', 'form_post'] as const

export type ResponseMode = (typeof RESPONSE_MODES)[number]

/**
 * The mode of an authorization response. A mode that is unknown is ignored, and so is `query` for anything but a
 * code: tokens in a query string end up in server logs.
 */
export function responseModeFor(responseType: ResponseType, requested: string | undefined): ResponseMode {
  const standard = responseType === 'code' ? 'query' : 'fragment'
  if (requested === 'query' && responseType !== 'code') return standard
  return RESPONSE_MODES.find((mode) => mode === requested) ?? standard
}
