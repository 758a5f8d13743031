import { emailAddressProblem } from '@signet/protocol/email-address'
import {
  backChannelTargetProblem,
  linkProblem,
  originProblem,
  redirectTargetProblem,
} from '@signet/protocol/redirect-uri'
import { shownNameProblem } from '@signet/protocol/shown-text'
import { preparedUserName, userNameProblem } from '@signet/protocol/user-name'
import {
  IDENTIFIER,
  IDENTIFIER_RULE,
  isReservedIdentifier,
  KEY,
  KEY_RULE,
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

export const name = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'may have at most 200 characters')
  .superRefine(obeys(shownNameProblem))

/** The key of a role or of metadata that is to be stored. */
export const newKey = z.string().regex(KEY, KEY_RULE)

export const domain = z
  .string()
  .toLowerCase()
  .regex(
    /^(?=.{1,253}$)[a-z0-9\u0080-\u{10ffff}]([a-z0-9.\u0080-\u{10ffff}-]*[a-z0-9\u0080-\u{10ffff}])?$/u,
    'must be a domain name such as acme.example',
  )
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, 'must be a domain name without invisible characters')

/** One mailbox (RFC 5321), as every message and every sign-in takes it. */
export const email = z
  .string()
  .trim()
  .normalize('NFC')
  .max(320, { error: 'may have at most 320 characters', abort: true })
  .superRefine(obeys(emailAddressProblem))

/** A user name of an account that is new or gets another one (RFC 8265). */
export const userName = z
  .string()
  .overwrite(preparedUserName)
  .min(1, { error: 'must not be empty', abort: true })
  .max(200, { error: 'may have at most 200 characters', abort: true })
  .superRefine(obeys(userNameProblem))

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

export const httpUrl = z.string().max(2000).refine(isHttpUrl, 'must be an http or https URL')

/** The rules of the application's type are checked with the whole application. */
export const redirectUri = z.string().max(2000).superRefine(obeys(redirectTargetProblem))

export const backChannelLogoutUri = z.string().max(2000).superRefine(obeys(backChannelTargetProblem))

export const origin = z.string().max(2000).superRefine(obeys(originProblem))

/** Of a policy: shown on pages. Empty: none. */
export const link = z
  .string()
  .max(1000)
  .superRefine(obeys((uri) => (uri === '' ? undefined : linkProblem(uri))))

function obeys(problemOf: (value: string) => string | undefined) {
  return (value: string, context: z.RefinementCtx) => {
    const message = problemOf(value)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  }
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol)
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 }

/** `1h`, `30m`, `1h30m` or `90s` as whole seconds from `least` to `most`; both are also given that way. */
export function duration(least: string, most: string) {
  return z.string().transform((value, context) => {
    const seconds = durationSeconds(value)
    const within = seconds >= durationSeconds(least) && seconds <= durationSeconds(most)
    if (within) return seconds
    const problem = Number.isNaN(seconds)
      ? 'must be a duration such as 1h, 30m or 90s'
      : `must be from ${least} to ${most}`
    context.addIssue({ code: 'custom', message: problem })
    return z.NEVER
  })
}

function durationSeconds(value: string): number {
  if (!/^(\d{1,9}h)?(\d{1,9}m)?(\d{1,9}s)?$/.test(value) || value === '') return Number.NaN
  const parts = [...value.matchAll(/(\d+)([hms])/g)]
  return parts.reduce(
    (total, [, amount, unit]) => total + Number(amount) * (UNIT_SECONDS[unit ?? ''] ?? 0),
    0,
  )
}
