import { parse } from 'csv-parse/sync'
import { z } from 'zod'
import { SourceError } from './conversion.ts'

// Reads sample sign-ins: CSV (RFC 4180) with the columns login name, password and code of the second factor, or NDJSON with
// these members. Errors name the line and never a value.

export interface ListedSignIn {
  /** Number of the line; the first line is 1. */
  readonly line: number
  readonly loginName: string
  readonly password: string
  readonly otp?: string | undefined
}

const RULE =
  'must have a login name of at most 400, a password of at most 1,000 and a code of at most 20 characters'

const signIn = z.strictObject({
  loginName: z.string().min(1).max(400),
  password: z.string().max(1_000),
  otp: z.string().max(20).optional(),
})

/** Reads a list of either format. Throws SourceError with the number of an invalid line, and for an empty list. */
export function readSignInList(text: string): readonly ListedSignIn[] {
  const plain = text.replace(/^\uFEFF/, '')
  const rows = plain.trimStart().startsWith('{') ? jsonRows(plain) : csvRows(plain)
  if (rows.length === 0) throw new SourceError('the list has no sign-ins')
  return rows.map(({ line, value }) => {
    const read = signIn.safeParse(value)
    if (!read.success) throw new SourceError(`line ${line}: ${RULE}`)
    return { line, ...read.data }
  })
}

interface Row {
  readonly line: number
  readonly value: unknown
}

function jsonRows(text: string): readonly Row[] {
  return text.split('\n').flatMap((written, at) => {
    if (written.trim() === '') return []
    const line = at + 1
    try {
      const { login_name, ...members } = JSON.parse(written)
      return [{ line, value: login_name === undefined ? members : { loginName: login_name, ...members } }]
    } catch {
      throw new SourceError(`line ${line}: must be a JSON object`)
    }
  })
}

function csvRows(text: string): readonly Row[] {
  let records: readonly { readonly record: readonly string[]; readonly info: { readonly lines: number } }[]
  try {
    records = parse(text, { relax_column_count: true, skip_empty_lines: true, info: true }) as never
  } catch (error) {
    const { lines } = Object(error) as { lines?: number }
    throw new SourceError(`line ${lines ?? 1}: must be CSV with quotes as in RFC 4180`)
  }
  return records.flatMap(({ record, info }, at) => {
    const [loginName, password, otp, ...others] = record
    if (at === 0 && /^login_?name$/i.test((loginName ?? '').replaceAll(' ', ''))) return []
    // A password with a comma needs quotes.
    if (others.length > 0) throw new SourceError(`line ${info.lines}: must have two or three columns`)
    return [{ line: info.lines, value: { loginName, password, otp: otp === '' ? undefined : otp } }]
  })
}
