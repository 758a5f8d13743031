import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { InvalidRequestError } from '@signet/protocol/errors'

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
