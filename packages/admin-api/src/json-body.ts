import { bodyRefusal, bodyText, hasBody, readBody } from '@signet/http/forms'
import type { RequestHandler } from 'express'
import { ApiError } from './api-error.ts'
import { invalidFields } from './json-error-handler.ts'

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

/** Nothing that these APIs take is nested deeper. */
const MOST_LEVELS = 32
/** The tokens that structure a valid text. A string is one token, so that its content does not count. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g

/**
 * The object of a JSON text (RFC 8259), its names in lowerCamelCase at every depth. Throws ApiError INVALID_ARGUMENT
 * for another text or value, a name given twice (in both spellings too), U+0000, and more than 32 levels. Names below
 * a member listed in `opaque` belong to the caller and are kept.
 */
export function parseJsonObject(
  text: string,
  opaque: ReadonlySet<string> = new Set(),
): Record<string, unknown> {
  const value = parse(text)
  checkStructure(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notAnObject()
  return camelCased(value, opaque, '') as Record<string, unknown>
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ApiError('INVALID_ARGUMENT', 'the body is not JSON', { reason: 'json_malformed', cause })
  }
}

function notAnObject(): ApiError {
  return new ApiError('INVALID_ARGUMENT', 'the body must be a JSON object', { reason: 'json_not_object' })
}

/** Finds the input that `JSON.parse` accepts: parsers of a repeated name differ in the value that they take. */
function checkStructure(text: string): void {
  const open: (Set<string> | undefined)[] = []
  let name = ''
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token !== ':') name = token
    else addName(open.at(-1), JSON.parse(name))
    if (open.length > MOST_LEVELS) {
      throw new ApiError('INVALID_ARGUMENT', `the body is nested deeper than ${MOST_LEVELS} levels`, {
        reason: 'json_too_deep',
      })
    }
  }
}

function addName(names: Set<string> | undefined, name: string): void {
  if (names?.has(name)) throw invalidFields([{ field: shown(name), rule: 'is given more than once' }])
  names?.add(name)
}

function camelCased(value: unknown, opaque: ReadonlySet<string> | undefined, path: string): unknown {
  if (typeof value === 'string') return withoutZeroCharacter(value, path)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((entry, at) => camelCased(entry, opaque, `${path}[${at}]`))
  const members = new Map<string, unknown>()
  for (const [written, member] of Object.entries(value)) {
    const name = withoutZeroCharacter(opaque === undefined ? written : camelName(written), path)
    const memberPath = path === '' ? shown(name) : `${path}.${shown(name)}`
    if (members.has(name)) {
      throw invalidFields([{ field: memberPath, rule: 'is given twice, also in snake_case' }])
    }
    members.set(name, camelCased(member, opaque?.has(name) ? undefined : opaque, memberPath))
  }
  // Not by assignment: `__proto__` is a name like any other.
  return Object.fromEntries(members)
}

const camelName = (name: string): string =>
  name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** PostgreSQL cannot store U+0000, and no field has a use for it. */
function withoutZeroCharacter(text: string, path: string): string {
  if (text.includes('\0')) throw invalidFields([{ field: path, rule: 'holds a zero character' }])
  return text
}

const shown = (name: string): string => (/^\w{1,60}$/.test(name) ? name : '(unprintable)')
