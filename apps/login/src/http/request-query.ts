import type { IncomingMessage } from 'node:http'
import { type RequestParameters, requestParameters } from '../authorize/parameters.ts'

/**
 * The query of a request that may have to be answered by a redirect: repeated parameters and U+0000 are noted instead
 * of refused at once, because the error goes to the client.
 */
export function requestQuery(req: IncomingMessage): RequestParameters {
  const url = req.url ?? ''
  const question = url.indexOf('?')
  return requestParameters(new URLSearchParams(question === -1 ? '' : url.slice(question + 1)))
}

/** The languages that a request wishes its pages in. Never an error: the page may be about one. */
export function wishedLocales(req: IncomingMessage): string | undefined {
  const url = req.url ?? ''
  const question = url.indexOf('?')
  return question === -1
    ? undefined
    : (new URLSearchParams(url.slice(question + 1)).get('ui_locales') ?? undefined)
}

/** The value of a parameter of our own, when it is the only one: clients may send any other name themselves. */
export function onlyParameter(req: IncomingMessage, name: string): string | undefined {
  const match = new RegExp(`\\?${name}=([A-Za-z0-9_-]+)$`).exec(req.url ?? '')
  return match?.[1]
}
