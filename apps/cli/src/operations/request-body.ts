import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import type { Operation, Schema } from '../api/operation.ts'
import { type CommandContext, createReadFailure, textOf } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { nearest } from '../suggestions.ts'
import { alternatives, isBase64, isXml, listOf, mayBeSeparatedByCommas, typesOf } from './field-types.ts'

interface BodyArguments {
  /** YAML or JSON; `-` is standard input. */
  readonly file: string | undefined
  /** Each `field=value`, `field+=entry` or `field-=entry`; they override the file. */
  readonly set: readonly string[]
}

export type Body = Readonly<Record<string, unknown>>

/** Entries to add to a stored list or to remove from it. */
export interface ListChange {
  readonly field: string
  readonly kind: '+=' | '-='
  readonly entries: readonly unknown[]
}

interface RequestBody {
  readonly body: Body
  readonly listChanges: readonly ListChange[]
}

/**
 * Returns the body of a request: `defaults`, overridden by the arguments. Throws UsageError when required arguments are missing
 * or an argument is invalid.
 */
export async function requestBody(
  { schema }: NonNullable<Operation['body']>,
  { file, set }: BodyArguments,
  context: Pick<CommandContext, 'standardInput'>,
  defaults: Body = {},
): Promise<RequestBody> {
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(defaults, name))
  if (file === undefined && set.length === 0 && missing.length > 0) {
    throw new UsageError(`give the fields with --set or --file; required are ${missing.join(', ')}`)
  }
  const read = file === undefined ? {} : await readBody(file, schema, context)
  const assignments = await Promise.all(set.map((text) => readAssignment(text, schema)))
  const started = new Set<string>()
  let body: Body = { ...defaults, ...read }
  for (const { field, kind, value } of assignments) {
    if (kind !== '=') continue
    const path = field.split('.')
    // A second `--set roles=…` adds an entry to the list of the first one.
    const before = started.has(field) ? valueAt(body, path) : undefined
    body = withValue(
      body,
      path,
      Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value,
    )
    started.add(field)
  }
  const listChanges = assignments.flatMap(({ field, kind, value }) =>
    kind === '=' ? [] : [{ field, kind, entries: value as readonly unknown[] }],
  )
  return { body, listChanges }
}

async function readBody(
  file: string,
  { properties = {} }: Schema,
  context: Pick<CommandContext, 'standardInput'>,
): Promise<Body> {
  const text = await textOf(file, context).catch(createReadFailure(file, '--file: '))
  const [xml] = Object.entries(properties).find(([, field]) => isXml(field)) ?? []
  if (xml !== undefined && /^\ufeff?\s*</.test(text)) return { [xml]: text }
  const body: unknown = parseText(text, file)
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Body
  throw new UsageError(`--file: ${file} must hold an object`)
}

function parseText(text: string, file: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    const [reason] = (cause as Error).message.split('\n')
    throw new UsageError(`--file: ${file} is neither YAML nor JSON: ${reason}`, { cause })
  }
}

interface Assignment {
  readonly field: string
  readonly kind: '=' | ListChange['kind']
  readonly value: unknown
}

/**
 * Reads `--set profile.givenName=Erin`, and for a field in Base64 or XML also `--set content=@logo.png`. Rejects with UsageError for an
 * unknown field, an invalid value, and a file that cannot be read.
 */
async function readAssignment(text: string, schema: Schema): Promise<Assignment> {
  const [, field = '', kind = '', value = ''] = /^([^=]+?)([+-]?=)(.*)$/s.exec(text) ?? []
  if (field === '') throw new UsageError(`--set ${text.slice(0, 100)}: must be field=value`)
  const found = schemaAt(schema, field.split('.'))
  if (kind !== '=' && listOf(found) === undefined) {
    throw new UsageError(`--set ${field}${kind}: ${field} is not a list; use ${field}=value`)
  }
  if ((isBase64(found) || isXml(found)) && value.startsWith('@')) {
    const file = value.slice(1)
    const content = await readFile(file).catch(createReadFailure(file, `--set ${field}: `))
    return { field, kind: '=', value: content.toString(isXml(found) ? 'utf8' : 'base64') }
  }
  return { field, kind: kind as Assignment['kind'], value: parsedAs(value, found, field) }
}

export function withValue(target: unknown, [name = '', ...rest]: readonly string[], value: unknown): Body {
  const members = typeof target === 'object' && target !== null ? (target as Body) : {}
  return { ...members, [name]: rest.length === 0 ? value : withValue(members[name], rest, value) }
}

export function valueAt(target: unknown, path: readonly string[]): unknown {
  return path.reduce((found, name) => Object(found)[name] as unknown, target)
}

function schemaAt(schema: Schema, path: readonly string[]): Schema {
  return path.reduce<Schema>((found, name, depth) => {
    const object = alternatives(found).find(({ properties }) => properties !== undefined)
    if (object === undefined) return {}
    const members = object.properties ?? {}
    if (Object.hasOwn(members, name)) return members[name] as Schema
    const known = Object.keys(members)
    const close = nearest(name, known)
    const advice = close === undefined ? '' : `did you mean ${[...path.slice(0, depth), close].join('.')}? `
    const given = path.slice(0, depth + 1).join('.')
    throw new UsageError(`--set ${given}: is not a field; ${advice}there are ${known.join(', ')}`)
  }, schema)
}

/** Converts a text to the type of its schema; `null` deletes the field if the schema allows null. */
function parsedAs(text: string, schema: Schema, field: string): unknown {
  const types = typesOf(schema)
  if (text === 'null' && types.includes('null')) return null
  const list = listOf(schema)
  if (list !== undefined) return entriesOf(text, list, field)
  const [, parse] = PARSERS.find(([type]) => types.includes(type)) ?? ['', parseJson]
  const value = parse(text)
  if (value !== undefined) return value
  if (types.includes('string') || types.length === 0) return text
  const [member] = alternatives(schema).flatMap(({ properties = {} }) => Object.keys(properties))
  if (member !== undefined)
    throw new UsageError(`--set ${field}: has fields, such as --set ${field}.${member}=VALUE`)
  const expected = types.filter((type) => type !== 'null').map((type) => EXPECTED[type] ?? type)
  throw new UsageError(`--set ${field}: must be ${expected.join(' or ')}`)
}

/** An empty text is an empty list. Objects, and several entries with commas, are written as JSON. */
function entriesOf(text: string, { items = {} }: Schema, field: string): readonly unknown[] {
  if (text === '') return []
  const json = text.startsWith('[') ? parseJson(text) : undefined
  if (Array.isArray(json)) return json
  const entries = mayBeSeparatedByCommas(items) ? text.split(',') : [text]
  return entries.map((entry) => parsedAs(entry, items, field))
}

type Parser = readonly [type: string, parse: (text: string) => unknown]

/** The first parser for a type of the field is used. It returns undefined for an invalid value. */
const PARSERS: readonly Parser[] = [
  ['boolean', (text) => (text === 'true' ? true : text === 'false' ? false : undefined)],
  ['integer', (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined)],
  ['number', (text) => (/^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : undefined)],
  ['string', (text) => text],
]

const EXPECTED: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'JSON such as {"name": "value"}',
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
