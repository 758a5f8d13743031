import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import { type Parameters, parseParameters } from './form-parameters.ts'
import { bodyRefusal, bodyText, hasBody, readBody } from './request-body.ts'

const FORM = {
  contentType: 'application/x-www-form-urlencoded',
  withCharset: /^application\/x-www-form-urlencoded\s*(?:;\s*charset="?utf-8"?\s*)?$/i,
}

const LIMIT_BYTES = 65_536

/**
 * Reads a form as a record of strings; a request without a body has none. Rejects with `InvalidRequestError` for
 * another content type, a repeated parameter but the one of `mayRepeat` or broken encoding, and with status 413 for more
 * than `limitBytes`.
 */
export function readForm(
  req: IncomingMessage,
  { limitBytes = LIMIT_BYTES, mayRepeat }: { limitBytes?: number; mayRepeat?: string } = {},
): Promise<Parameters> {
  return readFormAs(req, (text) => parseParameters(text, mayRepeat), limitBytes)
}

/**
 * The pairs of a form as they came, repeated ones and U+0000 included, for an endpoint that reports these to the
 * client and not to the browser. Broken percent-encoding is read as browsers do.
 */
export function readFormPairs(req: IncomingMessage): Promise<URLSearchParams> {
  return readFormAs(req, (text) => new URLSearchParams(text), LIMIT_BYTES)
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
export function formBody({ limitBytes = LIMIT_BYTES }: { limitBytes?: number } = {}): RequestHandler {
  return async (req, _res, next) => {
    req.body = await readForm(req, { limitBytes })
    next()
  }
}
