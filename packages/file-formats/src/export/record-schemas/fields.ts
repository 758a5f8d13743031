import { createPublicKey, type KeyObject } from 'node:crypto'
import {
  DOT_SEGMENT_RULE,
  IDENTIFIER,
  IDENTIFIER_RULE,
  isPathSegment,
  isReservedIdentifier,
  RESERVED_RULE,
  USER_IDENTIFIER,
  USER_IDENTIFIER_RULE,
} from '@signet/tokens/identifiers'
import { z } from 'zod'

/** The characters of an id, docs/spec 4.1. */
export const identifier = z.string().regex(IDENTIFIER, IDENTIFIER_RULE)

/** Id of a user or service user. */
export const userIdentifier = z.string().regex(USER_IDENTIFIER, USER_IDENTIFIER_RULE)

const isFree = (id: string): boolean => !isReservedIdentifier(id)

/** The id of an object that is created under it; an object that already has a reserved one can still be named. */
export const newIdentifier = identifier.refine(isFree, RESERVED_RULE).refine(isPathSegment, DOT_SEGMENT_RULE)

export const newUserIdentifier = userIdentifier
  .refine(isFree, RESERVED_RULE)
  .refine(isPathSegment, DOT_SEGMENT_RULE)

export const name = z.string().min(1, 'must not be empty').max(200, 'may have at most 200 characters')

/**
 * Text under a rule of value-rules.ts, without which the record is imported when it breaks the rule. An empty one takes the
 * value away, except of a name that each object has.
 */
export const valueText = z.string()

export const flag = z.boolean().optional()

export const moment = z.iso.datetime({ offset: true, error: 'must be a time such as 2030-01-01T00:00:00Z' })

/** When an object was created. The format has it for none; documents of Signet do. */
export const creationDate = moment.optional()

/** Up to 500,000 bytes. */
export const base64Value = z
  .string()
  .min(1, 'must not be empty')
  .max(666_672, 'may stand for at most 500000 bytes')
  .regex(/^[A-Za-z0-9+/_-]+={0,2}$/, 'must be base64')

/** protojson: whole or broken seconds with the unit. */
export const seconds = z.string().regex(/^\d{1,9}(\.\d{1,9})?s$/, 'must be a duration such as 3600s')

/** protojson writes enums by name and reads them by name or number; the first name is number 0. */
export function enumeration<const N extends readonly [string, ...string[]]>(names: N) {
  return z.preprocess(
    (value) => (typeof value === 'number' ? (names[value] ?? value) : value),
    z.enum(names, { error: `must be one of ${names.filter((known) => known !== '').join(', ')}` }),
  )
}

/** protojson writes 64-bit integers as strings and reads both. */
export const wholeNumber = z.union([
  z.int().min(0),
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number),
])

export const expirationDate = moment.optional()

/** The rules of an issuer whose assertions an account or application presents; a record brings all of them. */
export const issuerTrust = {
  issuer: z.string().min(1).max(500),
  subject: z.string().min(1).max(500),
  claims: z.record(z.string(), z.string().max(500)).optional(),
  keySet: z.record(z.string(), z.unknown()).optional(),
}

/** The directory decides for each record alone whether it accepts the key. */
export const publicKey = z
  .string()
  .max(16_000)
  .refine((text) => readPublicKey(text) !== undefined, { error: 'must be base64 of a PEM public key' })

/**
 * The key that base64 of a PEM text holds. Its label may say `RSA PUBLIC KEY` although a SubjectPublicKeyInfo follows,
 * as ZITADEL writes it. Undefined when there is none.
 */
export function readPublicKey(base64: string): KeyObject | undefined {
  const pem = Buffer.from(base64, 'base64').toString('latin1')
  const body =
    /^\s*-----BEGIN (RSA )?PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END (RSA )?PUBLIC KEY-----\s*$/.exec(pem)
  if (body === null) return undefined
  const key = Buffer.from(body[2] ?? '', 'base64')
  for (const encoding of ['spki', 'pkcs1'] as const) {
    try {
      return createPublicKey({ key, format: 'der', type: encoding })
    } catch {}
  }
  return undefined
}
