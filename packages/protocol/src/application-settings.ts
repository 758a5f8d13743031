import type { ResponseType } from './authorization-parameters.ts'
import type { ClaimMapping } from './claim-mapping.ts'
import type { CrossAppAccess } from './cross-app-access.ts'
import type { ClientAuthMethod, GrantType } from './grant-types.ts'
import type { SigningAlgorithm } from './signing-algorithms.ts'

export const APPLICATION_TYPES = ['web', 'userAgent', 'native', 'api'] as const

export type ApplicationType = (typeof APPLICATION_TYPES)[number]

/** The names that the claim with a user's roles may have. The first is the default. */
export const GROUPS_CLAIMS = ['groups', 'roles'] as const

/** The values of each kind of setting. Every schema and mapping has one rule per kind. */
interface KindValues {
  readonly text: string
  readonly type: ApplicationType
  readonly authMethod: ClientAuthMethod
  readonly responseTypes: readonly ResponseType[]
  readonly grantTypes: readonly GrantType[]
  readonly tokenType: 'bearer' | 'jwt'
  readonly signingAlg: SigningAlgorithm
  /** Seconds. Null: the setting of the instance. */
  readonly lifetime: number | null
  readonly uri: string | null
  readonly uris: readonly string[]
  readonly flag: boolean
  readonly groupsClaim: (typeof GROUPS_CLAIMS)[number]
  readonly claimMapping: ClaimMapping
  readonly crossAppAccess: CrossAppAccess
  /** A name in a certificate (certificate-subject.ts). */
  readonly certificateName: string | null
}

interface Setting {
  /** The same in the table `directory.application` and in the view `directory_read.client_v1`. */
  readonly column: string
  readonly kind: keyof KindValues
  /** The setting decides who gets the tokens of the application. */
  readonly decidesRecipient?: true
}

/**
 * All settings of an application. The management API, the bootstrap file, the tables, the view of clients and the
 * export document derive from this table. A new flag needs a row here, a migration and the code that uses it.
 */
export const APPLICATION_SETTINGS = {
  clientId: { column: 'client_id', kind: 'text', decidesRecipient: true },
  name: { column: 'name', kind: 'text' },
  type: { column: 'type', kind: 'type', decidesRecipient: true },
  authMethod: { column: 'auth_method', kind: 'authMethod', decidesRecipient: true },
  redirectUris: { column: 'redirect_uris', kind: 'uris', decidesRecipient: true },
  postLogoutRedirectUris: { column: 'post_logout_redirect_uris', kind: 'uris' },
  responseTypes: { column: 'response_types', kind: 'responseTypes', decidesRecipient: true },
  grantTypes: { column: 'grant_types', kind: 'grantTypes', decidesRecipient: true },
  accessTokenType: { column: 'access_token_type', kind: 'tokenType' },
  accessTokenSigningAlg: { column: 'access_token_signing_alg', kind: 'signingAlg' },
  idTokenSigningAlg: { column: 'id_token_signing_alg', kind: 'signingAlg' },
  accessTokenLifetimeSeconds: { column: 'access_token_lifetime_seconds', kind: 'lifetime' },
  idTokenLifetimeSeconds: { column: 'id_token_lifetime_seconds', kind: 'lifetime' },
  idTokenUserinfoAssertion: { column: 'id_token_userinfo_assertion', kind: 'flag' },
  accessTokenRoleAssertion: { column: 'access_token_role_assertion', kind: 'flag' },
  idTokenRoleAssertion: { column: 'id_token_role_assertion', kind: 'flag' },
  /** The name of the claim with the roles of a user, docs/spec 4.15. */
  groupsClaim: { column: 'groups_claim', kind: 'groupsClaim' },
  /** Whether values of the claim begin with the id of the user's organization. */
  groupsQualified: { column: 'groups_qualified', kind: 'flag' },
  /** Whether values of the claim are the objects of RFC 7643 section 4.1.2 instead of strings. */
  groupsAsObjects: { column: 'groups_as_objects', kind: 'flag' },
  claimMapping: { column: 'claim_mapping', kind: 'claimMapping' },
  /** The claim `preferred_username` is the user name, which is unique in its organization only. */
  preferredUsernameWithoutDomain: { column: 'preferred_username_without_domain', kind: 'flag' },
  backChannelLogoutUri: { column: 'back_channel_logout_uri', kind: 'uri' },
  allowedOrigins: { column: 'allowed_origins', kind: 'uris', decidesRecipient: true },
  devMode: { column: 'dev_mode', kind: 'flag' },
  /** A native application keeps to the registered port of http://localhost. */
  exactLocalhostPort: { column: 'exact_localhost_port', kind: 'flag', decidesRecipient: true },
  /** Authorization requests for a code need a code challenge (RFC 7636), of a client with a secret or key too. */
  requirePkce: { column: 'require_pkce', kind: 'flag', decidesRecipient: true },
  /** Demands and refuses what the FAPI 2.0 Security Profile does (fapi2.ts). */
  fapi2: { column: 'fapi2', kind: 'flag', decidesRecipient: true },
  /** Authorization requests of the application have to be pushed (RFC 9126 section 6). */
  requirePushedAuthorization: {
    column: 'require_pushed_authorization',
    kind: 'flag',
    decidesRecipient: true,
  },
  /** Authorization requests of the application are signed request objects (FAPI 2.0 Message Signing section 5.3.1). */
  requireSignedRequests: { column: 'require_signed_requests', kind: 'flag', decidesRecipient: true },
  /** Authorization responses to the application are signed JWTs (FAPI 2.0 Message Signing section 5.4.1). */
  requireSignedResponses: { column: 'require_signed_responses', kind: 'flag', decidesRecipient: true },
  pkceOptional: { column: 'pkce_optional', kind: 'flag', decidesRecipient: true },
  refreshTokensSurviveLogout: { column: 'refresh_tokens_survive_logout', kind: 'flag' },
  /** Tokens that a user gets for the application may be presented to Signet's own APIs. */
  mayCallApi: { column: 'may_call_api', kind: 'flag' },
  /** Every access token is bound to the key of a DPoP proof (RFC 9449 section 5.2). */
  dpopBoundAccessTokens: { column: 'dpop_bound_access_tokens', kind: 'flag', decidesRecipient: true },
  /** Every access token is bound to the certificate of the connection (RFC 8705 section 3.4). */
  tlsClientCertificateBoundAccessTokens: {
    column: 'tls_client_certificate_bound_access_tokens',
    kind: 'flag',
    decidesRecipient: true,
  },
  // The certificate of a client with tls_client_auth has exactly one of these names (RFC 8705 section 2.1.2).
  tlsClientAuthSubjectDn: {
    column: 'tls_client_auth_subject_dn',
    kind: 'certificateName',
    decidesRecipient: true,
  },
  tlsClientAuthSanDns: { column: 'tls_client_auth_san_dns', kind: 'certificateName', decidesRecipient: true },
  tlsClientAuthSanUri: { column: 'tls_client_auth_san_uri', kind: 'certificateName', decidesRecipient: true },
  tlsClientAuthSanIp: { column: 'tls_client_auth_san_ip', kind: 'certificateName', decidesRecipient: true },
  tlsClientAuthSanEmail: {
    column: 'tls_client_auth_san_email',
    kind: 'certificateName',
    decidesRecipient: true,
  },
  /** Users are not asked for consent. */
  firstParty: { column: 'first_party', kind: 'flag' },
  /** The page of the application for people; pages of Signet link to it. */
  homePage: { column: 'home_page', kind: 'uri' },
  /** Begins a sign-in at the application (OIDC Core section 4); pages of Signet link to it before the home page. */
  initiateLoginUri: { column: 'initiate_login_uri', kind: 'uri' },
  /** The authorization servers that it may reach for people by identity assertions. */
  crossAppAccess: { column: 'cross_app_access', kind: 'crossAppAccess' },
} as const satisfies Readonly<Record<string, Setting>>

type Settings = typeof APPLICATION_SETTINGS

export type SettingName = keyof Settings

export type KindOf<Name extends SettingName> = Settings[Name]['kind']

export type ApplicationSettings = { readonly [Name in SettingName]: KindValues[KindOf<Name>] }

export type FlagName = { [Name in SettingName]: KindOf<Name> extends 'flag' ? Name : never }[SettingName]

export const SETTING_NAMES = Object.keys(APPLICATION_SETTINGS) as readonly SettingName[]

export const FLAG_NAMES: readonly FlagName[] = SETTING_NAMES.filter(isFlag)

/** Gives every flag the value that `valueFor` returns. */
export function forFlags<Value>(valueFor: (name: FlagName) => Value): Record<FlagName, Value> {
  return Object.fromEntries(FLAG_NAMES.map((name) => [name, valueFor(name)])) as Record<FlagName, Value>
}

/** The optional URLs of an application that have one rule: http or https, and http for loopback hosts and devMode only. */
export const URL_SETTINGS = [
  'backChannelLogoutUri',
  'homePage',
  'initiateLoginUri',
] as const satisfies readonly SettingName[]

/** The settings that decide who gets the tokens of an application. */
export const RECIPIENT_SETTINGS = SETTING_NAMES.filter(
  (name) => 'decidesRecipient' in APPLICATION_SETTINGS[name],
)

/** Gives every setting what `values` has for its kind. */
export function forKinds<Values extends Readonly<Record<keyof KindValues, unknown>>>(
  values: Values,
): { readonly [Name in SettingName]: Values[KindOf<Name>] } {
  const entries = SETTING_NAMES.map((name) => [name, values[APPLICATION_SETTINGS[name].kind]] as const)
  return Object.fromEntries(entries) as { readonly [Name in SettingName]: Values[KindOf<Name>] }
}

/** The column of every setting. */
export const APPLICATION_COLUMNS = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, APPLICATION_SETTINGS[name].column]),
) as Readonly<Record<SettingName, string>>

function isFlag(name: SettingName): name is FlagName {
  return APPLICATION_SETTINGS[name].kind === 'flag'
}
