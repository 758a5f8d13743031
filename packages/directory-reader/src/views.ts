// The rows of the views that the directory publishes in the schema `directory_read`, and the column behind each member.

import { APPLICATION_COLUMNS, type ApplicationSettings } from '@signet/protocol/application-settings'
import { columnsOf, type ValuesOf } from '@signet/protocol/fields/field'
import type {
  LIFETIME_SETTINGS,
  PublishedSettings,
  SECURITY_SETTINGS,
} from '@signet/protocol/fields/instance'
import { ORGANIZATION_FIELDS } from '@signet/protocol/fields/organization'
import { PROJECT_FIELDS } from '@signet/protocol/fields/project'
import { SERVICE_USER_FIELDS } from '@signet/protocol/fields/service-user'
import type { PrivateLabelingSetting } from '@signet/protocol/label-colours'

/** SHA-256 or an encoded slow hash of a client secret; valid until `expiresAt`. */
export interface ClientSecretHash {
  readonly hash: string
  readonly expiresAt: Date | null
}

/** A public key that an assertion of the client may be signed with. */
export interface RegisteredKey {
  readonly kid: string
  readonly jwk: Readonly<Record<string, unknown>>
  readonly expiresAt: Date | null
}

/** An issuer whose assertions a service user or an application authenticates with, and what they must say. */
export interface IssuerTrust {
  readonly trustId: string
  readonly issuer: string
  /** Value of `sub`; one that ends in `*` is its beginning. */
  readonly subject: string
  /** Further claims and their values. */
  readonly claims: Readonly<Record<string, string>>
  /** A JSON Web Key Set; null: the one that the issuer publishes. */
  readonly keySet: object | null
}

export type AccessTokenType = 'bearer' | 'jwt'

/** An OAuth client: an application, or a service user that has a secret. */
export interface Client extends Omit<ApplicationSettings, 'type' | 'responseTypes' | 'grantTypes'> {
  readonly kind: 'application' | 'service_user'
  /** Null for service users. */
  readonly applicationId: string | null
  /** Null for applications. */
  readonly userId: string | null
  readonly projectId: string | null
  readonly organizationId: string
  readonly type: 'web' | 'user_agent' | 'native' | 'api' | 'service_user'
  /** Newest first. */
  readonly secrets: readonly ClientSecretHash[]
  readonly keys: readonly RegisteredKey[]
  /** Issuers whose assertions it authenticates with; none for service users, who have theirs by `issuerTrusts` of the reader. */
  readonly issuerTrusts: readonly IssuerTrust[]
  readonly responseTypes: readonly string[]
  readonly grantTypes: readonly string[]
  /** Whether it registered itself (RFC 7591): it counts as an application of another organization when consent is asked. */
  readonly isRegistered: boolean
  /** The client and its organization are active. */
  readonly active: boolean
  readonly tokenEpoch: number
  readonly organizationTokenEpoch: number
}

/** A user or service user with everything that claims are made of. */
export interface Account {
  readonly userId: string
  readonly kind: 'human' | 'service_user'
  readonly organizationId: string
  readonly organizationName: string
  readonly organizationPrimaryDomain: string
  readonly userName: string
  /** `userName@primaryDomain` */
  readonly loginName: string
  readonly name: string
  readonly givenName: string | null
  readonly familyName: string | null
  readonly middleName: string | null
  readonly nickname: string | null
  readonly profile: string | null
  readonly picture: string | null
  readonly website: string | null
  readonly gender: string | null
  readonly birthdate: string | null
  readonly zoneinfo: string | null
  readonly locale: string | null
  readonly email: string | null
  readonly emailVerified: boolean
  readonly phoneNumber: string | null
  readonly phoneNumberVerified: boolean
  readonly streetAddress: string | null
  readonly locality: string | null
  readonly region: string | null
  readonly postalCode: string | null
  readonly country: string | null
  /** Values in base64url. */
  readonly metadata: Readonly<Record<string, string>>
  /** The account and its organization are active. */
  readonly active: boolean
  readonly tokenEpoch: number
  readonly organizationTokenEpoch: number
  readonly updatedAt: Date
}

export interface Organization extends ValuesOf<typeof ORGANIZATION_FIELDS> {
  readonly organizationId: string
  readonly active: boolean
  readonly tokenEpoch: number
  /** The login policy lets people make accounts; so does having none. */
  readonly allowRegister: boolean
  /** Failed passwords after which the next try has to wait; 0: it never has to. */
  readonly maxPasswordAttempts: number
  readonly passwordMinLength: number
  readonly passwordNeedsUppercase: boolean
  readonly passwordNeedsLowercase: boolean
  readonly passwordNeedsNumber: boolean
  readonly passwordNeedsSymbol: boolean
  /** The login policy demands a second factor of sign-ins without an identity provider. */
  readonly forceMfa: boolean
  /** The login policy demands a second factor of sign-ins by an identity provider. */
  readonly forceMfaOfProviders: boolean
  /** Seconds for which a sign-in by an identity provider counts; null: as long as the session lives. */
  readonly externalLoginCheckLifetimeSeconds: number | null
  /** Seconds for which a password that was right counts; null: as long as the session lives. */
  readonly passwordCheckLifetimeSeconds: number | null
  /** The same for the code of a second factor. */
  readonly secondFactorCheckLifetimeSeconds: number | null
  /** The same for a password and a code together. */
  readonly multiFactorCheckLifetimeSeconds: number | null
  /** Failed codes after which the next try has to wait; 0: it never has to. */
  readonly maxOtpAttempts: number
  /** A session ends when its browser is closed. */
  readonly sessionEndsWithBrowser: boolean
}

/** A service user as a client, with or without a secret. */
export interface ServiceUser extends Omit<ValuesOf<typeof SERVICE_USER_FIELDS>, 'clientId'> {
  readonly userId: string
  /** Null while no id is free for it. */
  readonly clientId: string | null
}

/** A personal access token, found by its hash. */
export interface PersonalAccessToken {
  readonly tokenId: string
  readonly userId: string
  readonly kind: 'human' | 'service_user'
  readonly organizationId: string
  /** Null: it does not expire. */
  readonly expiresAt: Date | null
  /** The account and its organization are active. */
  readonly active: boolean
}

export interface Project extends Omit<ValuesOf<typeof PROJECT_FIELDS>, 'privateLabelingSetting'> {
  readonly projectId: string
  readonly organizationId: string
  /** The project's organization is active. */
  readonly active: boolean
  readonly roleKeys: readonly string[]
  /** Display names in the order of `roleKeys`. */
  readonly roleDisplayNames: readonly string[]
  /** Null: not stated. */
  readonly privateLabelingSetting: PrivateLabelingSetting | null
}

/** The roles that a user has in one project, and the organization that the project belongs to. */
export interface UserGrant {
  readonly userId: string
  readonly projectId: string
  readonly userGrantId: string
  readonly organizationId: string
  readonly organizationPrimaryDomain: string
  readonly roleKeys: readonly string[]
}

export interface InstanceSettings
  extends PublishedSettings<typeof LIFETIME_SETTINGS>,
    PublishedSettings<typeof SECURITY_SETTINGS> {
  /** The one that the bootstrap file names, else the first; null while there is none. */
  readonly defaultOrganizationId: string | null
  /** The feature `oidcTokenExchange`. */
  readonly oidcTokenExchange: boolean
}

/** The column behind each member of a row. */
export type Columns<Row> = Readonly<Record<keyof Row, string>>

export const CLIENT_COLUMNS: Columns<Client> = {
  ...APPLICATION_COLUMNS,
  kind: 'kind',
  applicationId: 'application_id',
  userId: 'user_id',
  projectId: 'project_id',
  organizationId: 'organization_id',
  secrets: 'secrets',
  keys: 'keys',
  issuerTrusts: 'issuer_trusts',
  isRegistered: 'is_registered',
  active: 'active',
  tokenEpoch: 'token_epoch',
  organizationTokenEpoch: 'organization_token_epoch',
}

export const ACCOUNT_COLUMNS: Columns<Account> = {
  userId: 'user_id',
  kind: 'kind',
  organizationId: 'organization_id',
  organizationName: 'organization_name',
  organizationPrimaryDomain: 'organization_primary_domain',
  userName: 'user_name',
  loginName: 'login_name',
  name: 'name',
  givenName: 'given_name',
  familyName: 'family_name',
  middleName: 'middle_name',
  nickname: 'nickname',
  profile: 'profile',
  picture: 'picture',
  website: 'website',
  gender: 'gender',
  birthdate: 'birthdate',
  zoneinfo: 'zoneinfo',
  locale: 'locale',
  email: 'email',
  emailVerified: 'email_verified',
  phoneNumber: 'phone_number',
  phoneNumberVerified: 'phone_number_verified',
  streetAddress: 'street_address',
  locality: 'locality',
  region: 'region',
  postalCode: 'postal_code',
  country: 'country',
  metadata: 'metadata',
  active: 'active',
  tokenEpoch: 'token_epoch',
  organizationTokenEpoch: 'organization_token_epoch',
  updatedAt: 'updated_at',
}

export const ORGANIZATION_COLUMNS: Columns<Organization> = {
  ...columnsOf(ORGANIZATION_FIELDS),
  organizationId: 'organization_id',
  active: 'active',
  tokenEpoch: 'token_epoch',
  allowRegister: 'allow_register',
  maxPasswordAttempts: 'max_password_attempts',
  passwordMinLength: 'password_min_length',
  passwordNeedsUppercase: 'password_needs_uppercase',
  passwordNeedsLowercase: 'password_needs_lowercase',
  passwordNeedsNumber: 'password_needs_number',
  passwordNeedsSymbol: 'password_needs_symbol',
  forceMfa: 'force_mfa',
  passwordCheckLifetimeSeconds: 'password_check_lifetime_seconds',
  secondFactorCheckLifetimeSeconds: 'second_factor_check_lifetime_seconds',
  multiFactorCheckLifetimeSeconds: 'multi_factor_check_lifetime_seconds',
  maxOtpAttempts: 'max_otp_attempts',
  sessionEndsWithBrowser: 'session_ends_with_browser',
  forceMfaOfProviders: 'force_mfa_of_providers',
  externalLoginCheckLifetimeSeconds: 'external_login_check_lifetime_seconds',
}

export const SERVICE_USER_COLUMNS: Columns<ServiceUser> = {
  ...columnsOf(SERVICE_USER_FIELDS),
  userId: 'user_id',
}

export const PERSONAL_ACCESS_TOKEN_COLUMNS: Columns<PersonalAccessToken> = {
  tokenId: 'token_id',
  userId: 'user_id',
  kind: 'kind',
  organizationId: 'organization_id',
  expiresAt: 'expires_at',
  active: 'active',
}

export const PROJECT_COLUMNS: Columns<Project> = {
  ...columnsOf(PROJECT_FIELDS),
  projectId: 'project_id',
  organizationId: 'organization_id',
  active: 'active',
  roleKeys: 'role_keys',
  roleDisplayNames: 'role_display_names',
}

export const USER_GRANT_COLUMNS: Columns<UserGrant> = {
  userId: 'user_id',
  projectId: 'project_id',
  userGrantId: 'user_grant_id',
  organizationId: 'organization_id',
  organizationPrimaryDomain: 'organization_primary_domain',
  roleKeys: 'role_keys',
}

/** The select list that gives each column the name of its member. */
export function selectList(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([member, column]) => `${column} AS "${member}"`)
    .join(', ')
}
