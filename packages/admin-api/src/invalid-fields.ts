import type { ZodError, z } from 'zod'
import { ApiError } from './api-error.ts'

interface FieldProblem {
  /** `addresses[0].locality`; empty for the body as a whole. */
  readonly field: string
  readonly rule: string
}

/** 400 that names every field and the rule it breaks. */
export function invalidFields(problems: readonly FieldProblem[], cause?: unknown): ApiError {
  const texts = problems.map(({ field, rule }) => (field === '' ? rule : `${field}: ${rule}`))
  return new ApiError('INVALID_ARGUMENT', texts.join('; '), {
    reason: 'fields_invalid',
    details: problems.map(({ field, rule }) => ({ id: 'field_invalid', field, rule })),
    cause,
  })
}

/**
 * The same for the issues of a schema; with `reportInput` a missing field and one of another type have different
 * rules.
 */
export function invalidFieldsOf(error: ZodError): ApiError {
  return invalidFields(
    error.issues.flatMap((issue) => problemsOf(issue, [])),
    error,
  )
}

type Path = readonly PropertyKey[]

function problemsOf(issue: z.core.$ZodIssue, parent: Path): FieldProblem[] {
  const path = [...parent, ...issue.path]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ field: written([...path, key]), rule: 'unknown field' }))
  if (issue.code === 'invalid_union') {
    const nested = issue.errors.at(-1)?.flatMap((inner) => problemsOf(inner, path)) ?? []
    if (nested.length > 0) return nested
  }
  return [{ field: written(path), rule: isMissing(issue) ? 'is required' : issue.message }]
}

/** Issues contain the input only when the parser was asked to report it. */
function isMissing(issue: z.core.$ZodIssue): boolean {
  if (issue.code !== 'invalid_type' && issue.code !== 'invalid_value') return false
  return 'input' in issue ? issue.input === undefined : issue.message.endsWith('received undefined')
}

function written(path: Path): string {
  return path.map(segment).join('').replace(/^\./, '')
}

function segment(part: PropertyKey): string {
  if (typeof part === 'number') return `[${part}]`
  // Only a part that looks like a name is repeated; other text could be confidential.
  return /^\w{1,60}$/.test(String(part)) ? `.${String(part)}` : '.(unprintable)'
}
