import {
  IDENTIFIER,
  IDENTIFIER_RULE,
  isReservedIdentifier,
  RESERVED_RULE,
  USER_IDENTIFIER,
  USER_IDENTIFIER_RULE,
} from '@signet/tokens/identifiers'
import { z } from 'zod'

export const identifier = z.string().regex(IDENTIFIER, IDENTIFIER_RULE)

/** Of a user or service user. */
export const userIdentifier = z.string().regex(USER_IDENTIFIER, USER_IDENTIFIER_RULE)

const isFree = (id: string): boolean => !isReservedIdentifier(id)

/** The id of a new object; an existing object with a reserved id can still be referenced. */
export const newIdentifier = identifier.refine(isFree, RESERVED_RULE)

export const newUserIdentifier = userIdentifier.refine(isFree, RESERVED_RULE)

export const name = z.string().trim().min(1, 'must not be empty').max(200, 'may have at most 200 characters')

export const domain = z
  .string()
  .toLowerCase()
  .regex(
    /^(?=.{1,253}$)[a-z0-9\u0080-\u{10ffff}]([a-z0-9.\u0080-\u{10ffff}-]*[a-z0-9\u0080-\u{10ffff}])?$/u,
    'must be a domain name such as acme.example',
  )

export const email = z
  .string()
  .trim()
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
  .max(320, 'may have at most 320 characters')

export const phoneNumber = z
  .string()
  .regex(/^\+[0-9 ()-]{3,49}$/, 'must begin with + and the country code, in quotes')

/** OIDC Core section 5.1: YYYY-MM-DD, 0000-MM-DD without the year, or YYYY alone. */
export const birthdate = z.string().regex(/^\d{4}(-\d{2}-\d{2})?$/, 'must be YYYY-MM-DD or YYYY, in quotes')

export const language = z.string().refine(isLanguage, 'must be a language tag such as en or de-CH')

export const timeZone = z.string().refine(isTimeZone, 'must be a time zone such as Europe/Zurich')

export const moment = z.iso.datetime({
  offset: true,
  error: 'must be a time such as 2030-01-01T00:00:00Z, in quotes',
})

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}
