import type { ProviderType } from '@signet/protocol/identity-provider-types'

/** The kinds of providers, with the fields that one needs from the person who creates it. `other` is none that Signet knows. */
const ISSUER = ['name', 'issuer', 'clientId', 'clientSecret'] as const
const KNOWN = ['name', 'clientId', 'clientSecret'] as const
const DECISIONS = ['creationAllowed', 'linkingAllowed'] as const

export const FIELDS_OF_PRESET = {
  google: [...KNOWN, 'requiredClaims', ...DECISIONS],
  entra: [...ISSUER, ...DECISIONS],
  okta: [...ISSUER, ...DECISIONS],
  auth0: [...ISSUER, ...DECISIONS],
  keycloak: [...ISSUER, ...DECISIONS],
  gitlab: [...KNOWN, ...DECISIONS],
  apple: ['name', 'clientId', 'teamId', 'keyId', 'clientSecret', ...DECISIONS],
  github: [...KNOWN, 'requiredClaims', ...DECISIONS],
  other: [...ISSUER, 'clientAuthentication', ...DECISIONS],
  saml: ['name', 'metadata', 'metadataUrl', 'clientId', ...DECISIONS],
  ldap: [
    ...['name', 'servers', 'certificates', 'baseDn', 'objectClass', 'nameAttributes', 'subjectClaim'],
    ...['clientId', 'clientSecret', 'groupsClaim', ...DECISIONS],
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type PresetChoice = keyof typeof FIELDS_OF_PRESET

export const PRESET_CHOICES = Object.keys(FIELDS_OF_PRESET) as readonly PresetChoice[]

export const isPresetChoice = (value: string | undefined): value is PresetChoice =>
  PRESET_CHOICES.some((choice) => choice === value)

const OF_SAML = [
  ...['ssoUrl', 'sloUrl', 'wantAssertionsSigned', 'nameIdFormat', 'assertionEncryption', 'signAuthnRequests'],
  ...['assertionConsumerPath', 'providerInitiated', 'providerInitiatedClientId', 'metadata', 'metadataUrl'],
] as const
const OF_APPLE = ['teamId', 'keyId'] as const
const OF_LDAP = ['servers', 'baseDn', 'objectClass', 'nameAttributes'] as const

/** The members that a request for a provider of the type leaves out. */
export const NOT_OF_TYPE = {
  oidc: ['type', 'certificates', ...OF_SAML, ...OF_LDAP],
  saml: [
    ...['type', 'preset', 'clientAuthentication', 'clientSecret', 'scopes', 'trustedEmailDomains'],
    ...['crossAppAccess', ...OF_APPLE, ...OF_LDAP],
  ],
  ldap: [
    ...['type', 'preset', 'clientAuthentication', 'scopes', 'trustedEmailDomains', 'trustsMethods'],
    ...['crossAppAccess', 'backchannelLogout', 'rpInitiatedLogout', ...OF_APPLE, ...OF_SAML],
  ],
  github: [
    ...['type', 'preset', 'clientAuthentication', 'subjectClaim', 'mappedClaims'],
    ...['groupsClaim', 'roleMappings', 'trustsMethods', 'crossAppAccess', 'backchannelLogout'],
    ...['rpInitiatedLogout', 'certificates', ...OF_APPLE, ...OF_SAML, ...OF_LDAP],
  ],
} as const satisfies Readonly<Record<ProviderType, readonly string[]>>

/** The type of a provider of a kind. */
export const typeOf = (preset: PresetChoice): keyof typeof NOT_OF_TYPE =>
  preset === 'saml' || preset === 'ldap' || preset === 'github' ? preset : 'oidc'
