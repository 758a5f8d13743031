import type { RequestHandler } from 'express'
import { parseParameters } from './form-parameters.ts'
import { bodyRefusal, bodyText, hasBody, readBody } from './request-body.ts'

const FORM = {
  contentType: 'application/x-www-form-urlencoded',
  withCharset: /^application\/x-www-form-urlencoded\s*(?:;\s*charset="?utf-8"?\s*)?$/i,
}

/**
 * Reads a form into `req.body` as a record of strings; a request without a body has none. Throws
 * `InvalidRequestError` for another content type, a repeated parameter or broken encoding, and with status 413 for
 * more than `limitBytes`.
 */
export function formBody({ limitBytes = 65_536 }: { limitBytes?: number } = {}): RequestHandler {
  return (req, _res, next) => {
    const refusal = bodyRefusal(req, FORM, limitBytes)
    if (refusal !== undefined) throw refusal
    if (!hasBody(req)) {
      req.body = parseParameters('')
      return next()
    }
    const received = (body: Buffer) => {
      try {
        req.body = parseParameters(bodyText(body))
      } catch (error) {
        return next(error)
      }
      next()
    }
    readBody(req, limitBytes, received, next)
  }
}
