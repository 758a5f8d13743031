import { findHashProblem } from '@signet/password-hash/stored-hash'
import { isPlaceholder, PLACEHOLDER_RULE } from '@signet/protocol/placeholder'
import { z } from 'zod'

const PBKDF2 = ['pbkdf2-sha1', 'pbkdf2-sha256', 'pbkdf2-sha512'] as const
const DIGESTS = [
  'md5-salt-password',
  'md5-password-salt',
  'sha1-salt-password',
  'sha1-password-salt',
  'sha256-salt-password',
  'sha256-password-salt',
  'sha512-salt-password',
  'sha512-password-salt',
] as const

const column = z.string().min(1)
const parts = {
  hash: column,
  salt: column,
  encoding: z.enum(['base64', 'hex']).default('base64'),
  saltEncoding: z.enum(['base64', 'hex', 'text']).default('base64'),
}

/** A password hash whose parts stand in columns of their own. */
export const hashColumns = z.discriminatedUnion('format', [
  z.strictObject({
    format: z.enum(PBKDF2),
    ...parts,
    /** A column, or the number for all people. */
    rounds: z.union([column, z.int().min(1)]),
  }),
  z.strictObject({ format: z.enum(DIGESTS), ...parts }),
])

type HashColumns = z.output<typeof hashColumns>

/** The columns that the parts stand in. */
export const columnsOfHash = (mapped: HashColumns | undefined): readonly string[] =>
  mapped === undefined
    ? []
    : [
        mapped.hash,
        mapped.salt,
        ...('rounds' in mapped && typeof mapped.rounds === 'string' ? [mapped.rounds] : []),
      ]

/** A hash in the form of docs/reference/password-hashes.md, or the rule that the cells break. */
export interface CellHash {
  readonly value?: string
  readonly problem?: string | undefined
}

/** The password hash of a row; nothing where the cell of the hash is empty. */
export function joinedHash(mapped: HashColumns, cell: (column: string) => string): CellHash {
  const texts = { hash: cell(mapped.hash).trim(), salt: cell(mapped.salt) }
  if (texts.hash === '') return {}
  if (texts.salt === '') return { problem: 'the salt is missing' }
  if (isPlaceholder(texts.hash) || isPlaceholder(texts.salt)) return { problem: PLACEHOLDER_RULE }
  const digest = standardBase64(texts.hash, mapped.encoding)
  if (digest === undefined) return { problem: `the hash is not ${mapped.encoding}` }
  const salt = standardBase64(texts.salt, mapped.saltEncoding)
  if (salt === undefined) return { problem: `the salt is not ${mapped.saltEncoding}` }
  if (!('rounds' in mapped)) return checked(`${digestStart(mapped.format)}$${salt}$${digest}`)
  const rounds = typeof mapped.rounds === 'number' ? `${mapped.rounds}` : cell(mapped.rounds).trim()
  if (!/^[1-9]\d{0,9}$/.test(rounds)) return { problem: 'the rounds are no number' }
  return checked(`$${mapped.format}$${rounds}$${salt}$${digest}`)
}

/** The hash with the rule that it breaks. */
export const checked = (value: string): CellHash => ({ value, problem: findHashProblem(value) })

/** The beginning of a digest by the template of its input. */
function digestStart(format: (typeof DIGESTS)[number]): string {
  const [algorithm, ...order] = format.split('-')
  const template = order.map((part) => `{${part.toUpperCase()}}`).join('')
  return `$${algorithm}$pf=${Buffer.from(template).toString('base64')}`
}

/** Undefined for a text in another encoding. */
function standardBase64(text: string, encoding: 'base64' | 'hex' | 'text'): string | undefined {
  if (encoding === 'text') return Buffer.from(text).toString('base64')
  if (encoding === 'base64') {
    const standard = text.trim().replaceAll('-', '+').replaceAll('_', '/')
    return /^[A-Za-z0-9+/]+={0,2}$/.test(standard) ? standard : undefined
  }
  // SQL Server writes 0x before the digits, PostgreSQL \x.
  const digits = text.trim().replace(/^(0x|\\x)/, '')
  return /^([\da-f]{2})+$/i.test(digits) ? Buffer.from(digits, 'hex').toString('base64') : undefined
}
