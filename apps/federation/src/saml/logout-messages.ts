// The messages of the Single Logout profile (SAML 2.0 Core section 3.7, Profiles section 4.4). Both directions are signed always.
import type { KeyObject } from 'node:crypto'
import {
  attribute,
  childrenNamed,
  type Element,
  elementsOf,
  hasName,
  textOf,
} from '@signet/platform/xml/strict-xml'
import { UNSPECIFIED } from '@signet/protocol/saml-provider'
import { Refused, type Rule } from '../conversation/refusal.ts'
import {
  only,
  optionalTime,
  requireBefore,
  requireIssuer,
  requireQualifiers,
  requireVersion,
  TOLERANCE_MS,
  timeOf,
} from './assertion-rules.ts'
import { escapedText, escapedValue } from './canonical-xml.ts'
import { ASSERTION, PROTOCOL, SUCCESS } from './names.ts'
import { requireIdsAndSignatures } from './response.ts'
import { DSIG, verifiedElement } from './signature.ts'
import { parseStrictXml } from './strict-xml.ts'

/** A person as the assertion of the sign-in named them. */
export interface SignedIn {
  readonly nameId: string
  /** Empty: the assertion named none. */
  readonly nameIdFormat: string
  /** Empty: the provider gave the session no index. */
  readonly sessionIndex: string
}

interface Sent {
  readonly id: string
  readonly at: Date
  readonly destination: string
  /** Entity id of Signet at the provider. */
  readonly entityId: string
}

export function logoutRequestXml({ nameId, nameIdFormat, sessionIndex, ...sent }: Sent & SignedIn): string {
  const format =
    nameIdFormat === '' || nameIdFormat === UNSPECIFIED ? '' : ` Format="${escapedValue(nameIdFormat)}"`
  const index =
    sessionIndex === '' ? '' : `<samlp:SessionIndex>${escapedText(sessionIndex)}</samlp:SessionIndex>`
  return messageXml('LogoutRequest', sent, {
    attributes: '',
    content: `<saml:NameID xmlns:saml="${ASSERTION}"${format}>${escapedText(nameId)}</saml:NameID>${index}`,
  })
}

export const logoutResponseXml = ({ inResponseTo, ...sent }: Sent & { readonly inResponseTo: string }) =>
  messageXml('LogoutResponse', sent, {
    attributes: ` InResponseTo="${escapedValue(inResponseTo)}"`,
    content: `<samlp:Status><samlp:StatusCode Value="${SUCCESS}"/></samlp:Status>`,
  })

function messageXml(
  name: string,
  { id, at, destination, entityId }: Sent,
  { attributes, content }: { readonly attributes: string; readonly content: string },
): string {
  return (
    `<samlp:${name} xmlns:samlp="${PROTOCOL}" ID="${id}" Version="2.0" IssueInstant="${at.toISOString()}"` +
    ` Destination="${escapedValue(destination)}"${attributes}>` +
    `<saml:Issuer xmlns:saml="${ASSERTION}">${escapedText(entityId)}</saml:Issuer>${content}</samlp:${name}>`
  )
}

interface Expected {
  /** Entity id of the provider. */
  readonly issuer: string
  /** Entity id of Signet at the provider. */
  readonly audience: string
  /** The SingleLogoutService of Signet for the provider. */
  readonly destination: string
  readonly now: Date
}

/** A message is on its way for a moment: an old one says nothing about the sessions of now, and its use is stored for so long. */
const LONGEST_MS = 300_000
const MOST_SESSIONS = 20
const MOST_CHARACTERS = 255

export interface LogoutRequest {
  readonly id: string
  readonly nameId: string
  /** Empty: all sessions of the person. */
  readonly sessionIndexes: readonly string[]
  readonly issuedAt: Date
  /** From then on its times refuse the request. */
  readonly expiresAt: Date
}

/** Reads a LogoutRequest of signed bytes. Throws Refused. */
export function readLogoutRequest(message: Element, expected: Expected): LogoutRequest {
  return asLogoutMessage(() => {
    const issuedAt = requireMessage(message, 'LogoutRequest', expected)
    requireBefore(expected.now, optionalTime(message, 'NotOnOrAfter'))
    const nameId = only(message, 'NameID')
    requireQualifiers(nameId, expected)
    const sessionIndexes = childrenNamed(message, PROTOCOL, 'SessionIndex').map((one) => textOf(one) ?? '')
    const texts = [textOf(nameId) ?? '', ...sessionIndexes]
    const isBounded = texts.every((text) => text !== '' && text.length <= MOST_CHARACTERS)
    if (!isBounded || sessionIndexes.length > MOST_SESSIONS) {
      throw new Refused('logout_message_malformed', { received: 'NameID, SessionIndex' })
    }
    const id = attribute(message, 'ID') ?? ''
    const expiresAt = new Date(issuedAt.getTime() + LONGEST_MS)
    return { id, nameId: texts[0] ?? '', sessionIndexes, issuedAt, expiresAt }
  })
}

/** Requires that a LogoutResponse is the answer to a request. Throws Refused, with `declined` where the provider did not sign out all. */
export function requireLogoutResponse(message: Element, requestId: string, expected: Expected): void {
  asLogoutMessage(() => {
    requireMessage(message, 'LogoutResponse', expected)
    const inResponseTo = attribute(message, 'InResponseTo')
    if (inResponseTo !== requestId) throw new Refused('request_differs', { received: inResponseTo })
    const code = only(only(message, 'Status', PROTOCOL), 'StatusCode', PROTOCOL)
    const value = attribute(code, 'Value')
    const [inner] = childrenNamed(code, PROTOCOL, 'StatusCode')
    if (value === SUCCESS && inner === undefined) return
    const received = (inner && attribute(inner, 'Value')) ?? value ?? ''
    throw new Refused('upstream_error', { received: received.split(':').at(-1), declined: true })
  })
}

/** Returns when the message was issued. */
function requireMessage(message: Element, name: string, { issuer, destination, now }: Expected): Date {
  if (!hasName(message, PROTOCOL, name)) {
    throw new Refused('logout_message_malformed', { received: message.tagName, expected: name })
  }
  requireVersion(message)
  if (!ID.test(attribute(message, 'ID') ?? ''))
    throw new Refused('logout_message_malformed', { received: 'ID' })
  requireIssuer(only(message, 'Issuer'), issuer)
  // A signed message has to say where it goes (Bindings sections 3.4.5.2 and 3.5.5.2).
  const received = attribute(message, 'Destination')
  if (received !== destination) {
    throw new Refused('destination_differs', { received, expected: destination })
  }
  const issuedAt = timeOf(message, 'IssueInstant')
  if (issuedAt.getTime() > now.getTime() + TOLERANCE_MS) {
    throw new Refused('logout_message_malformed', { received: issuedAt, expected: now })
  }
  requireBefore(now, new Date(issuedAt.getTime() + LONGEST_MS))
  return issuedAt
}

const ID = /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/

/** Parses a message whose signature covered its octets: there is no other signature in it. Throws Refused. */
export function parseSigned(xml: string): Element {
  const message = parseStrictXml(xml)
  requireForm(message, [])
  return message
}

/** Parses a message that has its signature in it, and returns it as it is read from the signed bytes. Throws Refused. */
export function verifyEnveloped(xml: string, keys: readonly KeyObject[]): Element {
  const received = parseStrictXml(xml)
  requireForm(received, [received])
  if (childrenNamed(received, DSIG, 'Signature').length === 0) throw new Refused('signature_missing')
  const read = verifiedElement(received, keys)
  requireForm(read, [read])
  return read
}

function requireForm(message: Element, signedParents: readonly Element[]): void {
  const elements = elementsOf(message)
  const encrypted = elements.find(({ localName }) => localName?.startsWith('Encrypted'))
  if (encrypted !== undefined) throw new Refused('assertion_encrypted', { received: encrypted.tagName })
  requireIdsAndSignatures(elements, signedParents)
}

const RULES: Readonly<Partial<Record<Rule, Rule>>> = {
  assertion_malformed: 'logout_message_malformed',
  assertion_expired: 'logout_message_expired',
}

/** The rules of assertions under the names of these messages. */
function asLogoutMessage<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    const rule = error instanceof Refused ? RULES[error.rule] : undefined
    if (!(error instanceof Refused) || rule === undefined) throw error
    const { received, expected, cause } = error
    throw new Refused(rule, { received, expected, cause })
  }
}
