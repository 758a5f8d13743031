import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { InvalidRequestError } from '@signet/oauth-protocol/errors'
import type { RequestHandler } from 'express'
import { parseParameters } from './form-parameters.ts'

const PLAIN_FORM = 'application/x-www-form-urlencoded'
const FORM = /^application\/x-www-form-urlencoded\s*(?:;\s*charset="?utf-8"?\s*)?$/i

/**
 * Reads a form into `req.body` as a record of strings; a request without a body has none. Throws
 * `InvalidRequestError` for another content type, a repeated parameter or broken encoding, and with status 413 for
 * more than `limitBytes`.
 */
export function formBody({ limitBytes = 65_536 }: { limitBytes?: number } = {}): RequestHandler {
  return (req, _res, next) => {
    const refusal = refusalOf(req, limitBytes)
    if (refusal !== undefined) throw refusal
    if (!hasBody(req)) {
      req.body = parseParameters('')
      return next()
    }
    const received = (body: Buffer) => {
      try {
        req.body = parseParameters(decoded(body))
      } catch (error) {
        return next(error)
      }
      next()
    }
    readBody(req, limitBytes, received, next)
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined
}

/** What is wrong with a request before any of its body is read. */
function refusalOf(req: IncomingMessage, limitBytes: number): InvalidRequestError | undefined {
  if (!hasBody(req)) return undefined
  const { 'content-type': type = '', 'content-encoding': encoding, 'content-length': announced } = req.headers
  if (type !== PLAIN_FORM && !FORM.test(type)) {
    return new InvalidRequestError('the body must be application/x-www-form-urlencoded in UTF-8', {
      reason: 'content_type',
    })
  }
  if (encoding !== undefined && encoding !== 'identity') {
    return new InvalidRequestError('the body must not be compressed', { reason: 'content_encoding' })
  }
  return Number(announced ?? 0) > limitBytes ? tooLarge(req, limitBytes) : undefined
}

function decoded(body: Buffer): string {
  if (!isUtf8(body)) throw new InvalidRequestError('the body is not UTF-8', { reason: 'body_encoding' })
  return body.toString('utf8')
}

/** Calls one of the two, once. Callbacks because this runs for every request: promises took a fifth of it. */
function readBody(
  req: IncomingMessage,
  limitBytes: number,
  received: (body: Buffer) => void,
  refused: (error: InvalidRequestError) => void,
): void {
  const chunks: Buffer[] = []
  let bytes = 0
  let settled = false
  const aborted = () => {
    if (settled) return
    settled = true
    refused(new InvalidRequestError('the body ended early', { reason: 'body_aborted' }))
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

/** The rest of the body is thrown away as it comes, and the connection ends with the answer. */
function tooLarge(req: IncomingMessage, limitBytes: number): InvalidRequestError {
  req.resume()
  return new InvalidRequestError(`the body is larger than ${limitBytes} bytes`, {
    reason: 'body_too_large',
    status: 413,
    headers: { Connection: 'close' },
  })
}
