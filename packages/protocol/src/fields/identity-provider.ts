import { CONSUMER_PREFIXES } from '../assertion-consumer.ts'
import type { ProviderType } from '../identity-provider-types.ts'
import type { MappedMember } from '../provider-profile.ts'

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

/** The values of each kind of field of an identity provider. The directory has one schema for a kind. */
export interface ProviderKindValues {
  readonly flag: boolean
  /** A name that pages show. */
  readonly name: string
  /** Printable characters of ASCII. */
  readonly printable: string
  readonly clientAuthentication: ClientAuthentication
  readonly publicJwk: Readonly<Record<string, string>>
  readonly scopes: readonly string[]
  readonly claim: string
  readonly claims: Readonly<Record<string, string>>
  readonly mappedClaims: { readonly [M in MappedMember]?: string | undefined }
  readonly roleMappings: readonly RoleMapping[]
  readonly domains: readonly string[]
  readonly appleId: string
  readonly url: string
  readonly certificates: readonly string[]
  readonly nameIdFormat: string
  readonly path: string
  readonly assertionEncryption: AssertionEncryption
  readonly clientId: string
  readonly servers: readonly string[]
  readonly distinguishedName: string
  readonly descriptor: string
  readonly descriptors: readonly string[]
}

type ProviderKind = keyof ProviderKindValues

export interface ProviderField {
  readonly kind: ProviderKind
  /** Column of `directory.identity_provider`. */
  readonly column: string
  /** A provider may have none: null, and left out in the export format. */
  readonly optional?: true
  /**
   * The value of a new provider for which none is stated. A field without it that is not optional has to be stated, or comes from the
   * preset or the type.
   */
  readonly default?: boolean | string | readonly [] | Readonly<Record<string, never>>
  /** Follows from other members: no request and no record has it. */
  readonly derived?: true
  /** The types of providers that have it; absent: all, or those that rules of its own name. Others have its default, or null. */
  readonly types?: readonly ProviderType[]
  /** A change of it decides which identity an account belongs to, or what an identity is worth. */
  readonly decides?: true
  /** Name in the export format, if it is another one. */
  readonly exported?: string
  /** The value that the export format leaves out, where it is not the one that is empty. */
  readonly exportedWithout?: string
  /** Words about it in requests and in the bootstrap file. */
  readonly description?: string
  /** Words about it in responses. */
  readonly shown?: string
}

/**
 * The members of an identity provider that an administrator changes, without the secret. The management API, the bootstrap file, the
 * export format, statements, imports, exports and undo derive from this table. A new one needs a row here, a migration with the column,
 * and the code that reads it: federation gets it by a line of `identity_provider_service.proto` with the same name.
 */
export const PROVIDER_FIELDS = {
  name: { kind: 'name', column: 'name', description: 'The sign-in page shows it.' },
  /** The entity id of a SAML provider, the name of a directory, or the address of a GitHub. */
  issuer: {
    kind: 'printable',
    column: 'issuer',
    decides: true,
    description:
      'The `iss` of its ID tokens; its configuration is read below it. With type saml the entity id of the provider, with type ldap a name of the directory, its baseDn when left out; with type github https://github.com, or the address of a server of GitHub Enterprise.',
  },
  /** The entity id of Signet at a SAML provider, or the DN of its account in a directory. */
  clientId: {
    kind: 'printable',
    column: 'client_id',
    decides: true,
    description:
      'The client_id of Signet at the provider. With type saml the entity id of Signet there, with type ldap the distinguished name that searches bind with.',
  },
  clientAuthentication: {
    kind: 'clientAuthentication',
    column: 'client_authentication',
    default: 'client_secret_basic',
    exportedWithout: 'client_secret_basic',
    description:
      'private_key_jwt: clientSecret is a private key, whose public half is clientPublicJwk. apple_client_secret: it is the key of Apple, with teamId and keyId. simple_bind with type ldap, and only there: clientSecret is the password of clientId.',
  },
  /** The public half of the key with private_key_jwt; derived from the secret. */
  clientPublicJwk: {
    kind: 'publicJwk',
    column: 'client_public_jwk',
    optional: true,
    derived: true,
    shown: 'The key to register at the provider, with private_key_jwt (RFC 7517).',
  },
  scopes: { kind: 'scopes', column: 'scopes' },
  subjectClaim: {
    kind: 'claim',
    column: 'subject_claim',
    default: 'sub',
    decides: true,
    description:
      'The claim of the ID token that identifies people: sub, or oid of Entra ID. With type ldap entryUUID, objectGUID of Active Directory, or nsUniqueId. With type github always id.',
  },
  requiredClaims: {
    kind: 'claims',
    column: 'required_claims',
    default: {},
    decides: true,
    description:
      'Claims that the ID token must have, with their values, such as hd of Google or tid of Entra ID. With type github organization, the number of an organization that people have to be members of.',
  },
  mappedClaims: {
    kind: 'mappedClaims',
    column: 'mapped_claims',
    default: {},
    decides: true,
    description: 'Claims that fill members of the profile in place of the standard ones.',
  },
  groupsClaim: {
    kind: 'claim',
    column: 'groups_claim',
    optional: true,
    description:
      'The claim with the groups of a person. Null: groups give no roles. With type ldap an attribute such as memberOf, memberOf:1.2.840.113556.1.4.1941: for nested groups of Active Directory, or posixGroup.',
  },
  roleMappings: {
    kind: 'roleMappings',
    column: 'role_mappings',
    default: [],
    description:
      'The roles that groups stand for. At each sign-in a person gets those of the own groups, and loses the others of this list.',
  },
  linkingAllowed: {
    kind: 'flag',
    column: 'linking_allowed',
    default: false,
    description:
      'People with an account may link it, after they signed in to it in another way with each factor.',
  },
  creationAllowed: {
    kind: 'flag',
    column: 'creation_allowed',
    default: false,
    exported: 'autoRegister',
    description: 'A first sign-in makes an account.',
  },
  updatesProfile: {
    kind: 'flag',
    column: 'updates_profile',
    default: false,
    decides: true,
    description: 'Each sign-in updates names and language of the account.',
  },
  trustedEmailDomains: {
    kind: 'domains',
    column: 'trusted_email_domains',
    default: [],
    decides: true,
    description:
      'Domains whose addresses the provider verifies: such an address with email_verified true is verified here. Verified domains of the organization; IAM_OWNER may name others.',
  },
  trustsMethods: {
    kind: 'flag',
    column: 'trusts_methods',
    default: false,
    decides: true,
    description:
      'The authentication methods (amr) that the provider names count as ours: mfa is a second factor.',
  },
  /** Identity assertions of the issuer count for people with a link. */
  crossAppAccess: {
    kind: 'flag',
    column: 'cross_app_access',
    default: false,
    decides: true,
    description:
      'Applications of the organization get access tokens for people with a link by identity assertions of the issuer, without a sign-in here. With type oidc.',
  },
  backchannelLogout: {
    kind: 'flag',
    column: 'backchannel_logout',
    default: false,
    description:
      'A sign-out at the provider ends the sessions here that began by it (OpenID Connect Back-Channel Logout). With type saml its signed LogoutRequests do.',
  },
  rpInitiatedLogout: {
    kind: 'flag',
    column: 'rp_initiated_logout',
    default: false,
    description:
      'A sign-out here of a session that began by the provider leads the browser there to sign out too (OpenID Connect RP-Initiated Logout), where its configuration names an end_session_endpoint. With type saml it gets a LogoutRequest at sloUrl.',
  },
  /** Null without apple_client_secret, as `keyId` is. */
  teamId: {
    kind: 'appleId',
    column: 'team_id',
    optional: true,
    description: 'With clientAuthentication apple_client_secret: the id of the team at Apple.',
  },
  keyId: {
    kind: 'appleId',
    column: 'key_id',
    optional: true,
    description: 'With clientAuthentication apple_client_secret: the id of the key that is clientSecret.',
  },
  ssoUrl: {
    kind: 'url',
    column: 'sso_url',
    optional: true,
    types: ['saml'],
    decides: true,
    description: 'The SingleSignOnService of a SAML provider with the binding HTTP-Redirect.',
  },
  sloUrl: {
    kind: 'url',
    column: 'slo_url',
    optional: true,
    types: ['saml'],
    description:
      'The SingleLogoutService of a SAML provider with the binding HTTP-Redirect. rpInitiatedLogout and backchannelLogout use it, and need it.',
  },
  /** X.509, DER in base64. */
  certificates: {
    kind: 'certificates',
    column: 'certificates',
    default: [],
    types: ['saml', 'ldap'],
    decides: true,
    description:
      'Certificates whose keys sign responses of a SAML provider, in PEM or DER in base64; several for a rollover.',
  },
  nameIdFormat: {
    kind: 'nameIdFormat',
    column: 'name_id_format',
    optional: true,
    types: ['saml'],
    decides: true,
    description:
      'The format of the NameID that a SAML provider is asked for and has to send. Null: it is asked for none, and any but a transient one is taken.',
  },
  /** Null: that of Signet. An IAM_OWNER sets it. */
  assertionConsumerPath: {
    kind: 'path',
    column: 'assertion_consumer_path',
    optional: true,
    types: ['saml'],
    decides: true,
    description: `The path of the Assertion Consumer Service below the issuer, with its query, where a SAML provider knows another one than /ui/identity-providers/{id}/callback: that of the product before. Below ${CONSUMER_PREFIXES.join(', ')}. Only IAM_OWNER sets it.`,
  },
  wantAssertionsSigned: {
    kind: 'flag',
    column: 'want_assertions_signed',
    default: false,
    types: ['saml'],
    decides: true,
    description: 'Both the response of a SAML provider and the assertion in it have to be signed.',
  },
  assertionEncryption: {
    kind: 'assertionEncryption',
    column: 'assertion_encryption',
    default: 'none',
    exportedWithout: 'none',
    types: ['saml'],
    decides: true,
    description:
      'Whether a SAML provider encrypts assertions: none refuses encrypted ones, required refuses others. Signet makes a key for it, and its metadata has the certificate.',
  },
  signAuthnRequests: {
    kind: 'flag',
    column: 'sign_authn_requests',
    default: false,
    types: ['saml'],
    decides: true,
    description:
      'Requests to a SAML provider are signed by a key that Signet makes for it; its metadata has the certificate.',
  },
  /** A response without a request begins a sign-in here. */
  providerInitiated: {
    kind: 'flag',
    column: 'provider_initiated',
    default: false,
    types: ['saml'],
    description:
      'A sign-in may begin at a SAML provider. Its response without a request signs no person in: Signet leads the browser back with a request, and takes the response to that.',
  },
  /** The application at which such a sign-in ends; null: the own account. */
  providerInitiatedClientId: {
    kind: 'clientId',
    column: 'provider_initiated_client_id',
    optional: true,
    types: ['saml'],
    description:
      'The client id of an application of the organization, at whose initiateLoginUri or homePage a sign-in ends that began at the provider. Null, or without such an address: at the own account.',
  },
  /** URLs of the servers of a directory. */
  servers: {
    kind: 'servers',
    column: 'servers',
    default: [],
    types: ['ldap'],
    decides: true,
    description:
      'Servers of a directory (LDAP) in the order in which they are asked: ldaps URLs, or ldap URLs for StartTLS. certificates are then the authorities of their certificates; without one those that Node.js knows.',
  },
  baseDn: {
    kind: 'distinguishedName',
    column: 'base_dn',
    optional: true,
    types: ['ldap'],
    decides: true,
    description: 'The entry below which the people of a directory are searched.',
  },
  objectClass: {
    kind: 'descriptor',
    column: 'object_class',
    optional: true,
    types: ['ldap'],
    decides: true,
    description:
      'An object class of every person of a directory, such as person, or user of Active Directory.',
  },
  /** Attributes that a typed name is compared with. */
  nameAttributes: {
    kind: 'descriptors',
    column: 'name_attributes',
    default: [],
    types: ['ldap'],
    decides: true,
    description: 'Attributes of a directory that the typed name is compared with.',
  },
} as const satisfies Readonly<Record<string, ProviderField>>

type Fields = typeof PROVIDER_FIELDS

export type ProviderMember = keyof Fields

type ValueOf<F extends ProviderField> = F extends { readonly optional: true }
  ? ProviderKindValues[F['kind']] | null
  : ProviderKindValues[F['kind']]

/** The members of a provider that an administrator changes, without the secret, and those that follow from them. */
export type ProviderSettings = { readonly [M in ProviderMember]: ValueOf<Fields[M]> }

/** The members that a request may have. */
export type GivenMember = {
  readonly [M in ProviderMember]: Fields[M] extends { readonly derived: true } ? never : M
}[ProviderMember]

/** The members that a creation of every type and preset may leave out. */
export type DefaultMember = {
  readonly [M in GivenMember]: Fields[M] extends { readonly optional: true } | { readonly default: unknown }
    ? M
    : never
}[GivenMember]

/** Names and rows of the fields, in the order of the table. */
export const PROVIDER_ROWS = Object.entries(PROVIDER_FIELDS) as readonly (readonly [
  ProviderMember,
  ProviderField,
])[]

/** The value of a new provider for a field for which none is stated: its default, or null. */
export const defaultOf = ({ default: initial }: ProviderField) => initial ?? null

/** Whether a provider of a type may have a field. */
export const isOfType = ({ types }: ProviderField, type: ProviderType): boolean =>
  types?.includes(type) ?? true
