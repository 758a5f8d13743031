import { detailTypesProblems } from '@signet/protocol/authorization-detail-types'
import { DOMAIN_NAME_FORMS } from '@signet/protocol/domain-name'
import {
  BIRTHDATE,
  BIRTHDATE_FORM,
  BIRTHDATE_RULE,
  EMAIL_ADDRESS,
  LANGUAGE,
  NAME,
  PHONE_NUMBER_FORM,
  PHONE_NUMBER_RULE,
  POLICY_LINK,
  RESOURCE_URI,
  STREET_ADDRESS,
  TIME_ZONE,
  WEB_URL,
} from '@signet/protocol/member-values'
import { placeholderProblem } from '@signet/protocol/placeholder'
import { originProblem, redirectTargetProblem, webTargetProblem } from '@signet/protocol/redirect-uri'
import { SIGNING_ALGORITHMS } from '@signet/protocol/signing-algorithms'
import { preparedUserName, userNameProblem } from '@signet/protocol/user-name'
import { DOT_SEGMENT_RULE, isPathSegment, KEY, KEY_RULE } from '@signet/tokens/identifiers'
import { z } from 'zod'

const abortAbove = (most: number) => ({ error: `may have at most ${most} characters`, abort: true })

export const name = z
  .string()
  .trim()
  .min(1, { error: 'must not be empty', abort: true })
  .max(200, abortAbove(200))
  .superRefine(createRule(NAME.problem))

/** The key of a role or of metadata that is to be stored. */
export const newKey = z
  .string()
  .regex(KEY, KEY_RULE)
  .refine(isPathSegment, DOT_SEGMENT_RULE)
  .superRefine(createRule(placeholderProblem))

export const domain = z
  .string()
  .toLowerCase()
  .regex(...DOMAIN_NAME_FORMS[0])
  .regex(...DOMAIN_NAME_FORMS[1])

/** A host, or `*.` and the domain that it is below. */
export const hostPattern = z
  .string()
  .max(255)
  .regex(
    /^(\*\.[a-z0-9-]+\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/,
    'must be a host such as app.example, or *.example.com',
  )

/** Mailbox (RFC 5321) in the form that every message and every sign-in takes. */
export const email = z
  .string()
  .overwrite(EMAIL_ADDRESS.prepare)
  .max(320, abortAbove(320))
  .superRefine(createRule(EMAIL_ADDRESS.problem))

/** A user name of an account that is new or gets another one (RFC 8265). */
export const userName = z
  .string()
  .overwrite(preparedUserName)
  .min(1, { error: 'must not be empty', abort: true })
  .max(200, abortAbove(200))
  .superRefine(createRule(placeholderProblem))
  .superRefine(createRule(userNameProblem))

export const phoneNumber = z.string().regex(PHONE_NUMBER_FORM, PHONE_NUMBER_RULE)

export const birthdate = z
  .string()
  .regex(BIRTHDATE_FORM, { error: BIRTHDATE_RULE, abort: true })
  .superRefine(createRule(BIRTHDATE.problem))

export const language = z.string().superRefine(createRule(LANGUAGE.problem))

export const timeZone = z.string().superRefine(createRule(TIME_ZONE.problem))

export const streetAddress = z
  .string()
  .max(500, abortAbove(500))
  .superRefine(createRule(STREET_ADDRESS.problem))

export const accessTokenType = z.enum(['bearer', 'jwt']).describe('bearer: opaque; jwt: RFC 9068')

export const signingAlgorithm = z.enum(SIGNING_ALGORITHMS)

export const moment = z.iso.datetime({
  offset: true,
  error: 'must be a time such as 2030-01-01T00:00:00Z, in quotes',
})

/** RFC 8707 section 2. */
export const resourceUri = z.string().max(500, abortAbove(500)).superRefine(createRule(RESOURCE_URI.problem))

const createDetailTypes = <S extends z.ZodType>(schema: S) =>
  z.record(
    z.string(),
    z.strictObject({
      title: z.string().describe('Heading on the consent page.'),
      description: z.string().optional(),
      schema: schema.optional().describe('The members of a detail, as JSON Schema.'),
    }),
  )

/** RFC 9396 section 2.1. */
export const shownDetailTypes = createDetailTypes(z.record(z.string(), z.unknown()))
export const detailTypes = shownDetailTypes.superRefine((types, context) => {
  for (const { path, rule: message } of detailTypesProblems(types))
    context.addIssue({ code: 'custom', message, path: [...path] })
})
export const httpUrl = z.string().max(2000, abortAbove(2000)).superRefine(createRule(WEB_URL.problem))

/** The rules of the application's type are checked with the whole application. */
export const redirectUri = z.string().max(2000).superRefine(createRule(redirectTargetProblem))

/** The rule for http is checked with the whole application. */
export const applicationUrl = z.string().max(2000).superRefine(createRule(webTargetProblem))

export const origin = z.string().max(2000).superRefine(createRule(originProblem))

/** Link of a policy that pages show; empty for none. */
export const link = z
  .string()
  .max(1000)
  .superRefine(createRule((uri) => (uri === '' ? undefined : POLICY_LINK.problem(uri))))

/** A check of a schema by a rule that names the problem of a text. */
export function createRule(problemOf: (value: string) => string | undefined) {
  return (value: string, context: z.RefinementCtx) => {
    const message = problemOf(value)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  }
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

/** The seconds of a duration such as `1h30m`; not a number for another text. */
export function durationSeconds(value: string): number {
  if (!/^(\d{1,9}h)?(\d{1,9}m)?(\d{1,9}s)?$/.test(value) || value === '') return Number.NaN
  const parts = [...value.matchAll(/(\d+)([hms])/g)]
  return parts.reduce(
    (total, [, amount, unit]) => total + Number(amount) * (UNIT_SECONDS[unit ?? ''] ?? 0),
    0,
  )
}
