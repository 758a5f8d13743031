import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { InvalidRequestError } from '@signet/oauth-protocol/errors'
import type { RequestHandler } from 'express'
import { parseParameters } from './form-parameters.ts'

const FORM = /^application\/x-www-form-urlencoded\s*(?:;\s*charset="?utf-8"?\s*)?$/i

/**
 * Reads a form into `req.body` as a record of strings; a request without a body has none. Throws
 * `InvalidRequestError` for another content type, a repeated parameter or broken encoding, and with status 413 for
 * more than `limitBytes`.
 */
export function formBody({ limitBytes = 65_536 }: { limitBytes?: number } = {}): RequestHandler {
  return async (req, _res, next) => {
    req.body = parseParameters(await readForm(req, limitBytes))
    next()
  }
}

async function readForm(req: IncomingMessage, limitBytes: number): Promise<string> {
  const announced = req.headers['content-length']
  if ((announced === undefined || announced === '0') && req.headers['transfer-encoding'] === undefined)
    return ''
  if (!FORM.test(req.headers['content-type'] ?? '')) {
    throw new InvalidRequestError('the body must be application/x-www-form-urlencoded in UTF-8', {
      reason: 'content_type',
    })
  }
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new InvalidRequestError('the body must not be compressed', { reason: 'content_encoding' })
  }
  if (Number(announced ?? 0) > limitBytes) throw tooLarge(req, limitBytes)
  const body = await readBody(req, limitBytes)
  if (!isUtf8(body)) throw new InvalidRequestError('the body is not UTF-8', { reason: 'body_encoding' })
  return body.toString('utf8')
}

function readBody(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const settle = (result: () => void) => {
      req.off('data', take).off('end', finish).off('error', abort).off('close', abort)
      result()
    }
    const take = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > limitBytes) settle(() => reject(tooLarge(req, limitBytes)))
      else chunks.push(chunk)
    }
    const finish = () => settle(() => resolve(Buffer.concat(chunks)))
    const abort = () =>
      settle(() => reject(new InvalidRequestError('the body ended early', { reason: 'body_aborted' })))
    req.on('data', take).once('end', finish).once('error', abort).once('close', abort)
  })
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
