import { z } from 'zod'
import { SourceError } from './conversion.ts'
import { hashColumns } from './csv-password.ts'

export const PROFILE_TARGETS = [
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
export const ADDRESS_TARGETS = ['streetAddress', 'locality', 'region', 'postalCode', 'country'] as const

/** The members of a user that a column can become. */
export const TARGETS = [
  'userId',
  'userName',
  ...PROFILE_TARGETS,
  'email',
  'isEmailVerified',
  'phone',
  'isPhoneVerified',
  ...ADDRESS_TARGETS,
  'passwordHash',
  'password',
  'passwordChangeRequired',
  'otpCode',
  'isActive',
  'creationDate',
  'roles',
] as const
export type Target = (typeof TARGETS)[number]

/** The order of the numbers of a date. */
const DATE_STEP = /^date:(?:[DMY][./-]?){3}$/
const step = z.union([
  z.enum(['trim', 'lower', 'not']),
  z.string().regex(DATE_STEP, 'must be trim, lower, not, or a date such as date:D.M.Y or date:M/D/Y'),
])

const columnMapping = z.strictObject({
  to: z.union([
    z.enum(TARGETS),
    z.string().regex(/^metadata\..{1,200}$/, 'must be a member of a user or metadata.KEY'),
  ]),
  steps: z.array(step).max(5).optional(),
  /** The column may be missing, as in a mapping for files of several versions of a product. */
  optional: z.boolean().default(false),
})

const mappingSchema = z.strictObject({
  organization: z.strictObject({ id: z.string(), name: z.string().optional() }).optional(),
  delimiter: z.string().length(1).default(','),
  encoding: z.enum(['utf-8', 'windows-1252', 'utf-16le']).default('utf-8'),
  columns: z.record(z.string(), z.union([columnMapping, columnMapping.shape.to])),
  /** The columns that a password hash has its parts in. */
  passwordHash: hashColumns.optional(),
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
  // Columns that may be missing are those of several versions of a file.
  const needed = Object.values(result.data.columns).filter(
    (column) => typeof column === 'string' || !column.optional,
  )
  if (result.data.passwordHash !== undefined && targets.includes('passwordHash')) {
    throw new SourceError('the mapping: passwordHash: a column becomes it as well')
  }
  const repeated = needed.map(targetOf).find((target, at, all) => all.indexOf(target) !== at)
  if (repeated !== undefined) throw new SourceError(`the mapping: columns: two become ${repeated}`)
  return result.data
}

export const targetOf = (column: CsvMapping['columns'][string]) =>
  typeof column === 'string' ? column : column.to
