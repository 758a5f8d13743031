// The rules of an identity provider whose server verifies passwords (LDAP).
import type { ProviderSettings } from '@signet/protocol/fields/identity-provider'
import { NESTED_GROUPS, POSIX_GROUPS, STABLE_ATTRIBUTES } from '@signet/protocol/ldap-provider'
import { storedCertificate } from './saml-rules.ts'

/** A short name of RFC 4512 section 1.4. */
export const DESCRIPTOR = /^[A-Za-z][A-Za-z0-9-]{0,99}$/

/** The members of a new provider of this type that a request leaves out. */
export const ldapDefaults = (baseDn: string | null | undefined) => ({
  ...{ issuer: baseDn ?? '', scopes: [], clientAuthentication: 'simple_bind' as const },
  ...{ subjectClaim: 'entryUUID', objectClass: 'person', nameAttributes: ['uid'] },
})

type Rule = readonly [isBroken: boolean, field: string, rule: string]

/** The rules that a provider of this type may break. */
export function ldapRules(provider: ProviderSettings): readonly Rule[] {
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

const isAttribute = (name: string | undefined) => name === undefined || DESCRIPTOR.test(name)

/** The beginning of a distinguished name (RFC 4514); the server compares the rest. */
const isName = (dn: string) => /^\s*[A-Za-z0-9][A-Za-z0-9.-]*\s*=\s*[^\s,]/.test(dn)

function isServer(text: string): boolean {
  if (!/^ldaps?:\/\/[^/?#@\s]+$/.test(text) || !URL.canParse(text)) return false
  const { hostname, port } = new URL(text)
  return hostname !== '' && port !== '0'
}
