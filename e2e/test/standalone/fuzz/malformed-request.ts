import fc from 'fast-check'
import { headerText, hostileText } from './hostile-text.ts'
import type { RawRequest } from './raw-request.ts'

type Parameters = Readonly<Record<string, string>>

/** An endpoint and a request that it would answer well. */
export interface Target {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly parameters: Parameters
  readonly headers?: Parameters
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND'] as const
const FORM = 'application/x-www-form-urlencoded'
const CONTENT_TYPES = [
  FORM,
  `${FORM}; charset=utf-16`,
  'application/json',
  'text/plain',
  'multipart/form-data; boundary=x',
  '',
]
const SUFFIXES = ['/', '//', '/..%2f', '/%zz', ';x', '/%00', '%2f', `/${'a'.repeat(3_000)}`]

/** The usual value of a request, and sometimes another one. */
const mostly = <T>(usual: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 15, arbitrary: fc.constant(usual) }, other)

/** Requests to one endpoint that are right but for something: parameters, encoding, headers, method or path. */
export function malformedRequest(target: Target, known: readonly string[]): fc.Arbitrary<RawRequest> {
  return fc
    .record({
      pairs: damagedPairs(target.parameters, known),
      method: mostly<string>(target.method, fc.constantFrom(...METHODS)),
      suffix: mostly('', fc.constantFrom(...SUFFIXES)),
      headers: damagedHeaders(target.headers ?? {}, known),
      contentType: mostly(FORM, fc.constantFrom(...CONTENT_TYPES)),
      raw: mostly<string | undefined>(undefined, hostileText(known)),
    })
    .map(({ pairs, method, suffix, headers, contentType, raw }) => {
      const encoded = raw ?? pairs
      const path = target.path + suffix
      if (target.method === 'GET') return { method, target: `${path}?${wire(encoded)}`, headers }
      const typed = contentType === '' ? {} : { 'content-type': contentType }
      return { method, target: path, headers: { ...headers, ...typed }, body: encoded }
    })
}

/** Makes pairs with some parameters replaced, left out, repeated or added; the rest unchanged. */
function damagedPairs(parameters: Parameters, known: readonly string[]): fc.Arbitrary<string> {
  const value = hostileText(known)
  const name = fc.oneof(fc.constantFrom(...Object.keys(parameters), 'x'), value)
  return fc
    .record({
      replaced: fc.dictionary(fc.constantFrom(...Object.keys(parameters), 'x'), fc.option(value), {
        minKeys: 1,
        maxKeys: 2,
      }),
      added: mostly([], fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 3 })),
      broken: mostly(false, fc.constant(true)),
    })
    .map(({ replaced, added, broken }) => {
      const kept = Object.entries({ ...parameters, ...replaced })
      const pairs = [...kept, ...added].filter((pair): pair is [string, string] => pair[1] !== null)
      const text = new URLSearchParams(pairs).toString()
      return broken ? text.replace('%', '%g') : text
    })
}

function damagedHeaders(headers: Parameters, known: readonly string[]): fc.Arbitrary<Parameters> {
  const value = headerText(known)
  const base64 = hostileText(known).map((text) => `Basic ${Buffer.from(text).toString('base64')}`)
  const authorization = fc.oneof(
    base64,
    value.map((text) => `Bearer ${text}`),
    value,
  )
  const others = fc.constantFrom(
    ...['cookie', 'accept-language', 'origin', 'referer', 'x-forwarded-for', 'x-request-id', 'traceparent'],
    ...['if-none-match', 'if-match', 'accept', 'content-encoding', 'range', 'user-agent', 'idempotency-key'],
  )
  return fc
    .record({
      authorization: mostly<string | undefined>(undefined, authorization),
      added: fc.dictionary(others, value, { maxKeys: 2 }),
    })
    .map(({ authorization: changed, added }) => ({
      ...headers,
      ...(changed !== undefined && { authorization: changed }),
      ...added,
    }))
}

/** A query as a client that encodes nothing would send it, as far as a request line can carry it. */
function wire(query: string): string {
  return query.replaceAll(/[^\x21-\x7e]/g, (character) =>
    Buffer.from(character).reduce((text, byte) => `${text}%${byte.toString(16).padStart(2, '0')}`, ''),
  )
}
