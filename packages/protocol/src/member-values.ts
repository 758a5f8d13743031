// The rules for single values of people, organizations, projects and applications. The management API, the bootstrap file and
// the import apply these, so that none of them stores what another one refuses.
import { domainNameProblem } from './domain-name.ts'
import { emailAddressProblem } from './email-address.ts'
import type { Kind } from './fields/field.ts'
import { readColour } from './label-colours.ts'
import { placeholderProblem } from './placeholder.ts'
import { type PrivacyMember, privacyLinkProblem } from './privacy-links.ts'
import { linkProblem, webUrlProblem } from './redirect-uri.ts'
import { resourceUriProblem } from './resource-indicator.ts'
import { shownNameProblem, shownTextProblem } from './shown-text.ts'

/** How a text becomes the stored value, and the rule that the stored value may break. */
export interface ValueRule {
  readonly prepare: (text: string) => string
  readonly problem: (prepared: string) => string | undefined
}

const same = (text: string): string => text

const rule = (problem: ValueRule['problem'], prepare = same): ValueRule => ({
  prepare,
  problem: (text) => placeholderProblem(text) ?? problem(text),
})

const createLengthRule = (most: number, problem: ValueRule['problem']) => (text: string) =>
  text.length > most ? `may have at most ${most} characters` : problem(text)

/** The name of a person or an object. */
export const NAME = rule(
  (name) => (name === '' ? 'must not be empty' : createLengthRule(200, shownNameProblem)(name)),
  (text) => text.trim(),
)

/** Lines are allowed (OIDC Core section 5.1.1). */
export const STREET_ADDRESS = rule(
  createLengthRule(500, (text) => shownTextProblem(text.replaceAll(/\r\n|\r|\n/g, ' '))),
)

/** Mailbox (RFC 5321) in the form that every message and every sign-in takes. */
export const EMAIL_ADDRESS = rule(createLengthRule(320, emailAddressProblem), (text) =>
  text.trim().normalize('NFC'),
)

export const PHONE_NUMBER_FORM = /^\+[0-9 ()-]{3,49}$/
export const PHONE_NUMBER_RULE = 'must begin with + and the country code, in quotes'
export const PHONE_NUMBER = rule((number) => (PHONE_NUMBER_FORM.test(number) ? undefined : PHONE_NUMBER_RULE))

export const LANGUAGE = rule(
  createLengthRule(35, (tag) => (isLanguage(tag) ? undefined : 'must be a language tag such as en or de-CH')),
)

export const TIME_ZONE = rule((zone) =>
  isTimeZone(zone) ? undefined : 'must be a time zone such as Europe/Zurich',
)

export const BIRTHDATE_FORM = /^\d{4}(-\d{2}-\d{2})?$/
export const BIRTHDATE_RULE = 'must be YYYY-MM-DD or YYYY, in quotes'
/** OIDC Core section 5.1: YYYY-MM-DD, 0000-MM-DD without the year, or YYYY alone. */
export const BIRTHDATE = rule((date) => {
  if (!BIRTHDATE_FORM.test(date)) return BIRTHDATE_RULE
  return isDate(date) ? undefined : 'must be a day of the calendar'
})

/** A page or a picture of a person. */
export const WEB_URL = rule(createLengthRule(2000, webUrlProblem))

/** The URI of an API. */
export const RESOURCE_URI = rule(resourceUriProblem)

/** A link of a policy, which pages show. */
export const POLICY_LINK: ValueRule = { prepare: same, problem: createLengthRule(1000, linkProblem) }

export const COLOUR_RULE = 'must be a colour such as #1a2b3c'
export const COLOUR = rule((text) => (readColour(text) === undefined ? COLOUR_RULE : undefined))

export const DOMAIN_NAME = rule(domainNameProblem, (text) => text.toLowerCase())

/** The rules for fields of each kind. The values of the other kinds are of a closed set. */
export const KIND_RULES: { readonly [K in Kind]?: ValueRule } = {
  name: NAME,
  domain: DOMAIN_NAME,
  language: LANGUAGE,
  webUrl: WEB_URL,
  resourceUri: RESOURCE_URI,
  birthdate: BIRTHDATE,
  timeZone: TIME_ZONE,
  streetAddress: STREET_ADDRESS,
}

/** A member of a privacy policy. */
export const privacyRule = (member: PrivacyMember): ValueRule => ({
  prepare: same,
  problem: createLengthRule(1000, (text) => privacyLinkProblem(member, text)),
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

/** Whether there is such a day; the year 0000 has a 29 February. */
function isDate(date: string): boolean {
  if (date.length === 4) return true
  const day = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date)
}
