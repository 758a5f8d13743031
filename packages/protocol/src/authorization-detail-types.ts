// The types of authorization details that a project defines (RFC 9396 section 2.1), and the rules for their JSON schemas.

import { isInheritedName, isObject } from './authorization-details.ts'
import { shownNameProblem, shownTextProblem } from './shown-text.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

/** A type of authorization details. The name of the type is the key under which a project has it. */
export interface DetailType {
  /** Heading of a detail on the consent page. */
  readonly title: string
  readonly description?: string | undefined
  /** JSON Schema 2020-12 of a detail, with the keywords of `KEYWORDS`. A detail has the members that it names. */
  readonly schema?: JsonSchema | undefined
}

export type DetailTypes = Readonly<Record<string, DetailType>>

type Path = readonly string[]

export interface DetailTypeProblem {
  /** Names of members from the types inwards. */
  readonly path: Path
  readonly rule: string
}

export const MOST_DETAIL_TYPES = 20
export const SCHEMA_BYTES_LIMIT = 4_000
/** A URI or a word. */
const TYPE_NAME = /^[A-Za-z0-9][A-Za-z0-9._~:/-]{0,199}$/
const MOST_LEVELS = 8
/** Each of them looks at each value of a detail at most once: 12 ms for details with the most values. */
const MOST_SCHEMAS = 100
const MOST_TITLE = 100
const MOST_DESCRIPTION = 500

/** The rules that the types of a project break. */
export function detailTypesProblems(types: DetailTypes): readonly DetailTypeProblem[] {
  const names = Object.keys(types)
  if (names.length > MOST_DETAIL_TYPES)
    return [{ path: [], rule: `may have at most ${MOST_DETAIL_TYPES} types` }]
  return names.flatMap((name) => typeProblems(name, types[name] as DetailType))
}

function typeProblems(
  name: string,
  { title, description, schema }: DetailType,
): readonly DetailTypeProblem[] {
  const at = (path: Path, rule: string | undefined) => (rule === undefined ? [] : [{ path, rule }])
  if (!TYPE_NAME.test(name) || isInheritedName(name))
    return at([], 'must have names of 1 to 200 letters, digits and . _ ~ : / -')
  return [
    ...at([name, 'title'], textProblem(title, MOST_TITLE)),
    ...(description === undefined
      ? []
      : at([name, 'description'], textProblem(description, MOST_DESCRIPTION))),
    ...(schema === undefined ? [] : schemaProblems(schema, [name, 'schema'])),
  ]
}

function textProblem(text: string, most: number): string | undefined {
  if (text.trim() === '' || text.length > most) return `must have 1 to ${most} characters`
  return shownNameProblem(text)
}

/**
 * The rules that a schema breaks. The managers of a project write one, and the sign-in pages run it: no keyword refers to
 * another schema or contains a regular expression, so that the time it takes is bounded by the sizes of schema and detail.
 */
export function schemaProblems(schema: JsonSchema, path: Path): readonly DetailTypeProblem[] {
  if (Buffer.byteLength(JSON.stringify(schema)) > SCHEMA_BYTES_LIMIT)
    return [{ path, rule: `may have at most ${SCHEMA_BYTES_LIMIT} bytes` }]
  const problem = schemaProblem(schema, path, 1)
  if (problem !== undefined) return [problem]
  return countSchemas(schema) > MOST_SCHEMAS
    ? [{ path, rule: `may have at most ${MOST_SCHEMAS} schemas inside each other` }]
    : []
}

type Rule = (value: unknown) => string | undefined

const createRule =
  (isMet: (value: unknown) => boolean, text: string): Rule =>
  (value) =>
    isMet(value) ? undefined : text

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
const isList = (value: unknown, most: number) =>
  Array.isArray(value) && value.length > 0 && value.length <= most
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']
const count = createRule(isCount, 'must be a whole number of 0 or more')
const number = createRule((value) => Number.isFinite(value), 'must be a number')
const text = createRule(
  (value) => typeof value === 'string' && shownTextProblem(value) === undefined,
  'must be a text that a page can show',
)

/** The keywords whose value is no schema. */
const KEYWORDS: Readonly<Record<string, Rule>> = {
  type: createRule(
    (value) => [value].flat().every((name) => TYPES.includes(String(name))),
    `must be of ${TYPES.join(', ')}`,
  ),
  required: createRule(
    (value) =>
      Array.isArray(value) && value.every((name) => typeof name === 'string' && !isInheritedName(name)),
    'must be a list of names of members',
  ),
  enum: createRule((value) => isList(value, 100), 'must be a list of 1 to 100 values'),
  const: () => undefined,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: createRule((value) => Number.isFinite(value) && Number(value) > 0, 'must be a number above 0'),
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  uniqueItems: createRule((value) => typeof value === 'boolean', 'must be true or false'),
  title: text,
  description: text,
}

/** The schemas inside a keyword, with the paths that they have there; undefined for a value that it does not take. */
type Inner = (value: unknown) => readonly (readonly [path: Path, schema: unknown])[] | undefined

const each: Inner = (value) =>
  isList(value, 10) ? (value as readonly unknown[]).map((schema, at) => [[String(at)], schema]) : undefined

const SCHEMA_KEYWORDS: Readonly<Record<string, Inner>> = {
  properties: (value) =>
    isObject(value) && !Object.keys(value).some(isInheritedName)
      ? Object.entries(value).map(([name, schema]) => [[name], schema])
      : undefined,
  additionalProperties: (value) => (typeof value === 'boolean' ? [] : [[[], value]]),
  items: (value) => [[[], value]],
  anyOf: each,
  oneOf: each,
}

const ALLOWED = [...Object.keys(KEYWORDS), ...Object.keys(SCHEMA_KEYWORDS)].join(', ')

function schemaProblem(schema: unknown, path: Path, level: number): DetailTypeProblem | undefined {
  if (!isObject(schema)) return { path, rule: 'must be an object with keywords of JSON Schema' }
  if (level > MOST_LEVELS) return { path, rule: `must not be nested deeper than ${MOST_LEVELS} levels` }
  for (const [keyword, value] of Object.entries(schema)) {
    const at = [...path, keyword]
    if (Object.hasOwn(KEYWORDS, keyword)) {
      const broken = KEYWORDS[keyword]?.(value)
      if (broken !== undefined) return { path: at, rule: broken }
      continue
    }
    const inner = Object.hasOwn(SCHEMA_KEYWORDS, keyword) ? SCHEMA_KEYWORDS[keyword] : undefined
    if (inner === undefined) return { path, rule: `takes no other keywords than ${ALLOWED}` }
    const schemas = inner(value)
    if (schemas === undefined) return { path: at, rule: 'must hold schemas' }
    for (const [below, one] of schemas) {
      const problem = schemaProblem(one, [...at, ...below], level + 1)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

/** Counts a schema without problems and those inside it. */
function countSchemas(schema: unknown): number {
  if (!isObject(schema)) return 1
  const inner = Object.entries(schema).flatMap(([keyword, value]) =>
    Object.hasOwn(SCHEMA_KEYWORDS, keyword) ? (SCHEMA_KEYWORDS[keyword]?.(value) ?? []) : [],
  )
  return inner.reduce((count, [, one]) => count + countSchemas(one), 1)
}
