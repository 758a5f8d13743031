import { Readable } from 'node:stream'
import { isPlaceholder, isSample, PLACEHOLDER_RULE, SAMPLE_RULE } from '@signet/protocol/placeholder'
import { USER_IDENTIFIER } from '@signet/tokens/identifiers'
import { CsvError, parse } from 'csv-parse'
import {
  type ConvertedPart,
  checkRecord,
  compact,
  languageTag,
  metadataValue,
  SourceError,
  type SourceFile,
} from './conversion.ts'
import { ADDRESS_TARGETS, type CsvMapping, PROFILE_TARGETS, type Target, targetOf } from './csv-mapping.ts'
import { type CellHash, checked, columnsOfHash, joinedHash } from './csv-password.ts'
import { CsvText } from './csv-text.ts'
import { MEBIBYTE } from './json-input.ts'
import type { LeftOut } from './left-out.ts'
import { stableId } from './stable-id.ts'

/*
 * Converts a CSV file (RFC 4180, a header row) by a mapping from its columns to members of a user. Every column is
 * mapped, or named in `ignore`, or counted as left out.
 */

export interface CsvOptions {
  readonly organizationId?: string | undefined
  readonly organizationName?: string | undefined
  readonly mapping?: CsvMapping | undefined
}

const MOST_COLUMNS = 1_000
/** The project that holds the roles of the file. */
const PROJECT = 'roles'

/** Throws SourceError for a file that is no CSV or lacks a mapped column. */
export async function* convertCsv(
  files: readonly SourceFile[],
  { mapping, ...options }: CsvOptions,
  leftOut: LeftOut,
): AsyncGenerator<ConvertedPart> {
  if (mapping === undefined) throw new SourceError('a CSV file needs a mapping of its columns')
  const orgId = options.organizationId ?? mapping.organization?.id
  if (orgId === undefined) throw new SourceError('a CSV file needs the id of the organization')
  const name = options.organizationName ?? mapping.organization?.name
  yield { kind: 'organization', header: compact({ orgId, org: { name } }) }

  const projectId = `${orgId}-${PROJECT}`
  const roles = new Set<string>()
  for (const file of files) {
    for await (const { row, columns } of readRows(file, mapping, leftOut)) {
      const user = convertRow(new Cells(row, columns, mapping, leftOut), orgId, leftOut)
      if (user === undefined) continue
      yield { kind: 'record', list: 'humanUsers', record: user.record }
      for (const [key, value] of user.metadata) {
        const record = { id: user.userId, key, value: metadataValue(value) }
        const checked = checkRecord('userMetadata', record, leftOut, user.userId)
        if (checked !== undefined) yield { kind: 'record', list: 'userMetadata', record: checked }
      }
      if (user.roleKeys.length === 0) continue
      const grant = { userId: user.userId, projectId, roleKeys: user.roleKeys }
      const checked = checkRecord('userGrants', grant, leftOut, user.userId)
      if (checked === undefined) continue
      for (const role of user.roleKeys) roles.add(role)
      yield { kind: 'record', list: 'userGrants', record: checked }
    }
  }
  if (roles.size === 0) return
  yield { kind: 'record', list: 'projects', record: { projectId, project: {}, initial: { name: PROJECT } } }
  for (const roleKey of roles) yield { kind: 'record', list: 'projectRoles', record: { projectId, roleKey } }
}

/** The columns of a file. Throws SourceError for a file without a header row. */
export async function readCsvHeader(file: SourceFile): Promise<readonly string[]> {
  const rows = Readable.from(new CsvText(file, 'utf-8').read()).pipe(parse({ bom: true, to_line: 1 }))
  for await (const row of rows as AsyncIterable<readonly string[]>) return row
  throw new SourceError(`${file.name} has no header row`)
}

async function* readRows(file: SourceFile, mapping: CsvMapping, leftOut: LeftOut) {
  const text = new CsvText(file, mapping.encoding)
  const parser = parse({
    bom: true,
    delimiter: mapping.delimiter,
    skip_empty_lines: true,
    max_record_size: 1.5 * MEBIBYTE,
  })
  const rows = Readable.from(text.read())
    .on('error', (error) => parser.destroy(error))
    .pipe(parser)
  let columns: readonly string[] | undefined
  try {
    for await (const row of rows as AsyncIterable<readonly string[]>) {
      if (columns === undefined) columns = checkColumns(row, { file, mapping, leftOut })
      else yield { row, columns }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // The message of the library has the text of the cell, which can be a password.
    const column = columns?.[Number(error.column)]
    const place = `line ${error.lines}${column === undefined ? '' : `, column ${column}`}`
    throw new SourceError(`${file.name} is no CSV file: ${place}: ${csvRule(error.code)}`, { cause: error })
  }
}

const RULES: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE: 'a quote inside a cell that does not begin with one',
  CSV_INVALID_CLOSING_QUOTE: 'text after the closing quote of a cell',
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: 'the row has another number of cells than the header',
  CSV_MAX_RECORD_SIZE: 'the row is larger than 1.5 MiB',
}

const csvRule = (code: string) => (Object.hasOwn(RULES, code) ? RULES[code] : code)

function checkColumns(
  columns: readonly string[],
  {
    file,
    mapping,
    leftOut,
  }: { readonly file: SourceFile; readonly mapping: CsvMapping; readonly leftOut: LeftOut },
): readonly string[] {
  if (columns.length > MOST_COLUMNS)
    throw new SourceError(`${file.name} has more than ${MOST_COLUMNS} columns`)
  if (new Set(columns).size < columns.length)
    throw new SourceError(`${file.name} has two columns of one name`)
  const partsOfHash = columnsOfHash(mapping.passwordHash)
  const needed = Object.entries(mapping.columns).flatMap(([column, mapped]) =>
    typeof mapped === 'string' || !mapped.optional ? [column] : [],
  )
  const missing = [...needed, ...partsOfHash].find((column) => !columns.includes(column))
  if (missing !== undefined)
    throw new SourceError(`${file.name} has no column "${missing}", which the mapping names`)
  const known = [...partsOfHash, ...mapping.ignore]
  for (const column of columns) {
    if (Object.hasOwn(mapping.columns, column) || known.includes(column)) continue
    leftOut.add(`column ${column}`, file.name)
  }
  return columns
}

const TRUE = ['true', 't', 'yes', 'y', '1']
const FALSE = ['false', 'f', 'no', 'n', '0']
/** The states of accounts of Google Workspace and Okta. Another one, such as that of an expired password, is inactive and counted. */
const STATES = new Map([
  ['active', true],
  ...['inactive', 'suspended', 'deprovisioned'].map((state) => [state, false] as const),
])

/** The opposite of a cell that is true or false; another text stays. */
function negated(value: string): string {
  const text = value.trim().toLowerCase()
  if (TRUE.includes(text)) return 'false'
  return FALSE.includes(text) ? 'true' : value
}

/** A date as RFC 3339 has it, of numbers in the order of the step; undefined for another text. */
function dateOf(value: string, step: string): string | undefined {
  if (value.trim() === '') return ''
  const order = step.slice('date:'.length).replace(/[^DMY]/g, '')
  const numbers = /^(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})$/.exec(value.trim())?.slice(1)
  if (numbers === undefined) return undefined
  const part = (name: string) => numbers[order.indexOf(name)] ?? ''
  if (part('Y').length !== 4) return undefined
  return `${part('Y')}-${part('M').padStart(2, '0')}-${part('D').padStart(2, '0')}`
}

function leaveOutDate(column: string, leftOut: LeftOut): string {
  leftOut.add(`column ${column}: a date in another order`, '')
  return ''
}

/** The cells of a row by the member that each becomes. */
class Cells {
  readonly #values = new Map<string, string>()
  readonly metadata: (readonly [string, string])[] = []
  readonly roleSeparator: string
  readonly #hash: CellHash | undefined

  constructor(row: readonly string[], columns: readonly string[], mapping: CsvMapping, leftOut: LeftOut) {
    this.roleSeparator = mapping.roleSeparator
    const cell = (column: string) => row[columns.indexOf(column)] ?? ''
    this.#hash = mapping.passwordHash && joinedHash(mapping.passwordHash, cell)
    for (const [target, value] of Object.entries(mapping.constants)) {
      if (isPlaceholder(value)) leftOut.add(`constant ${target}: ${PLACEHOLDER_RULE}`, '')
      else this.#values.set(target, value)
    }
    for (const [at, column] of columns.entries()) {
      const mapped = Object.hasOwn(mapping.columns, column) ? mapping.columns[column] : undefined
      if (mapped === undefined) continue
      let value = row[at] ?? ''
      for (const step of typeof mapped === 'string' ? [] : (mapped.steps ?? [])) {
        if (step === 'trim') value = value.trim()
        if (step === 'lower') value = value.toLowerCase()
        if (step === 'not' && value !== '') value = negated(value)
        if (step.startsWith('date:')) value = dateOf(value, step) ?? leaveOutDate(column, leftOut)
      }
      if (value === '') continue
      if (isPlaceholder(value)) {
        leftOut.add(`column ${column}: ${PLACEHOLDER_RULE}`, '')
        continue
      }
      const target = targetOf(mapped)
      // A step for dates gives a day, and an account has a time.
      if (target === 'creationDate' && /^\d{4}-\d\d-\d\d$/.test(value)) value = `${value}T00:00:00Z`
      if (target.startsWith('metadata.')) this.metadata.push([target.slice('metadata.'.length), value])
      else this.#values.set(target, value)
    }
  }

  text(target: Target): string | undefined {
    return this.#values.get(target)
  }

  passwordHash(): CellHash {
    if (this.#hash !== undefined) return this.#hash
    const value = this.text('passwordHash')
    return value === undefined ? {} : checked(value)
  }

  /** Undefined for an empty cell; `other` is called for a text that is neither true nor false. */
  flag(target: Target, other: () => void): boolean | undefined {
    const value = this.#values.get(target)?.trim().toLowerCase()
    if (value === undefined) return undefined
    const state = target === 'isActive' ? STATES.get(value) : undefined
    if (state !== undefined) return state
    if (TRUE.includes(value)) return true
    if (!FALSE.includes(value)) other()
    return false
  }
}

function convertRow(cells: Cells, organizationId: string, leftOut: LeftOut) {
  const userName = cells.text('userName')
  const ownId = cells.text('userId') ?? userName ?? cells.text('email') ?? ''
  // The name of a person may have characters that ids do not have.
  const isId = cells.text('userId') !== undefined || USER_IDENTIFIER.test(ownId)
  const userId = isId || ownId === '' ? ownId : stableId('csv', organizationId, ownId)
  const flag = (target: Target) =>
    cells.flag(target, () => leftOut.add(`${target} that is neither true nor false`, userId))
  const password = cells.text('password')
  const isKnownSample = password !== undefined && isSample(password)
  if (isKnownSample) leftOut.add(`password: ${SAMPLE_RULE}`, userId)
  const [email, phone] = [cells.text('email'), cells.text('phone')]
  const locale = cells.text('preferredLanguage')
  const { value: hash, problem } = cells.passwordHash()
  if (problem !== undefined) leftOut.add(`passwordHash: ${problem}`, userId)
  const [isEmailVerified, isPhoneVerified] = [flag('isEmailVerified'), flag('isPhoneVerified')]
  const isActive = flag('isActive')
  const converted = compact({
    userId,
    user: {
      userName,
      profile: {
        ...Object.fromEntries(PROFILE_TARGETS.map((name) => [name, cells.text(name)])),
        preferredLanguage: locale && languageTag(locale),
      },
      email: email === undefined ? undefined : { email, isEmailVerified },
      phone: phone === undefined ? undefined : { phone, isPhoneVerified },
      address: Object.fromEntries(ADDRESS_TARGETS.map((name) => [name, cells.text(name)])),
      hashedPassword: hash === undefined || problem !== undefined ? undefined : { value: hash },
      password: isKnownSample ? undefined : password,
      passwordChangeRequired: flag('passwordChangeRequired'),
      otpCode: cells.text('otpCode'),
    },
    // A cell that cannot be read does not make a user active.
    state: isActive === undefined ? undefined : isActive ? 'USER_STATE_ACTIVE' : 'USER_STATE_INACTIVE',
    creationDate: cells.text('creationDate'),
  })
  const record = checkRecord('humanUsers', converted, leftOut, userId)
  if (record === undefined) return undefined
  const roles = (cells.text('roles') ?? '').split(cells.roleSeparator).map((role) => role.trim())
  const roleKeys = [...new Set(roles.filter((role) => role !== ''))]
  return { userId, record, roleKeys, metadata: cells.metadata }
}
