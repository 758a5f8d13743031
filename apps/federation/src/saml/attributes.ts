// The attributes of an assertion as claims of the conversation.

import { attribute, childrenNamed, type Element, textOf } from '@signet/platform/xml/strict-xml'
import { EMAIL_ADDRESS, NAME_ID_CLAIM } from '@signet/protocol/saml-provider'
import type { Provider } from '../conversation/provider.ts'
import { Refused } from '../conversation/refusal.ts'
import { type CheckedAssertion, requireStableFormat } from './assertion-rules.ts'
import { ASSERTION } from './names.ts'

type Attributes = ReadonlyMap<string, readonly string[]>

const X500 = 'urn:oid:2.5.4.'
const ENTRA = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/'

/** The attributes of eduPerson, Entra ID and Okta that fill a standard claim, the first that there is. */
const STANDARD_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  preferred_username: [
    ...['urn:oid:1.3.6.1.4.1.5923.1.1.1.6', `${ENTRA}name`, 'urn:oid:0.9.2342.19200300.100.1.1'],
    ...['eduPersonPrincipalName', 'login', 'username', 'uid'],
  ],
  given_name: [`${X500}42`, `${ENTRA}givenname`, 'givenName', 'firstName'],
  family_name: [`${X500}4`, `${ENTRA}surname`, 'sn', 'lastName'],
  name: [
    ...['urn:oid:2.16.840.1.113730.3.1.241', 'http://schemas.microsoft.com/identity/claims/displayname'],
    'displayName',
  ],
  locale: ['urn:oid:2.16.840.1.113730.3.1.39', 'preferredLanguage'],
  email: ['urn:oid:0.9.2342.19200300.100.1.3', `${ENTRA}emailaddress`, 'mail'],
  phone_number: [`${X500}20`, 'telephoneNumber', 'mobilePhone'],
}

const CLASSES = 'urn:oasis:names:tc:SAML:2.0:ac:classes:'
const MICROSOFT_METHODS = 'http://schemas.microsoft.com/claims/authnmethodsreferences'

/** The methods (RFC 8176) that a class of authentication stands for. Others stand for none. */
const METHODS: Readonly<Record<string, string>> = {
  [`${CLASSES}Password`]: 'pwd',
  [`${CLASSES}PasswordProtectedTransport`]: 'pwd',
  'https://refeds.org/profile/mfa': 'mfa',
  'http://schemas.microsoft.com/claims/multipleauthn': 'mfa',
}

/** Returns the claims of an assertion whose rules were checked. Nothing in them says that an address is verified. Throws Refused. */
export function claimsOf(assertion: Element, checked: CheckedAssertion, provider: Provider) {
  const attributes = attributesOf(assertion)
  for (const { name, value } of provider.requiredClaims) {
    const values = attributes.get(name) ?? []
    if (values.length !== 1 || values[0] !== value) {
      throw new Refused('required_claim_differs', {
        received: { [name]: values },
        expected: { [name]: value },
      })
    }
  }
  const claims: Record<string, unknown> = Object.create(null)
  for (const [name, [first]] of attributes) claims[name] = first
  for (const [claim, names] of Object.entries(STANDARD_ATTRIBUTES)) {
    const name = [...names, claim].find((candidate) => attributes.has(candidate))
    claims[claim] = name === undefined ? undefined : claims[name]
  }
  const { nameId, methodClass, authenticatedAt } = checked
  if (claims.email === undefined && nameId.format === EMAIL_ADDRESS) claims.email = nameId.value
  if (provider.groupsClaim !== '') claims[provider.groupsClaim] = attributes.get(provider.groupsClaim)
  const methods = [methodClass, ...(attributes.get(MICROSOFT_METHODS) ?? [])]
    .map((name) => (Object.hasOwn(METHODS, name) ? METHODS[name] : undefined))
    .filter((method) => method !== undefined)
  return Object.assign(claims, {
    iss: provider.issuer,
    sub: subjectOf(attributes, checked, provider),
    auth_time: authenticatedAt.getTime() / 1_000,
    acr: Object.hasOwn(METHODS, methodClass) ? methodClass : undefined,
    amr: [...new Set(methods)],
  })
}

function subjectOf(
  attributes: Attributes,
  { nameId }: CheckedAssertion,
  { subjectClaim }: Provider,
): string | undefined {
  if (subjectClaim === NAME_ID_CLAIM) {
    requireStableFormat(nameId.format)
    return nameId.value
  }
  const values = attributes.get(subjectClaim) ?? []
  if (values.length > 1)
    throw new Refused('subject_missing', { received: values.length, expected: 'one value' })
  return values[0]
}

/** The values of each attribute that are text; those of attributes with one name stand together. */
function attributesOf(assertion: Element): Attributes {
  const attributes = new Map<string, readonly string[]>()
  for (const statement of childrenNamed(assertion, ASSERTION, 'AttributeStatement')) {
    for (const element of childrenNamed(statement, ASSERTION, 'Attribute')) {
      const values = childrenNamed(element, ASSERTION, 'AttributeValue').flatMap(
        (value) => textOf(value) ?? [],
      )
      const name = attribute(element, 'Name') ?? ''
      attributes.set(name, [...(attributes.get(name) ?? []), ...values])
    }
  }
  return attributes
}
