/** Types of identity providers, by what Signet speaks with one. The directory stores them, and federation has the conversation. */
export const PROVIDER_TYPES = ['oidc', 'saml', 'ldap', 'github'] as const
export type ProviderType = (typeof PROVIDER_TYPES)[number]
