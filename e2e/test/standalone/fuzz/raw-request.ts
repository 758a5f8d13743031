import { request } from 'node:http'
import { constants } from 'node:os'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'

export interface RawRequest {
  readonly method: string
  /** Target as it goes over the wire, with its query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** Sends what `fetch` would tidy up. */
export function send(origin: string, { method, target, headers, body }: RawRequest): Promise<RawAnswer> {
  const { port } = new URL(origin)
  // Without it node sends the body of a GET as if it were the next request.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const options = {
      agent: false,
      host: '127.0.0.1',
      port,
      method,
      path: target,
      headers: { ...headers, ...length },
    }
    const req = request(options, (res) => {
      const { statusCode: status = 0, headers } = res
      text(res).then((received) => resolve({ status, headers, body: received }), reject)
    })
    req.on('error', reject)
    req.end(body)
  })
}

/** Names of system errors: some five capital letters between two hyphens are in one of a thousand key sets. */
const SYSTEM_ERRORS = Object.keys(constants.errno).filter((name) => name.length > 4)

/** Traces of the inside: stacks, sources, statements, names of tables, messages of systems and drivers. */
const INTERNALS = new RegExp(
  [
    /\bat [\w.<>]+ \(|node_modules|\.ts:\d+|(?:Type|Range|Syntax|Reference)Error|is not a function|of undefined/,
    /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM) \w|\b(?:grants|directory|directory_read|keys)\.\w+_|Unexpected token/,
    /violates|duplicate key|WRONGTYPE|NOSCRIPT|\b(?:ERROR|EXCEPTION|EAI_[A-Z]+|ERR_[A-Z_]+)\b/,
    new RegExp(`\\b(?:${SYSTEM_ERRORS.join('|')})\\b`),
  ]
    .map(({ source }) => source)
    .join('|'),
)

/** Random text contains anything between two hyphens of a token; the larger runs have hundreds of them. */
const TOKENS = /\bsg[a-z]{2}_[\w.-]+|\beyJ[\w-]+(?:\.[\w-]*)+/g

/** Expects a response that is no internal error and shows no internals. */
export function expectHarmless({ status, headers, body }: RawAnswer): void {
  expect(status).toBeGreaterThanOrEqual(200)
  expect(status).toBeLessThan(500)
  if (status === 429) expect(headers['retry-after']).toMatch(/^\d+$/)
  expect(body.replaceAll(TOKENS, '(token)')).not.toMatch(INTERNALS)
  expect(headers).not.toHaveProperty('x-injected')
  if (/^application\/json/.test(String(headers['content-type'])) && body !== '') JSON.parse(body)
}
