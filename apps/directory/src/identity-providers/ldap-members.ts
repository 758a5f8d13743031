// The members of an identity provider whose server verifies passwords (LDAP), and their rules.
import { NESTED_GROUPS, POSIX_GROUPS, STABLE_ATTRIBUTES } from '@signet/protocol/ldap-provider'
import { z } from 'zod'
import type { ProviderSettings } from './identity-provider.ts'
import { storedCertificate, withoutConversationRules } from './saml-members.ts'

export type LdapMembers = Pick<ProviderSettings, 'baseDn' | 'nameAttributes' | 'objectClass' | 'servers'>

/** A short name of RFC 4512 section 1.4. */
const DESCRIPTOR = /^[A-Za-z][A-Za-z0-9-]{0,99}$/
const descriptor = z.string().regex(DESCRIPTOR, 'must be a name of letters, digits and hyphens')

export const ldapMembers = {
  servers: z
    .array(z.string().max(300))
    .max(10)
    .describe(
      'Servers of a directory (LDAP) in the order in which they are asked: ldaps URLs, or ldap URLs for StartTLS. certificates are then the authorities of their certificates; without one those that Node.js knows.',
    ),
  baseDn: z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]{1,500}$/u, 'must have 1 to 500 printable characters')
    .nullable()
    .describe('The entry below which the people of a directory are searched.'),
  objectClass: descriptor
    .nullable()
    .describe('An object class of every person of a directory, such as person, or user of Active Directory.'),
  nameAttributes: z
    .array(descriptor)
    .max(5)
    .describe('Attributes of a directory that the typed name is compared with.'),
}

/** The members of a new provider of this type that a request leaves out. */
export const ldapDefaults = (baseDn: string | null | undefined) => ({
  ...{ issuer: baseDn ?? '', scopes: [], clientAuthentication: 'simple_bind' as const },
  ...{ subjectClaim: 'entryUUID', objectClass: 'person', nameAttributes: ['uid'] },
})

type Rule = readonly [isBroken: boolean, field: string, rule: string]

type Checked = LdapMembers &
  Pick<
    ProviderSettings,
    | 'assertionEncryption'
    | 'certificates'
    | 'clientAuthentication'
    | 'clientId'
    | 'crossAppAccess'
    | 'groupsClaim'
    | 'issuer'
    | 'mappedClaims'
    | 'nameIdFormat'
    | 'assertionConsumerPath'
    | 'requiredClaims'
    | 'scopes'
    | 'providerInitiated'
    | 'providerInitiatedClientId'
    | 'signAuthnRequests'
    | 'sloUrl'
    | 'ssoUrl'
    | 'subjectClaim'
    | 'trustedEmailDomains'
    | 'trustsMethods'
    | 'wantAssertionsSigned'
  >

/** The rules that a provider of this type may break. */
export function ldapRules(provider: Checked): readonly Rule[] {
  const { servers, baseDn, objectClass, nameAttributes, groupsClaim } = provider
  const attributes = [...Object.keys(provider.requiredClaims), ...Object.values(provider.mappedClaims)]
  const isGroups =
    groupsClaim === null ||
    [NESTED_GROUPS, POSIX_GROUPS].includes(groupsClaim) ||
    DESCRIPTOR.test(groupsClaim)
  return [
    [provider.issuer === '', 'issuer', 'is required: a name of the directory, which never changes'],
    [servers.length === 0, 'servers', 'is required with type ldap'],
    [
      !servers.every(isServer) || new Set(servers).size < servers.length,
      'servers',
      'must be ldaps:// or ldap:// with a host and at most a port, each once; ldap:// starts TLS before anything else',
    ],
    [baseDn === null || !isName(baseDn), 'baseDn', 'must be a distinguished name, such as dc=example,dc=com'],
    [objectClass === null, 'objectClass', 'is required with type ldap'],
    [nameAttributes.length === 0, 'nameAttributes', 'is required with type ldap'],
    [!isName(provider.clientId), 'clientId', 'must be the distinguished name that searches bind with'],
    [
      provider.clientAuthentication !== 'simple_bind',
      'clientAuthentication',
      'must be simple_bind with type ldap',
    ],
    [
      !STABLE_ATTRIBUTES.some((name) => name === provider.subjectClaim),
      'subjectClaim',
      `must be ${STABLE_ATTRIBUTES.join(', ')}: other attributes may be given to another person`,
    ],
    [!attributes.every(isAttribute), 'mappedClaims', 'must name attributes, as requiredClaims does'],
    [
      !isGroups,
      'groupsClaim',
      `must be an attribute, ${NESTED_GROUPS} for nested groups of Active Directory, or ${POSIX_GROUPS}`,
    ],
    [provider.scopes.length > 0, 'scopes', 'must be left out with type ldap'],
    [provider.ssoUrl !== null, 'ssoUrl', 'must be left out: it is of type saml'],
    [provider.sloUrl !== null, 'sloUrl', 'must be left out: it is of type saml'],
    [provider.wantAssertionsSigned, 'wantAssertionsSigned', 'must be left out: it is of type saml'],
    [provider.nameIdFormat !== null, 'nameIdFormat', 'must be left out: it is of type saml'],
    [
      provider.assertionConsumerPath !== null,
      'assertionConsumerPath',
      'must be left out: it is of type saml',
    ],
    ...withoutConversationRules(provider),
    [
      !provider.certificates.every((certificate) => storedCertificate(certificate) !== undefined),
      'certificates',
      'must be X.509 certificates with RSA keys of 2,048 to 4,096 bits, or keys of P-256, P-384 or P-521',
    ],
    [
      provider.trustedEmailDomains.length > 0,
      'trustedEmailDomains',
      'must be empty with type ldap: an entry does not say whether an address was verified',
    ],
    [provider.crossAppAccess, 'crossAppAccess', 'must be false with type ldap'],
    [provider.trustsMethods, 'trustsMethods', 'must be false with type ldap: a password is the only method'],
  ]
}

/** The rules about members of this type that a provider of another one may break. */
export function withoutLdapRules(
  provider: LdapMembers & Pick<ProviderSettings, 'clientAuthentication'>,
): readonly Rule[] {
  const rule = 'must be left out: it is of type ldap'
  return [
    [provider.servers.length > 0, 'servers', rule],
    [provider.baseDn !== null, 'baseDn', rule],
    [provider.objectClass !== null, 'objectClass', rule],
    [provider.nameAttributes.length > 0, 'nameAttributes', rule],
    [provider.clientAuthentication === 'simple_bind', 'clientAuthentication', 'simple_bind is of type ldap'],
  ]
}

const isAttribute = (name: string | undefined) => name === undefined || DESCRIPTOR.test(name)

/** The beginning of a distinguished name (RFC 4514); the server compares the rest. */
const isName = (dn: string) => /^\s*[A-Za-z0-9][A-Za-z0-9.-]*\s*=\s*[^\s,]/.test(dn)

function isServer(text: string): boolean {
  if (!/^ldaps?:\/\/[^/?#@\s]+$/.test(text) || !URL.canParse(text)) return false
  const { hostname, port } = new URL(text)
  return hostname !== '' && port !== '0'
}
