import type { z } from 'zod'
import { parseJson } from '../json-stream/json-scanner.ts'
import { UnexpectedJsonError } from '../json-stream/json-values.ts'

/** A problem of one record: the place of the record, the field, and the rule that the field breaks. */
export interface RecordProblem {
  readonly organization: number
  /** Absent when the id stands after the record in the document, or is missing. */
  readonly organizationId?: string
  readonly list?: string
  readonly index?: number
  /** Path inside the record; empty for the record itself. */
  readonly field: string
  readonly rule: string
}

/** `orgs[0].humanUsers[17].user.userName: must not be empty`; never a value of the document. */
export function problemText({
  organization,
  organizationId,
  list,
  index,
  field,
  rule,
}: RecordProblem): string {
  const record = list === undefined ? '' : `.${list}${index === undefined ? '' : `[${index}]`}`
  const place = `orgs[${organization}]${record}${field === '' ? '' : `.${field}`}`
  return `${place}${organizationId === undefined ? '' : ` (organization ${organizationId})`}: ${rule}`
}

type Checked<T> = { readonly record: T } | RefusedRecord<T>
export type FieldProblem = Pick<RecordProblem, 'field' | 'rule'>

interface RefusedRecord<T> {
  readonly problems: readonly FieldProblem[]
  /** The text of the record, or `{"unreadable": BASE64}` when its bytes are not JSON in UTF-8. */
  readonly text: string
  /** The parsed record with known names in lowerCamelCase; undefined when it is not readable. */
  readonly value?: unknown
  /** The record without its invalid credentials; undefined when another field is invalid, too. */
  readonly withoutCredentials?: T
}

/** The paths of credentials, each with the paths that are removed together with it. */
export type Credentials = Readonly<Record<string, readonly string[]>>

/** Problems that are reported for one record. */
const MOST_PROBLEMS = 5

type Validated<T> = { readonly record: T } | { readonly problems: readonly FieldProblem[] }

const createValidation =
  <S extends z.ZodType>(schema: S) =>
  (value: unknown, mayHoldZero: boolean): Validated<z.output<S>> => {
    // PostgreSQL cannot store U+0000, and no field has a use for it.
    const place = mayHoldZero ? findZeroCharacter(value, '') : undefined
    if (place !== undefined) return { problems: [{ field: place, rule: 'holds a zero character' }] }
    const result = schema.safeParse(value)
    return result.success ? { record: result.data } : { problems: result.error.issues.map(toProblem) }
  }

/** U+0000 as an escape sequence of JSON. */
const ZERO = '\\u0000'

/** Creates the check of one kind of record from its schema. */
export function createRecordCheck<S extends z.ZodType>(
  schema: S,
  credentials: Credentials = {},
): (bytes: Buffer, dropped: (name: string) => void) => Checked<z.output<S>> {
  const known: KnownNames = knownNames(schema)
  const validate = createValidation(schema)

  return (bytes, dropped) => {
    let value: unknown
    try {
      value = withKnownNames(parseJson(bytes, 'the record'), known, dropped)
    } catch (error) {
      if (error instanceof UnexpectedJsonError) {
        const text = JSON.stringify({ unreadable: bytes.toString('base64') })
        return { problems: [{ field: '', rule: ruleOf(error) }], text }
      }
      return { problems: [givenTwice(error)], text: bytes.toString('utf8') }
    }
    const mayHoldZero = bytes.includes(ZERO)
    const checked = validate(value, mayHoldZero)
    if ('record' in checked) return checked
    const { problems } = checked
    const refused = { problems: problems.slice(0, MOST_PROBLEMS), text: bytes.toString('utf8'), value }
    const rest = withoutInvalidCredentials(value, problems, credentials)
    const restChecked = rest === undefined ? undefined : validate(rest, mayHoldZero)
    return restChecked !== undefined && 'record' in restChecked
      ? { ...refused, withoutCredentials: restChecked.record }
      : refused
  }
}

/**
 * Creates a check like `recordCheck` for values in memory, because writing and parsing JSON takes longer than the check. The
 * values contain only types of JSON and undefined; `text` is their JSON.
 */
export function createValueCheck<S extends z.ZodType>(
  schema: S,
): (value: unknown, text: string, dropped: (name: string) => void) => Validated<z.output<S>> {
  const known: KnownNames = knownNames(schema)
  const validate = createValidation(schema)

  return (value, text, dropped) => {
    let named: unknown
    try {
      named = withKnownNames(value, known, dropped)
    } catch (error) {
      return { problems: [givenTwice(error)] }
    }
    const checked = validate(named, text.includes(ZERO))
    return 'record' in checked ? checked : { problems: checked.problems.slice(0, MOST_PROBLEMS) }
  }
}

/** Converts an error of `withKnownNames` to a problem; rethrows other errors. */
function givenTwice(error: unknown): FieldProblem {
  if (!(error instanceof RangeError)) throw error
  return { field: shown(error.message), rule: 'is given twice, also in snake_case' }
}

/** Copies the value without its invalid credentials. Returns undefined when another member is invalid. */
function withoutInvalidCredentials(
  value: unknown,
  problems: readonly FieldProblem[],
  credentials: Credentials,
): unknown {
  const invalid = problems.map(({ field }) =>
    Object.keys(credentials).find(
      (path) => field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`),
    ),
  )
  if (invalid.includes(undefined)) return undefined
  const rest = structuredClone(value)
  for (const path of new Set(invalid.flatMap((name) => credentials[name ?? ''] ?? []))) remove(rest, path)
  return rest
}

function remove(value: unknown, path: string): void {
  const names = path.split('.')
  const last = names.pop() ?? ''
  let target = value as Record<string, unknown>
  for (const name of names) target = target[name] as Record<string, unknown>
  delete target[last]
}

function ruleOf(error: UnexpectedJsonError): string {
  return error.message.replace(/^the record /, '')
}

function toProblem({ path, message, code }: z.core.$ZodIssue): FieldProblem {
  const field = fieldAt(path)
  // A message of zod itself begins with a capital and may contain a value.
  const rule = code === 'invalid_type' ? typeRule(message) : message
  return { field, rule }
}

/** A place in a record: `user.totpDevices[0].name`. */
export const fieldAt = (path: readonly PropertyKey[]): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${shown(String(part))}`))
    .join('')
    .replace(/^\./, '')

function typeRule(message: string): string {
  const [, expected = 'another type', received] = /expected (\w+), received (\w+)/.exec(message) ?? []
  return received === 'undefined' ? 'is required' : `must be of type ${expected}`
}

const shown = (name: string): string => (/^\w{1,60}$/.test(name) ? name : '(unprintable)')

function findZeroCharacter(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') return value.includes('\0') ? path : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const memberPath = path === '' ? shown(name) : `${path}.${shown(name)}`
    const found = name.includes('\0') ? path : findZeroCharacter(member, memberPath)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * The names that a schema defines, at every depth. Undefined allows any names; `chosen` is an object whose names the writer
 * chooses.
 */
type KnownNames = { readonly [name: string]: KnownNames | undefined } | 'chosen' | undefined

interface Inspectable {
  readonly def: {
    readonly type: string
    readonly shape?: Readonly<Record<string, Inspectable>>
    readonly catchall?: unknown
    readonly element?: Inspectable
    readonly innerType?: Inspectable
    readonly out?: Inspectable
  }
}

/** Reads the names of a schema; called once for each schema. */
function knownNames(schema: z.ZodType): KnownNames {
  return namesOf(schema as unknown as Inspectable)
}

function namesOf({ def }: Inspectable): KnownNames {
  if (def.shape !== undefined && def.catchall === undefined) {
    return Object.fromEntries(Object.entries(def.shape).map(([name, member]) => [name, namesOf(member)]))
  }
  if (def.type === 'record') return 'chosen'
  const inner = def.element ?? def.innerType ?? def.out
  return inner === undefined ? undefined : namesOf(inner)
}

/**
 * Copies a value with its names in lowerCamelCase at every depth. Leaves out unknown members and reports each to `dropped`.
 * Throws RangeError with the name of a member that is given in both spellings.
 */
function withKnownNames(value: unknown, known: KnownNames, dropped: (name: string) => void): unknown {
  if (typeof value !== 'object' || value === null || known === 'chosen') return value
  if (Array.isArray(value)) return value.map((element) => withKnownNames(element, known, dropped))
  const members: Record<string, unknown> = {}
  const object = value as Readonly<Record<string, unknown>>
  for (const written in object) {
    const member = object[written]
    if (member === undefined) continue
    const name = written.includes('_') ? camelName(written) : written
    if (known !== undefined && !Object.hasOwn(known, name)) {
      dropped(name)
      continue
    }
    // Assigning a member of this name would set the prototype.
    if (name === '__proto__') continue
    if (Object.hasOwn(members, name)) throw new RangeError(name)
    // protojson reads null as absent.
    if (member !== null) members[name] = withKnownNames(member, known?.[name], dropped)
  }
  return members
}

const camelName = (name: string): string =>
  name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
