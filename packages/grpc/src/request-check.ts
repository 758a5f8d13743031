import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { RpcError } from './error.ts'

/** Limit equal to that of forms, so no field of a page is longer. */
export const MOST_CHARACTERS = 65_536
export const MOST_ENTRIES = 100_000

/** Throws RpcError INVALID_ARGUMENT for a value; `path` names it in the message, as the proto file spells it. */
type Check = (value: never, path: string) => void

/**
 * Creates the check of a request, which every method makes before its handler runs. It refuses strings that are longer than
 * `MOST_CHARACTERS` or contain U+0000, which PostgreSQL cannot store, lists that are longer than `MOST_ENTRIES`, and
 * timestamps that protobuf does not allow and integers that a number does not hold. The handler checks the meaning.
 */
export function createRequestCheck(descriptor: DescMessage): (request: unknown) => void {
  const check = messageCheck(descriptor, new Map())
  return (request) => check(request as never, '')
}

function messageCheck(descriptor: DescMessage, known: Map<string, Check>): Check {
  if (descriptor.typeName === TimestampSchema.typeName) return checkTimestamp
  const before = known.get(descriptor.typeName)
  if (before !== undefined) return before
  const checks: (readonly [name: string, localName: string, check: Check])[] = []
  const check = (message: Readonly<Record<string, never>>, path: string) => {
    for (const [name, localName, checkField] of checks) {
      const value = message[localName]
      if (value !== undefined) checkField(value, path === '' ? name : `${path}.${name}`)
    }
  }
  // Known before its fields are: a message may contain itself.
  known.set(descriptor.typeName, check as Check)
  for (const field of descriptor.fields) {
    const checkField = fieldCheck(field, known)
    if (checkField !== undefined) checks.push([field.name, field.localName, checkField])
  }
  return check as Check
}

/** Returns undefined for a field of which every value is well-formed. */
function fieldCheck(field: DescField, known: Map<string, Check>): Check | undefined {
  if (field.fieldKind === 'map' || field.oneof !== undefined) {
    throw new Error(`${field}: maps and oneofs are not part of the requests of this suite`)
  }
  if (field.message !== undefined) {
    const check = messageCheck(field.message, known)
    return field.fieldKind === 'list' ? createListCheck(check) : check
  }
  const check = field.scalar && SCALAR_CHECKS[field.scalar]
  return field.fieldKind === 'list' ? createListCheck(check) : check
}

function checkString(value: string, path: string): void {
  if (value.length > MOST_CHARACTERS) throw invalid(path, `must have at most ${MOST_CHARACTERS} characters`)
  if (value.includes('\0')) throw invalid(path, 'must not contain U+0000')
}

// Handlers calculate with numbers.
function checkInteger(value: bigint, path: string): void {
  if (value > MOST_INTEGER || value < -MOST_INTEGER)
    throw invalid(path, `must be between -${MOST_INTEGER} and ${MOST_INTEGER}`)
}

const MOST_INTEGER = BigInt(Number.MAX_SAFE_INTEGER)

const SCALAR_CHECKS: Readonly<Partial<Record<ScalarType, Check>>> = {
  [ScalarType.STRING]: checkString,
  [ScalarType.INT64]: checkInteger,
  [ScalarType.UINT64]: checkInteger,
}

function createListCheck(check: Check | undefined): Check {
  return (values: readonly never[], path: string) => {
    if (values.length > MOST_ENTRIES) throw invalid(path, `must have at most ${MOST_ENTRIES} entries`)
    if (check === undefined) return
    for (const [index, value] of values.entries()) check(value, `${path}[${index}]`)
  }
}

// The years 1 to 9999, as the definition of google.protobuf.Timestamp says.
const FIRST_SECOND = -62_135_596_800n
const LAST_SECOND = 253_402_300_799n

function checkTimestamp({ seconds, nanos }: Timestamp, path: string): void {
  const isTime = seconds >= FIRST_SECOND && seconds <= LAST_SECOND && nanos >= 0 && nanos <= 999_999_999
  if (!isTime) throw invalid(path, 'must be a time of the years 1 to 9999')
}

function invalid(path: string, rule: string): RpcError {
  return new RpcError('INVALID_ARGUMENT', `${path} ${rule}`)
}
