import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { InvalidRequestError } from '@signet/protocol/errors'
import type { RequestHandler } from 'express'

// WHATWG URL section 5.1 with the rules of RFC 6749 section 3.1 for parameters.

/** The parameters of a query string or a form body, decoded. */
export type FormParameters = Readonly<Record<string, string>>

interface Repetition {
  readonly mayRepeat?: readonly string[] | undefined
  /** The names that the endpoint reads. */
  readonly reads?: ReadonlySet<string> | undefined
}

/**
 * Reads `application/x-www-form-urlencoded` text. A repeated parameter, malformed percent-encoding, broken UTF-8 and
 * U+0000 throw `InvalidRequestError`; a parameter without a value is as good as omitted (RFC 6749 section 3.1). The
 * values of a parameter of `mayRepeat` are joined by spaces. With `reads`, other parameters are left out,
 * repeated ones too.
 */
export function parseParameters(text: string, { mayRepeat, reads }: Repetition = {}): FormParameters {
  // Without a prototype, `__proto__` and `constructor` are names like any other.
  const parameters: Record<string, string> = Object.create(null)
  const empty: string[] = []
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1))
    if (reads?.has(name) === false) continue
    const earlier = parameters[name]
    if (earlier !== undefined && mayRepeat?.includes(name) !== true) throw repeated(name)
    parameters[name] = earlier === undefined ? value : `${earlier} ${value}`.trim()
    if (parameters[name] === '') empty.push(name)
  }
  for (const name of empty) if (parameters[name] === '') delete parameters[name]
  return parameters
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  const decoded = spaced.includes('%') ? decodePercents(spaced) : spaced
  // PostgreSQL cannot store U+0000, and no parameter has a use for it.
  if (decoded.includes('\0'))
    throw malformed('a parameter holds a zero character', 'parameter_zero_character')
  return decoded
}

function decodePercents(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw malformed('a parameter is not percent-encoded UTF-8', 'parameter_encoding')
  }
}

function repeated(name: string): InvalidRequestError {
  // Only a name that looks like one is repeated; other text could be confidential.
  const named = /^\w{1,40}$/.test(name) ? `the parameter ${name}` : 'a parameter'
  return malformed(`${named} is given more than once`, 'parameter_repeated')
}

function malformed(description: string, reason: string): InvalidRequestError {
  return new InvalidRequestError(description, { reason })
}

interface BodyFormat {
  readonly contentType: string
  /** The content type with the parameters that it may have. */
  readonly withCharset: RegExp
}

/** Whether the request announces a body; an empty one counts as none. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined
}

/** The problem of a request before any of its body is read. */
export function bodyRefusal(
  req: IncomingMessage,
  { contentType, withCharset }: BodyFormat,
  limitBytes: number,
): InvalidRequestError | undefined {
  if (!hasBody(req)) return undefined
  const { 'content-type': type = '', 'content-encoding': encoding, 'content-length': announced } = req.headers
  if (type !== contentType && !withCharset.test(type)) {
    return new InvalidRequestError(`the body must be ${contentType} in UTF-8`, { reason: 'content_type' })
  }
  if (encoding !== undefined && encoding !== 'identity') {
    return new InvalidRequestError('the body must not be compressed', { reason: 'content_encoding' })
  }
  return Number(announced ?? 0) > limitBytes ? tooLarge(req, limitBytes) : undefined
}

/** The text of a body. Throws `InvalidRequestError` for bytes that are not UTF-8. */
export function bodyText(body: Buffer): string {
  if (!isUtf8(body)) throw new InvalidRequestError('the body is not UTF-8', { reason: 'body_encoding' })
  return body.toString('utf8')
}

/** Calls one of the two, once. Callbacks because this runs for every request: promises took a fifth of it. */
export function readBody(
  req: IncomingMessage,
  limitBytes: number,
  received: (body: Buffer) => void,
  refused: (error: InvalidRequestError) => void,
): void {
  // An earlier end emits no event any more.
  if (req.destroyed) refused(endedEarly())
  else if (req.complete) takeBody(req, limitBytes, received, refused)
  else collectBody(req, limitBytes, received, refused)
}

type ReadBody = Parameters<typeof readBody>

/** The same for a body that has come as a whole, which most have when their request is looked at. */
function takeBody(...[req, limitBytes, received, refused]: ReadBody): void {
  const body: Buffer = req.read() ?? Buffer.alloc(0)
  if (body.length > limitBytes) refused(tooLarge(req, limitBytes))
  else received(body)
}

/** The same for a body of which some is still to come. */
function collectBody(...[req, limitBytes, received, refused]: ReadBody): void {
  const chunks: Buffer[] = []
  let bytes = 0
  let settled = false
  const aborted = () => {
    if (settled) return
    settled = true
    refused(endedEarly())
  }
  req.on('data', (chunk: Buffer) => {
    if (settled) return
    bytes += chunk.length
    chunks.push(chunk)
    if (bytes <= limitBytes) return
    settled = true
    refused(tooLarge(req, limitBytes))
  })
  req.on('end', () => {
    if (settled) return
    settled = true
    received(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
  })
  req.on('error', aborted)
  req.on('close', aborted)
}

function endedEarly(): InvalidRequestError {
  return new InvalidRequestError('the body ended early', { reason: 'body_aborted' })
}

/** The rest of the body is thrown away as it comes, and the connection ends with the answer. */
function tooLarge(req: IncomingMessage, limitBytes: number): InvalidRequestError {
  req.resume()
  return new InvalidRequestError(`the body is larger than ${limitBytes} bytes`, {
    reason: 'body_too_large',
    status: 413,
    headers: { Connection: 'close' },
  })
}

const FORM = {
  contentType: 'application/x-www-form-urlencoded',
  withCharset: /^application\/x-www-form-urlencoded\s*(?:;\s*charset="?utf-8"?\s*)?$/i,
}

const LIMIT_BYTES = 65_536

/**
 * Reads a form as a record of strings; a request without a body has none. Rejects with `InvalidRequestError` for
 * another content type, a repeated parameter but those of `mayRepeat`, or broken encoding, and with status 413 for more
 * than `limitBytes`. With `reads`, other parameters are left out.
 */
export function readForm(
  req: IncomingMessage,
  { limitBytes = LIMIT_BYTES, ...repetition }: { limitBytes?: number } & Repetition = {},
): Promise<FormParameters> {
  return readFormAs(req, (text) => parseParameters(text, repetition), limitBytes)
}

/**
 * The pairs of a form as they came, repeated ones and U+0000 included, for an endpoint that reports these to the
 * client and not to the browser. Broken percent-encoding is read as browsers do.
 */
export function readFormPairs(
  req: IncomingMessage,
  { limitBytes = LIMIT_BYTES }: { limitBytes?: number } = {},
): Promise<URLSearchParams> {
  return readFormAs(req, (text) => new URLSearchParams(text), limitBytes)
}

function readFormAs<T>(req: IncomingMessage, parse: (text: string) => T, limitBytes: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const refusal = bodyRefusal(req, FORM, limitBytes)
    if (refusal !== undefined) return reject(refusal)
    if (!hasBody(req)) return resolve(parse(''))
    const received = (body: Buffer) => {
      try {
        resolve(parse(bodyText(body)))
      } catch (error) {
        reject(error)
      }
    }
    readBody(req, limitBytes, received, reject)
  })
}

/** The same for a `Router`, into `req.body`. */
export function createFormBodyParser({
  limitBytes = LIMIT_BYTES,
}: {
  limitBytes?: number
} = {}): RequestHandler {
  return async (req, _res, next) => {
    req.body = await readForm(req, { limitBytes })
    next()
  }
}

/** The parameters in the request's URL, under the same rules as a form body. */
export function queryParameters(req: IncomingMessage): FormParameters {
  const url = req.url ?? ''
  const question = url.indexOf('?')
  return parseParameters(question === -1 ? '' : url.slice(question + 1))
}
