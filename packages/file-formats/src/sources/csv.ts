import { Readable } from 'node:stream'
import { findHashProblem } from '@signet/password-hash/stored-hash'
import { isPlaceholder, isSample, PLACEHOLDER_RULE, SAMPLE_RULE } from '@signet/protocol/placeholder'
import { parse } from 'csv-parse'
import { z } from 'zod'
import {
  type ConvertedPart,
  checkRecord,
  compact,
  languageTag,
  metadataValue,
  SourceError,
  type SourceFile,
} from './conversion.ts'
import { MEBIBYTE } from './json-input.ts'
import type { LeftOut } from './left-out.ts'

/*
 * Converts a CSV file (RFC 4180, UTF-8, a header row) by a mapping from its columns to members of a user. Every column is
 * mapped, or named in `ignore`, or counted as left out.
 */

/** The members of a user that a column can become. */
const TARGETS = [
  'userId',
  'userName',
  'firstName',
  'lastName',
  'middleName',
  'nickName',
  'displayName',
  'preferredLanguage',
  'picture',
  'website',
  'birthdate',
  'zoneinfo',
  'email',
  'isEmailVerified',
  'phone',
  'isPhoneVerified',
  'streetAddress',
  'locality',
  'region',
  'postalCode',
  'country',
  'passwordHash',
  'password',
  'passwordChangeRequired',
  'otpCode',
  'isActive',
  'creationDate',
  'roles',
] as const
type Target = (typeof TARGETS)[number]
const STEPS = ['trim', 'lower'] as const

const columnMapping = z.strictObject({
  to: z.union([
    z.enum(TARGETS),
    z.string().regex(/^metadata\..{1,200}$/, 'must be a member of a user or metadata.KEY'),
  ]),
  steps: z.array(z.enum(STEPS)).max(3).optional(),
})

const mappingSchema = z.strictObject({
  organization: z.strictObject({ id: z.string(), name: z.string().optional() }).optional(),
  delimiter: z.string().length(1).default(','),
  columns: z.record(z.string(), z.union([columnMapping, columnMapping.shape.to])),
  /** Columns that are not needed. */
  ignore: z.array(z.string()).default([]),
  /** Values for all users. */
  constants: z.partialRecord(z.enum(TARGETS), z.string()).default({}),
  /** Between the roles of one cell. */
  roleSeparator: z.string().min(1).max(10).default(';'),
})

export type CsvMapping = z.output<typeof mappingSchema>

/** Throws SourceError that names the member of the mapping that breaks a rule. */
export function readCsvMapping(value: unknown): CsvMapping {
  const result = mappingSchema.safeParse(value)
  if (!result.success) {
    const [issue] = result.error.issues
    throw new SourceError(`the mapping: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`)
  }
  const targets = Object.values(result.data.columns).map(targetOf)
  if (!targets.includes('userId') && !targets.includes('userName') && !targets.includes('email')) {
    throw new SourceError('the mapping: columns: one must become userId, userName or email')
  }
  const repeated = targets.find((target, at) => targets.indexOf(target) !== at)
  if (repeated !== undefined) throw new SourceError(`the mapping: columns: two become ${repeated}`)
  return result.data
}

const targetOf = (column: CsvMapping['columns'][string]) => (typeof column === 'string' ? column : column.to)

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
      const user = convertRow(new Cells(row, columns, mapping, leftOut), leftOut)
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

async function* readRows(file: SourceFile, mapping: CsvMapping, leftOut: LeftOut) {
  const parser = parse({
    bom: true,
    delimiter: mapping.delimiter,
    skip_empty_lines: true,
    max_record_size: 1.5 * MEBIBYTE,
  })
  const rows = Readable.from(file.open())
    .on('error', (error) => parser.destroy(error))
    .pipe(parser)
  let columns: readonly string[] | undefined
  try {
    for await (const row of rows as AsyncIterable<readonly string[]>) {
      if (columns === undefined) columns = checkColumns(row, { file, mapping, leftOut })
      else yield { row, columns }
    }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('CSV_')) throw error
    throw new SourceError(`${file.name} is no CSV file (${error.code})`, { cause: error })
  }
}

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
  const missing = Object.keys(mapping.columns).find((column) => !columns.includes(column))
  if (missing !== undefined)
    throw new SourceError(`${file.name} has no column "${missing}", which the mapping names`)
  for (const column of columns) {
    if (Object.hasOwn(mapping.columns, column) || mapping.ignore.includes(column)) continue
    leftOut.add(`column ${column}`, file.name)
  }
  return columns
}

const TRUE = ['true', 't', 'yes', 'y', '1']
const FALSE = ['false', 'f', 'no', 'n', '0']

/** The cells of a row by the member that each becomes. */
class Cells {
  readonly #values = new Map<string, string>()
  readonly metadata: (readonly [string, string])[] = []
  readonly roleSeparator: string

  constructor(row: readonly string[], columns: readonly string[], mapping: CsvMapping, leftOut: LeftOut) {
    this.roleSeparator = mapping.roleSeparator
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
      }
      if (value === '') continue
      if (isPlaceholder(value)) {
        leftOut.add(`column ${column}: ${PLACEHOLDER_RULE}`, '')
        continue
      }
      const target = targetOf(mapped)
      if (target.startsWith('metadata.')) this.metadata.push([target.slice('metadata.'.length), value])
      else this.#values.set(target, value)
    }
  }

  text(target: Target): string | undefined {
    return this.#values.get(target)
  }

  /** Undefined for an empty cell; `other` is called for a text that is neither true nor false. */
  flag(target: Target, other: () => void): boolean | undefined {
    const value = this.#values.get(target)?.trim().toLowerCase()
    if (value === undefined) return undefined
    if (TRUE.includes(value)) return true
    if (!FALSE.includes(value)) other()
    return false
  }
}

function convertRow(cells: Cells, leftOut: LeftOut) {
  const userName = cells.text('userName')
  const userId = cells.text('userId') ?? userName ?? cells.text('email') ?? ''
  const flag = (target: Target) =>
    cells.flag(target, () => leftOut.add(`${target} that is neither true nor false`, userId))
  const password = cells.text('password')
  const isKnownSample = password !== undefined && isSample(password)
  if (isKnownSample) leftOut.add(`password: ${SAMPLE_RULE}`, userId)
  const [email, phone] = [cells.text('email'), cells.text('phone')]
  const locale = cells.text('preferredLanguage')
  const hash = cells.text('passwordHash')
  const problem = hash === undefined ? undefined : findHashProblem(hash)
  if (problem !== undefined) leftOut.add(`passwordHash: ${problem}`, userId)
  const [isEmailVerified, isPhoneVerified] = [flag('isEmailVerified'), flag('isPhoneVerified')]
  const isActive = flag('isActive')
  const converted = compact({
    userId,
    user: {
      userName,
      profile: {
        ...Object.fromEntries(PROFILE.map((name) => [name, cells.text(name)])),
        preferredLanguage: locale && languageTag(locale),
      },
      email: email === undefined ? undefined : { email, isEmailVerified },
      phone: phone === undefined ? undefined : { phone, isPhoneVerified },
      address: Object.fromEntries(ADDRESS.map((name) => [name, cells.text(name)])),
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

const PROFILE = [
  'firstName',
  'lastName',
  'middleName',
  'nickName',
  'displayName',
  'preferredLanguage',
  'picture',
  'website',
  'birthdate',
  'zoneinfo',
] as const
const ADDRESS = ['streetAddress', 'locality', 'region', 'postalCode', 'country'] as const
