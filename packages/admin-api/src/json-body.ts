import type { IncomingMessage } from 'node:http'
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
  /** Most members and elements: the cost of checking a body grows with their number. */
  readonly mostValues?: number | undefined
  /** Members whose own members have names of their writer's choice, such as `metadata`. */
  readonly opaque?: readonly string[] | undefined
}

/** Reads a JSON object into `req.body`, as `readJsonObject` does. */
export function createJsonBodyParser(options: JsonBodyOptions = {}): RequestHandler {
  return (req, _res, next) => {
    readJsonObject(req, options).then((body) => {
      req.body = body
      next()
    }, next)
  }
}

/**
 * Reads the JSON object of a body, its names in lowerCamelCase. Rejects for a missing body, another content type
 * and everything that `parseJsonObject` refuses, and with status 413 for more than `limitBytes`.
 */
export function readJsonObject(
  req: IncomingMessage,
  { limitBytes = 65_536, mostValues, opaque = [] }: JsonBodyOptions = {},
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    if (!hasBody(req)) {
      throw new ApiError('INVALID_ARGUMENT', 'the body must be a JSON object', { reason: 'body_missing' })
    }
    const refusal = bodyRefusal(req, JSON_FORMAT, limitBytes)
    if (refusal !== undefined) throw refusal
    const received = (body: Buffer) => {
      try {
        resolve(parseJsonObject(bodyText(body), new Set(opaque), mostValues))
      } catch (error) {
        reject(error)
      }
    }
    readBody(req, limitBytes, received, reject)
  })
}

/** Limit of nested levels: no body of these APIs needs more. */
const MOST_LEVELS = 32
/** Several times what the largest body has, but for bootstrap files. */
const MOST_VALUES = 5_000
/** The tokens that structure a valid text. A string is one token, so that its content does not count. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]/g

/**
 * The object of a JSON text (RFC 8259), its names in lowerCamelCase at every depth. Throws ApiError INVALID_ARGUMENT
 * for another text or value, a name given twice (in both spellings too), U+0000, half a surrogate pair, more than 32
 * levels and more than `mostValues` members and elements. Names below a member listed in `opaque` belong to the caller and
 * are kept.
 */
export function parseJsonObject(
  text: string,
  opaque: ReadonlySet<string> = new Set(),
  mostValues: number = MOST_VALUES,
): Record<string, unknown> {
  const value = parse(text)
  checkStructure(text, mostValues)
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
function checkStructure(text: string, mostValues: number): void {
  const open: (Set<string> | undefined)[] = []
  let name = ''
  let values = 0
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':') addName(open.at(-1), JSON.parse(name))
    else if (token !== ',') name = token
    if (SEPARATORS.has(token)) values += 1
    if (values > mostValues) {
      throw new ApiError('INVALID_ARGUMENT', `the body has more than ${mostValues} members and elements`, {
        reason: 'json_too_many_values',
      })
    }
    if (open.length > MOST_LEVELS) {
      throw new ApiError('INVALID_ARGUMENT', `the body is nested deeper than ${MOST_LEVELS} levels`, {
        reason: 'json_too_deep',
      })
    }
  }
}

/** Before each member and element stands one of them. */
const SEPARATORS: ReadonlySet<string> = new Set(['{', '[', ','])

function addName(names: Set<string> | undefined, name: string): void {
  if (names?.has(name)) throw invalidFields([{ field: shown(name), rule: 'is given more than once' }])
  names?.add(name)
}

function camelCased(value: unknown, opaque: ReadonlySet<string> | undefined, path: string): unknown {
  if (typeof value === 'string') return storable(value, path)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((entry, at) => camelCased(entry, opaque, `${path}[${at}]`))
  const members = new Map<string, unknown>()
  for (const [written, member] of Object.entries(value)) {
    const name = storable(opaque === undefined ? written : camelName(written), path)
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

/** PostgreSQL can store neither U+0000 nor half a surrogate pair, and no field has a use for them. */
function storable(text: string, path: string): string {
  if (text.includes('\0')) throw invalidFields([{ field: path, rule: 'holds a zero character' }])
  if (!text.isWellFormed()) throw invalidFields([{ field: path, rule: 'holds half a surrogate pair' }])
  return text
}

const shown = (name: string): string => (/^\w{1,60}$/.test(name) ? name : '(unprintable)')
