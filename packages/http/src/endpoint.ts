import type { IncomingMessage, ServerResponse } from 'node:http'

/** Names and values in turn: the form that node:http writes without looking at each. */
export type HeaderList = readonly string[]

/** A whole answer of an endpoint. */
export interface Answer {
  readonly status: number
  readonly headers: HeaderList
  /** `Content-Length` is set from it; '' is no body. */
  readonly body: string
}

/** Answers a request; the error handler of the service answers its errors. */
export type AnswerRequest = (req: IncomingMessage) => Answer | Promise<Answer>

/**
 * A path that is asked so often that what Express does for each request would cost more than its answer; see
 * docs/decisions/0020. Everything else is a `Router`.
 */
export interface Endpoint {
  readonly path: string
  readonly methods: Readonly<Partial<Record<EndpointMethod, AnswerRequest>>>
  /** The origins whose pages may read it; none when left out. */
  readonly cors?: Cors
}

export type EndpointMethod = 'GET' | 'POST'

/** CORS headers of an endpoint, refusals included. */
export interface Cors {
  /** The CORS headers of the response to a request, of a page or of a caller that is no page. */
  headers(req: IncomingMessage): HeaderList | Promise<HeaderList>
  /** The answer to a page that asks first (Fetch Standard, CORS-preflight request). */
  preflight(req: IncomingMessage): Answer | Promise<Answer>
}

/** RFC 6749 section 5.1: responses that contain a token or data of one are not stored. */
export const NO_STORE: HeaderList = ['Cache-Control', 'no-store']

const JSON_TYPE: HeaderList = ['Content-Type', 'application/json; charset=utf-8']

/** 200 with the value as JSON. */
export function jsonAnswer(value: object, headers: HeaderList = []): Answer {
  return jsonTextAnswer(JSON.stringify(value), headers)
}

/** The same for a value that is written already. */
export function jsonTextAnswer(body: string, headers: HeaderList = []): Answer {
  return { status: 200, headers: [...headers, ...JSON_TYPE], body }
}

/** Sends an answer after `first`, the headers that do not depend on it. */
export function sendAnswer(res: ServerResponse, first: HeaderList, { status, headers, body }: Answer): void {
  const all = [...first, ...headers]
  // RFC 9110 section 8.6: neither 204 nor 304 has the length of a body that it does not send.
  if (status !== 204 && status !== 304) all.push('Content-Length', `${Buffer.byteLength(body)}`)
  res.writeHead(status, all)
  // A text leaves in one piece with its headers, bytes would be a piece of their own.
  endInOneTurn(res, body)
}

/** Adds these headers to a response that other code sends, unless that replaces them. */
export function setHeaders(res: ServerResponse, headers: HeaderList): void {
  for (let n = 0; n < headers.length; n += 2) res.setHeader(headers[n] ?? '', headers[n + 1] ?? '')
}

let waiting: [ServerResponse, string][] = []

/**
 * Sends all responses of one turn of the event loop together, at its end, which saves wake-ups of the receiver. Part of the
 * batching that the benchmark rows `client-credentials` and `introspect` measure (docs/decisions/0023). A server that is
 * not busy has one response a turn and waits for no other.
 */
export function endInOneTurn(res: ServerResponse, body: string): void {
  if (waiting.push([res, body]) === 1) setImmediate(endAll)
}

function endAll(): void {
  const all = waiting
  waiting = []
  for (const [res, body] of all) res.end(body)
}
