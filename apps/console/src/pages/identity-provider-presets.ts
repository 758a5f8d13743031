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
  other: [...ISSUER, 'clientAuthentication', ...DECISIONS],
  saml: ['name', 'metadata', 'metadataUrl', 'clientId', ...DECISIONS],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type PresetChoice = keyof typeof FIELDS_OF_PRESET

export const PRESET_CHOICES = Object.keys(FIELDS_OF_PRESET) as readonly PresetChoice[]

export const isPresetChoice = (value: string | undefined): value is PresetChoice =>
  PRESET_CHOICES.some((choice) => choice === value)

/** The members that a request for a provider of the other type leaves out. */
export const NOT_OF_TYPE = {
  oidc: ['type', 'ssoUrl', 'certificates', 'wantAssertionsSigned', 'metadata', 'metadataUrl'],
  saml: ['type', 'preset', 'clientAuthentication', 'clientSecret', 'scopes', 'trustedEmailDomains'],
} as const satisfies Readonly<Record<'oidc' | 'saml', readonly string[]>>
