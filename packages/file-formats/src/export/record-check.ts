import type { z } from 'zod'
import { DocumentError } from './document-error.ts'
import { parseJson } from './json-scanner.ts'
import { type KnownNames, knownNames, withKnownNames } from './member-names.ts'

/** A problem of one record: its place, the member and the rule that it breaks. */
export interface RecordProblem {
  readonly organization: number
  /** Absent when the document names it only later, or never. */
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

type Checked<T> = { readonly record: T } | { readonly problems: readonly FieldProblem[] }
type FieldProblem = Pick<RecordProblem, 'field' | 'rule'>

/** Most problems of one record that are worth telling. */
const MOST_PROBLEMS = 5

/** Makes a check of one kind of record out of its schema. */
export function recordCheck<S extends z.ZodType>(
  schema: S,
): (bytes: Buffer, dropped: (name: string) => void) => Checked<z.output<S>> {
  const known: KnownNames = knownNames(schema)
  return (bytes, dropped) => {
    let value: unknown
    try {
      value = withKnownNames(parseJson(bytes, 'the record'), known, dropped)
    } catch (error) {
      if (error instanceof DocumentError) return { problems: [{ field: '', rule: ruleOf(error) }] }
      if (!(error instanceof RangeError)) throw error
      return { problems: [{ field: shown(error.message), rule: 'is given twice, also in snake_case' }] }
    }
    // PostgreSQL cannot store U+0000, and no field has a use for it.
    if (bytes.includes('\\u0000')) {
      const place = findZeroCharacter(value, '')
      if (place !== undefined) return { problems: [{ field: place, rule: 'holds a zero character' }] }
    }
    const result = schema.safeParse(value)
    if (result.success) return { record: result.data }
    return { problems: result.error.issues.slice(0, MOST_PROBLEMS).map(toProblem) }
  }
}

function ruleOf(error: DocumentError): string {
  return error.message.replace(/^the record /, '')
}

function toProblem({ path, message, code }: z.core.$ZodIssue): FieldProblem {
  const field = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${shown(String(part))}`))
    .join('')
    .replace(/^\./, '')
  // zod's own sentences begin in capitals and may show a value.
  const rule = code === 'invalid_type' ? typeRule(message) : message
  return { field, rule }
}

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
