import type { BrandingFile } from '@signet/protocol/branding-files'
import type { ProviderType } from '@signet/protocol/identity-provider-types'
import type { MappedMember } from '@signet/protocol/provider-profile'
import type { PresetName } from './presets.ts'

/** The roles that a group of a provider stands for. */
export interface RoleMapping {
  readonly group: string
  readonly projectId: string
  readonly roles: readonly string[]
}

/**
 * `private_key_jwt`: the client secret is a private key that signs and is never sent. `apple_client_secret`: so is that of Apple, and the token
 * that it signs is sent as the secret.
 */
export const CLIENT_AUTHENTICATIONS = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'apple_client_secret',
  'none',
  'simple_bind',
] as const
export type ClientAuthentication = (typeof CLIENT_AUTHENTICATIONS)[number]

/** Whether a SAML provider may encrypt assertions, or has to. */
export const ASSERTION_ENCRYPTIONS = ['none', 'optional', 'required'] as const
export type AssertionEncryption = (typeof ASSERTION_ENCRYPTIONS)[number]

/** The members of a provider that an administrator changes, without the secret. */
export interface ProviderSettings {
  readonly name: string
  /** The entity id of a SAML provider, the name of a directory, or the address of a GitHub. */
  readonly issuer: string
  /** The entity id of Signet at a SAML provider, or the DN of its account in a directory. */
  readonly clientId: string
  readonly clientAuthentication: ClientAuthentication
  /** The public half of the key with private_key_jwt, else null; derived from the secret. */
  readonly clientPublicJwk: Readonly<Record<string, string>> | null
  readonly scopes: readonly string[]
  readonly subjectClaim: string
  readonly requiredClaims: Readonly<Record<string, string>>
  readonly mappedClaims: { readonly [M in MappedMember]?: string | undefined }
  /** Null: groups give no roles. */
  readonly groupsClaim: string | null
  readonly roleMappings: readonly RoleMapping[]
  readonly linkingAllowed: boolean
  readonly creationAllowed: boolean
  readonly updatesProfile: boolean
  readonly trustedEmailDomains: readonly string[]
  readonly trustsMethods: boolean
  /** Identity assertions of the issuer count for people with a link. */
  readonly crossAppAccess: boolean
  /** The provider may end the sessions of people who signed in by it: by logout tokens, or by LogoutRequests of SAML. */
  readonly backchannelLogout: boolean
  /** A sign-out here goes on at the provider. */
  readonly rpInitiatedLogout: boolean
  /** Null without apple_client_secret, as `keyId` is. */
  readonly teamId: string | null
  readonly keyId: string | null
  /** Null without SAML, as `certificates` is empty then. */
  readonly ssoUrl: string | null
  /** The SingleLogoutService of a SAML provider; null: it has none. */
  readonly sloUrl: string | null
  /** X.509, DER in base64. */
  readonly certificates: readonly string[]
  readonly wantAssertionsSigned: boolean
  /** Null: any but a transient one. */
  readonly nameIdFormat: string | null
  /** Null: that of Signet. An IAM_OWNER sets it. */
  readonly assertionConsumerPath: string | null
  readonly assertionEncryption: AssertionEncryption
  readonly signAuthnRequests: boolean
  /** A response without a request begins a sign-in here. */
  readonly providerInitiated: boolean
  /** The application at which such a sign-in ends; null: the own account. */
  readonly providerInitiatedClientId: string | null
  /** URLs of the servers of a directory; empty with another type. */
  readonly servers: readonly string[]
  /** Null with another type than ldap, as `objectClass` is. */
  readonly baseDn: string | null
  readonly objectClass: string | null
  /** Attributes that a typed name is compared with. */
  readonly nameAttributes: readonly string[]
}

/** Members whose change decides which identity an account belongs to, or what an identity is worth. */
export const DECIDING_MEMBERS = [
  ...['issuer', 'clientId', 'subjectClaim', 'requiredClaims', 'mappedClaims'],
  ...[
    'updatesProfile',
    'trustedEmailDomains',
    'trustsMethods',
    'crossAppAccess',
    'ssoUrl',
    'certificates',
    'wantAssertionsSigned',
    'nameIdFormat',
    'assertionConsumerPath',
    'assertionEncryption',
    'signAuthnRequests',
  ],
  ...['servers', 'baseDn', 'objectClass', 'nameAttributes'],
] as const

export interface IdentityProvider extends ProviderSettings {
  readonly id: string
  readonly organizationId: string
  readonly type: ProviderType
  readonly preset: PresetName | null
  readonly hasSecret: boolean
  /** Certificates of the keys of Signet at a SAML provider, DER in base64, the oldest first. No administrator sets them. */
  readonly ownCertificates: readonly string[]
  readonly state: 'active' | 'inactive'
  /** The picture of its button; null: it has none. */
  readonly logo: BrandingFile | null
  /** Whether people may sign in by it: its organization and the login policy of that decide too. */
  readonly usable: boolean
  /** Day of the latest sign-in by it, in UTC; null: none is known. */
  readonly lastUsedOn: string | null
  readonly createdAt: Date
  readonly changedAt: Date
}

/** A provider with its sealed secrets. */
export interface StoredProvider
  extends Omit<IdentityProvider, 'hasSecret' | 'lastUsedOn' | 'logo' | 'usable'> {
  readonly sealedSecret: Buffer | null
  /** The private keys of `ownCertificates`; null without one. */
  readonly sealedOwnKeys: Buffer | null
}

/** A provider with its use and its picture. */
export interface FoundProvider
  extends StoredProvider,
    Pick<IdentityProvider, 'lastUsedOn' | 'logo' | 'usable'> {}

/** The link of an account to an identity at a provider. */
export interface IdentityLink {
  readonly id: string
  readonly userId: string
  readonly providerId: string
  readonly issuer: string
  readonly subject: string
  readonly displayName: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/** Number of providers of one organization. */
export const MOST_PROVIDERS = 100

/** Number of links of one account. */
export const MOST_LINKS = 20
