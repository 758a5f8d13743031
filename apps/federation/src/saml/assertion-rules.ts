// The rules of the Web Browser SSO profile for an assertion (Profiles section 4.1.4.3), which was read from signed bytes.

import {
  attribute,
  childElements,
  childrenNamed,
  type Element,
  hasName,
  textOf,
} from '@signet/platform/xml/strict-xml'
import { ENTITY, STABLE_FORMATS, TRANSIENT, UNSPECIFIED } from '@signet/protocol/saml-provider'
import { Refused } from '../conversation/refusal.ts'
import { ASSERTION, BEARER, PROTOCOL, SUCCESS } from './names.ts'

export const TOLERANCE_MS = 60_000

export interface Expected {
  /** Entity id of the provider. */
  readonly issuer: string
  /** Entity id of Signet at the provider. */
  readonly audience: string
  /** The assertion consumer service. */
  readonly consumer: string
  /** The demanded format of the NameID. Empty: any. */
  readonly nameIdFormat: string
  /** ID of the request that is under way. */
  readonly requestId: string
  readonly now: Date
  readonly authenticatedSince: Date | undefined
}

/** Throws Refused for a response that is none to the request, and for one that says that there is no sign-in. */
export function requireResponseRules(response: Element, { issuer, consumer, requestId }: Expected): void {
  requireVersion(response)
  const destination = attribute(response, 'Destination')
  if (destination !== undefined && destination !== consumer) {
    throw new Refused('destination_differs', { received: destination, expected: consumer })
  }
  const inResponseTo = attribute(response, 'InResponseTo')
  if (inResponseTo === undefined) throw new Refused('response_unsolicited')
  if (inResponseTo !== requestId) throw new Refused('request_differs', { received: inResponseTo })
  const issuers = childrenNamed(response, ASSERTION, 'Issuer')
  for (const element of issuers) requireIssuer(element, issuer)
  if (issuers.length > 1) throw malformed('Issuer')
  requireSuccess(response)
}

function requireSuccess(response: Element): void {
  const codeIn = (parent: Element) => only(parent, 'StatusCode', PROTOCOL)
  const code = codeIn(only(response, 'Status', PROTOCOL))
  const value = attribute(code, 'Value')
  if (value === SUCCESS && childElements(code).length === 0) return
  const [inner] = childrenNamed(code, PROTOCOL, 'StatusCode')
  const received = (inner && attribute(inner, 'Value')) ?? value ?? ''
  throw new Refused('upstream_error', { received: received.split(':').at(-1), declined: true })
}

export interface CheckedAssertion {
  readonly id: string
  readonly nameId: { readonly value: string; readonly format: string | undefined }
  readonly authenticatedAt: Date
  readonly methodClass: string
  /** The name of the session at the provider. Empty: it has none. */
  readonly sessionIndex: string
  /** From then on the times of the assertion refuse it. */
  readonly expiresAt: Date
}

/** Throws Refused for an assertion that breaks a rule. */
export function checkAssertion(assertion: Element, expected: Expected): CheckedAssertion {
  requireVersion(assertion)
  requireIssuer(only(assertion, 'Issuer'), expected.issuer)
  requirePast(timeOf(assertion, 'IssueInstant'), expected.now)
  const subject = only(assertion, 'Subject')
  const confirmed = requireConfirmation(only(subject, 'SubjectConfirmation'), expected)
  const until = requireConditions(only(assertion, 'Conditions'), expected)
  const statement = only(assertion, 'AuthnStatement')
  const authenticatedAt = timeOf(statement, 'AuthnInstant')
  requirePast(authenticatedAt, expected.now)
  requireAge(authenticatedAt, expected.authenticatedSince)
  requireBefore(expected.now, optionalTime(statement, 'SessionNotOnOrAfter'))
  const [reference] = childrenNamed(only(statement, 'AuthnContext'), ASSERTION, 'AuthnContextClassRef')
  const ends = [confirmed, ...(until === undefined ? [] : [until])].map((time) => time.getTime())
  return {
    id: attribute(assertion, 'ID') ?? '',
    nameId: nameIdOf(only(subject, 'NameID'), expected),
    authenticatedAt,
    sessionIndex: attribute(statement, 'SessionIndex') ?? '',
    methodClass: (reference && textOf(reference)) ?? '',
    expiresAt: new Date(Math.min(...ends) + TOLERANCE_MS),
  }
}

/** Returns until when the subject is confirmed. */
function requireConfirmation(confirmation: Element, { consumer, requestId, now }: Expected): Date {
  const method = attribute(confirmation, 'Method')
  if (method !== BEARER) throw malformed(`SubjectConfirmation of ${method}`)
  const data = only(confirmation, 'SubjectConfirmationData')
  const recipient = attribute(data, 'Recipient')
  if (recipient !== consumer) {
    throw new Refused('recipient_differs', { received: recipient, expected: consumer })
  }
  const inResponseTo = attribute(data, 'InResponseTo')
  if (inResponseTo === undefined) throw new Refused('response_unsolicited')
  if (inResponseTo !== requestId) throw new Refused('request_differs', { received: inResponseTo })
  requireFrom(now, optionalTime(data, 'NotBefore'))
  const until = timeOf(data, 'NotOnOrAfter')
  requireBefore(now, until)
  return until
}

const KNOWN_CONDITIONS = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']

/** Returns until when the assertion counts. Each assertion is used once, so that `OneTimeUse` asks for nothing more. */
function requireConditions(conditions: Element, { audience, now }: Expected): Date | undefined {
  const unknown = childElements(conditions).find(
    (condition) => !KNOWN_CONDITIONS.some((name) => hasName(condition, ASSERTION, name)),
  )
  if (unknown !== undefined) throw new Refused('condition_unknown', { received: unknown.tagName })
  requireFrom(now, optionalTime(conditions, 'NotBefore'))
  const until = optionalTime(conditions, 'NotOnOrAfter')
  requireBefore(now, until)
  const restrictions = childrenNamed(conditions, ASSERTION, 'AudienceRestriction')
  const audiences = restrictions.map((one) => childrenNamed(one, ASSERTION, 'Audience').map(textOf))
  if (restrictions.length === 0 || !audiences.every((one) => one.includes(audience))) {
    throw new Refused('audience_differs', { received: audiences.flat(), expected: audience })
  }
  return until
}

/** Throws Refused for a NameID of another service. */
export function requireQualifiers(
  nameId: Element,
  { issuer, audience }: Pick<Expected, 'audience' | 'issuer'>,
): void {
  const qualifiers = [
    [attribute(nameId, 'NameQualifier'), issuer],
    [attribute(nameId, 'SPNameQualifier'), audience],
  ]
  // The same value under another qualifier is another person (Core section 8.3.7).
  for (const [received, expected] of qualifiers) {
    if (received !== undefined && received !== expected) {
      throw new Refused('subject_qualifier_differs', { received, expected })
    }
  }
}

function nameIdOf(nameId: Element, expected: Expected) {
  requireQualifiers(nameId, expected)
  const { nameIdFormat } = expected
  const format = attribute(nameId, 'Format')
  // The request is not signed: a browser that changes it gets a NameID that is refused here. None is the same as unspecified (Core section 8.3.1).
  if (nameIdFormat !== '' && (format ?? UNSPECIFIED) !== nameIdFormat) {
    throw new Refused('subject_format_refused', { received: format, expected: nameIdFormat })
  }
  return { value: textOf(nameId) ?? '', format }
}

/** Throws Refused for a NameID that does not identify a person for good. */
export function requireStableFormat(format: string | undefined): void {
  if (format === undefined || STABLE_FORMATS.includes(format)) return
  const expected =
    format === TRANSIENT ? 'another format, or a subjectClaim that names an attribute' : undefined
  throw new Refused('subject_format_refused', { received: format, expected })
}

/** Throws Refused for another issuer than the entity id of the provider. */
export function requireIssuer(element: Element, expected: string): void {
  const received = textOf(element)
  const format = attribute(element, 'Format') ?? ENTITY
  if (received !== expected || format !== ENTITY) throw new Refused('issuer_differs', { received, expected })
}

/** Throws Refused for another version than 2.0. */
export function requireVersion(element: Element): void {
  if (attribute(element, 'Version') !== '2.0') throw malformed(`Version of ${element.localName}`)
}

function requireAge(authenticatedAt: Date, since: Date | undefined): void {
  if (since === undefined || authenticatedAt.getTime() >= since.getTime() - TOLERANCE_MS) return
  throw new Refused('authentication_too_old', { received: authenticatedAt, expected: since })
}

const requirePast = (time: Date, now: Date) => requireFrom(now, time)

function requireFrom(now: Date, from: Date | undefined): void {
  if (from === undefined || from.getTime() <= now.getTime() + TOLERANCE_MS) return
  throw new Refused('assertion_not_yet_valid', { received: from, expected: now })
}

/** Throws Refused when a time is over. */
export function requireBefore(now: Date, until: Date | undefined): void {
  if (until === undefined || until.getTime() > now.getTime() - TOLERANCE_MS) return
  throw new Refused('assertion_expired', { received: until, expected: now })
}

/** The time of an attribute, which has to be there. Throws Refused. */
export function timeOf(element: Element, name: string): Date {
  const time = optionalTime(element, name)
  if (time === undefined) throw malformed(`${element.localName} without ${name}`)
  return time
}

/** Core section 1.3.3: xs:dateTime in UTC. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

/** The time of an attribute; undefined without one. Throws Refused. */
export function optionalTime(element: Element, name: string): Date | undefined {
  const value = attribute(element, name)
  if (value === undefined) return undefined
  const time = new Date(TIME.test(value) ? value.replace(/(\.\d{3})\d+/, '$1') : Number.NaN)
  if (Number.isNaN(time.getTime())) throw malformed(`${name} of ${element.localName}`)
  return time
}

/** The one child of a parent with a name. Throws Refused. */
export function only(parent: Element, name: string, namespace = ASSERTION): Element {
  const children = childrenNamed(parent, namespace, name)
  const [child] = children
  if (child === undefined || children.length > 1) throw malformed(`${name}: ${children.length}`)
  return child
}

const malformed = (received: string) => new Refused('assertion_malformed', { received })
