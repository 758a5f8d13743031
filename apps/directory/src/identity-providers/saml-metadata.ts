// The metadata of a SAML provider (SAML 2.0 Metadata section 2), as far as a sign-in needs it: entity id, the address that takes
// requests by redirect, and the certificates that sign. The document names itself; an administrator decides to trust it, so that a
// signature in it is not verified.
import { invalidFields } from '@signet/admin-api/json-error-handler'
import {
  attribute,
  childrenNamed,
  type Element,
  elementsOf,
  hasName,
  isElement,
  type Node,
  parseStrictXml,
  textOf,
  XmlError,
} from '@signet/platform/xml/strict-xml'
import { isTlsUrl, storedCertificate } from './saml-rules.ts'

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
const DSIG = 'http://www.w3.org/2000/09/xmldsig#'
const HTTP_REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'

/** The members of a provider that its metadata has, and remarks on the parts without an effect here. */
export interface SamlMetadata {
  readonly issuer: string
  readonly ssoUrl: string
  /** Undefined: the provider has none that is used here. */
  readonly sloUrl: string | undefined
  /** DER in base64, each once. */
  readonly certificates: readonly string[]
  readonly remarks: readonly string[]
}

/** Reads a document. Throws ApiError, which names the rule that it breaks. */
export function readSamlMetadata(text: string, now: Date): SamlMetadata {
  const root = parse(text)
  const entity = entityOf(root)
  const roles = childrenNamed(entity, METADATA, 'IDPSSODescriptor').filter(speaksSaml2)
  const [role] = roles
  if (role === undefined || roles.length > 1) throw refused('must have one IDPSSODescriptor of SAML 2.0')
  for (let part: Node | null = role; part !== null && isElement(part); part = part.parentNode) {
    requireStillValid(part, now)
  }
  const issuer = attribute(entity, 'entityID') ?? ''
  if (issuer === '') throw refused('must have an entityID')
  const signing = childrenNamed(role, METADATA, 'KeyDescriptor').filter(
    (key) => (attribute(key, 'use') ?? 'signing') === 'signing',
  )
  const given = signing.flatMap(certificatesOf)
  const usable = given.flatMap((certificate) => storedCertificate(certificate) ?? [])
  if (usable.length === 0) {
    throw refused('must have a KeyDescriptor for signing with an X509Certificate of a key that is taken here')
  }
  return {
    ...{ issuer, ssoUrl: ssoUrlOf(role), sloUrl: sloUrlOf(role), certificates: [...new Set(usable)] },
    remarks: [
      ...(usable.length < given.length
        ? [`certificates: ${given.length - usable.length} left out, whose keys are not taken here`]
        : []),
      ...(attribute(role, 'WantAuthnRequestsSigned') === 'true' ||
      attribute(role, 'WantAuthnRequestsSigned') === '1'
        ? ['WantAuthnRequestsSigned: requests are not signed, so the provider has to take unsigned ones']
        : []),
    ],
  }
}

function parse(text: string): Element {
  try {
    // Some providers begin their documents with a byte order mark.
    return parseStrictXml(text.replace(/^\ufeff/, ''), { commentsBetweenTags: true })
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    throw refused(XML_RULES[error.rule], error)
  }
}

const XML_RULES: Readonly<Record<XmlError['rule'], string>> = {
  too_large: 'must have at most 256 KiB; take the document of one provider',
  refused:
    'must be UTF-8 without comments inside texts, document types, CDATA and processing instructions, with at most 3,000 elements',
  malformed: 'must be well-formed XML',
}

/** The one entity of a document that is a provider; the document may list others, which are none. */
function entityOf(root: Element): Element {
  const isEntity = (element: Element) => hasName(element, METADATA, 'EntityDescriptor')
  if (isEntity(root)) return root
  if (!hasName(root, METADATA, 'EntitiesDescriptor')) throw refused('must be an EntityDescriptor of SAML 2.0')
  const providers = elementsOf(root).filter(
    (element) => isEntity(element) && childrenNamed(element, METADATA, 'IDPSSODescriptor').length > 0,
  )
  const [provider] = providers
  if (provider === undefined || providers.length > 1) {
    throw refused('must have one EntityDescriptor with an IDPSSODescriptor')
  }
  return provider
}

const speaksSaml2 = (role: Element) =>
  (attribute(role, 'protocolSupportEnumeration') ?? '').split(/[ \t\r\n]+/).includes(PROTOCOL)

/** Section 2.3.2: a document that is over is not used. */
function requireStillValid(element: Element, now: Date): void {
  const until = attribute(element, 'validUntil')
  if (until === undefined) return
  const time = new Date(until).getTime()
  if (Number.isNaN(time) || time <= now.getTime()) throw refused('is over: its validUntil has passed')
}

function ssoUrlOf(role: Element): string {
  const location = childrenNamed(role, METADATA, 'SingleSignOnService')
    .filter((service) => attribute(service, 'Binding') === HTTP_REDIRECT)
    .map((service) => attribute(service, 'Location') ?? '')
    .find((text) => text !== '')
  if (location === undefined) throw refused('must have a SingleSignOnService with the binding HTTP-Redirect')
  return location
}

/** The service that takes messages of a sign-out by redirect. Without TLS, or with another place for responses, it is none. */
const sloUrlOf = (role: Element): string | undefined =>
  childrenNamed(role, METADATA, 'SingleLogoutService')
    .filter((service) => attribute(service, 'Binding') === HTTP_REDIRECT)
    .filter((service) => {
      const responses = attribute(service, 'ResponseLocation')
      return responses === undefined || responses === attribute(service, 'Location')
    })
    .map((service) => attribute(service, 'Location') ?? '')
    .find(isTlsUrl)

const certificatesOf = (key: Element): readonly string[] =>
  childrenNamed(key, DSIG, 'KeyInfo')
    .flatMap((info) => childrenNamed(info, DSIG, 'X509Data'))
    .flatMap((data) => childrenNamed(data, DSIG, 'X509Certificate'))
    .map((certificate) => textOf(certificate) ?? '')

const refused = (rule: string, cause?: unknown) => invalidFields([{ field: 'metadata', rule }], cause)
