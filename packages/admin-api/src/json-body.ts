import { bodyRefusal, bodyText, hasBody, readBody } from '@signet/http/request-body'
import type { RequestHandler } from 'express'
import { ApiError } from './api-error.ts'
import { parseJsonObject } from './json-text.ts'

const JSON_FORMAT = {
  contentType: 'application/json',
  withCharset: /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i,
}

interface JsonBodyOptions {
  readonly limitBytes?: number
  /** Members whose own members have names of their writer's choice, such as `metadata`. */
  readonly opaque?: readonly string[]
}

/**
 * Reads a JSON object into `req.body`, its names in lowerCamelCase. Throws for a missing body, another content type
 * and everything that `parseJsonObject` refuses, and with status 413 for more than `limitBytes`.
 */
export function jsonBody({ limitBytes = 65_536, opaque = [] }: JsonBodyOptions = {}): RequestHandler {
  const opaqueNames = new Set(opaque)
  return (req, _res, next) => {
    if (!hasBody(req)) {
      throw new ApiError('INVALID_ARGUMENT', 'the body must be a JSON object', { reason: 'body_missing' })
    }
    const refusal = bodyRefusal(req, JSON_FORMAT, limitBytes)
    if (refusal !== undefined) throw refusal
    const received = (body: Buffer) => {
      try {
        req.body = parseJsonObject(bodyText(body), opaqueNames)
      } catch (error) {
        return next(error)
      }
      next()
    }
    readBody(req, limitBytes, received, next)
  }
}
