// `/.well-known/openid-configuration` (OpenID Connect Discovery 1.0 section 4) and the key set that it names (RFC 7517).

import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { publicCors } from '@signet/http/cors'
import type { Answer, Endpoint } from '@signet/http/endpoint'
import { originOf } from '@signet/platform/config/mutual-tls-settings'
import type { Clock } from '@signet/platform/runtime/clock'
import { GROUPS_CLAIMS } from '@signet/protocol/application-settings'
import {
  ACR_VALUES,
  PROMPT_VALUES,
  RESPONSE_MODES,
  RESPONSE_TYPES,
  UI_LOCALES,
} from '@signet/protocol/authorization-parameters'
import { ID_JAG_GRANT_PROFILE } from '@signet/protocol/cross-app-access'
import {
  CLIENT_AUTH_METHODS,
  type ClientAuthMethod,
  GRANT_TYPES,
  type GrantType,
  TLS_AUTH_METHODS,
  TOKEN_TYPES,
} from '@signet/protocol/grant-types'
import { CODE_CHALLENGE_METHODS } from '@signet/protocol/pkce'
import { OWN_APIS } from '@signet/protocol/resource-indicator'
import { ENDPOINT_PATHS, MUTUAL_TLS_ENDPOINTS, routeFor } from '@signet/protocol/routes'
import { API_SCOPE, SCOPES } from '@signet/protocol/scopes'
import { CLIENT_ASSERTION_ALGORITHMS, DPOP_ALGORITHMS } from '@signet/protocol/signing-algorithms'
import type { KeysConfig, ShownMutualTls } from './config.ts'
import { keySetMaxAgeSeconds, keySetOf } from './key-set.ts'
import { type InstanceFeatures, instanceFeatures } from './rotation/instance-features.ts'
import type { RingKeys } from './rotation/key-rings.ts'

const MAX_AGE_SECONDS = 300

type ShownFeatures = Pick<KeysConfig, 'hasClientMetadata' | 'clientRegistration'>

type MetadataConfig = ShownFeatures & Pick<KeysConfig, 'issuer' | 'mutualTls' | 'oauthMetadata'>

/**
 * The metadata of the issuer: the same bytes until a setting of the instance changes that they show. OpenID Connect Discovery 1.0
 * section 4; RFC 8414 section 3, whose path is the same two ways since an issuer has no path; RFC 9728 section 3 for our own APIs.
 */
export function metadataEndpoints(
  { issuer, mutualTls, oauthMetadata, hasClientMetadata, clientRegistration }: MetadataConfig,
  rings: { readonly current: RingKeys },
): readonly Endpoint[] {
  const documentOf = createCachedDocument(
    (current) => JSON.stringify([current.signingAlgorithms, instanceFeatures(current)]),
    (current) => discoveryDocument(issuer, { ...current, hasClientMetadata, clientRegistration }, mutualTls),
  )
  const endpoint = (path: string, shown: () => CacheableDocument): Endpoint => ({
    path,
    cors: publicCors,
    methods: { GET: (req) => documentAnswer(req, shown(), MAX_AGE_SECONDS) },
  })
  const ofIssuer = () => documentOf(rings.current)
  const ofApis = OWN_APIS.map((path) => {
    const document = cacheableDocument(resourceMetadata(issuer, path, mutualTls))
    return endpoint(`${ENDPOINT_PATHS.resourceMetadata}${path}`, () => document)
  })
  return [
    endpoint(ENDPOINT_PATHS.discovery, ofIssuer),
    ...(oauthMetadata ? [endpoint(ENDPOINT_PATHS.serverMetadata, ofIssuer), ...ofApis] : []),
  ]
}

/** RFC 9728 section 2: the metadata of one of our own APIs. */
function resourceMetadata(issuer: string, path: string, mutualTls: ShownMutualTls | undefined) {
  return {
    resource: `${issuer}${path}`,
    authorization_servers: [issuer],
    scopes_supported: [API_SCOPE],
    bearer_methods_supported: ['header'],
    dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
    ...(mutualTls && { tls_client_certificate_bound_access_tokens: true }),
  }
}

/**
 * The grant types of the token endpoint in this release, and `implicit` for the tokens of the authorization endpoint.
 */
const GRANT_TYPES_SERVED: readonly GrantType[] = [
  GRANT_TYPES.authorizationCode,
  GRANT_TYPES.implicit,
  GRANT_TYPES.refreshToken,
  GRANT_TYPES.clientCredentials,
  GRANT_TYPES.jwtBearer,
  // Listed whether or not the feature is switched on: while it is off the grant says so.
  GRANT_TYPES.tokenExchange,
]
/** RFC 7662 section 2.1: a caller that cannot keep a secret learns nothing about tokens. */
const INTROSPECTION_AUTH_METHODS: readonly ClientAuthMethod[] = [
  'client_secret_basic',
  'private_key_jwt',
  ...TLS_AUTH_METHODS,
]

/**
 * OIDC Core sections 2 and 5.1, Front-Channel Logout section 3 (`sid`): the claims of ID tokens, userinfo and
 * introspection.
 */
const CLAIMS_SUPPORTED = [
  ...[
    'iss',
    'sub',
    'aud',
    'azp',
    'exp',
    'iat',
    'auth_time',
    'nonce',
    'acr',
    'amr',
    'sid',
    'at_hash',
    'jti',
    'act',
  ],
  ...[
    'name',
    'given_name',
    'family_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
  ],
  ...['website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'updated_at'],
  ...['email', 'email_verified', 'phone_number', 'phone_number_verified', 'address'],
  // An application has one of them by its setting groupsClaim.
  ...GROUPS_CLAIMS,
]

/** The provider metadata of an issuer (OpenID Connect Discovery 1.0 section 3): every member says what is true now. */
export function discoveryDocument(
  issuer: string,
  {
    signingAlgorithms,
    requirePushedAuthorization,
    hasDeviceGrant,
    issuesIdentityAssertions,
    takesIdentityAssertions,
    hasClientMetadata,
    clientRegistration,
  }: Pick<RingKeys, 'signingAlgorithms'> & InstanceFeatures & ShownFeatures,
  mutualTls?: ShownMutualTls,
) {
  const at = (path: string) => `${issuer}${path}`
  const endpoints = {
    authorization_endpoint: at(ENDPOINT_PATHS.authorize),
    // RFC 9126 section 5
    pushed_authorization_request_endpoint: at(ENDPOINT_PATHS.pushedAuthorization),
    require_pushed_authorization_requests: requirePushedAuthorization,
    // RFC 8628 section 4; absent while no application may use it.
    ...(hasDeviceGrant && { device_authorization_endpoint: at(ENDPOINT_PATHS.deviceAuthorization) }),
    token_endpoint: at(ENDPOINT_PATHS.token),
    introspection_endpoint: at(ENDPOINT_PATHS.introspect),
    userinfo_endpoint: at(ENDPOINT_PATHS.userinfo),
    revocation_endpoint: at(ENDPOINT_PATHS.revoke),
    end_session_endpoint: at(ENDPOINT_PATHS.endSession),
    // RFC 7591; absent while the setting is off.
    ...(clientRegistration && { registration_endpoint: at(ENDPOINT_PATHS.register) }),
  }
  const isServed = (method: ClientAuthMethod) =>
    method === 'tls_client_auth'
      ? mutualTls?.hasAuthorities === true
      : method !== 'self_signed_tls_client_auth' || mutualTls !== undefined
  const authMethods = CLIENT_AUTH_METHODS.filter(isServed)
  return {
    issuer,
    ...endpoints,
    jwks_uri: at(ENDPOINT_PATHS.keys),
    scopes_supported: SCOPES,
    claims_supported: CLAIMS_SUPPORTED,
    acr_values_supported: ACR_VALUES,
    response_types_supported: RESPONSE_TYPES,
    response_modes_supported: RESPONSE_MODES,
    // JARM section 4
    authorization_signing_alg_values_supported: signingAlgorithms,
    grant_types_supported: [...GRANT_TYPES_SERVED, ...(hasDeviceGrant ? [GRANT_TYPES.deviceCode] : [])],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: signingAlgorithms,
    token_endpoint_auth_methods_supported: authMethods,
    token_endpoint_auth_signing_alg_values_supported: CLIENT_ASSERTION_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_signing_alg_values_supported: CLIENT_ASSERTION_ALGORITHMS,
    introspection_endpoint_auth_methods_supported: INTROSPECTION_AUTH_METHODS.filter(isServed),
    introspection_endpoint_auth_signing_alg_values_supported: CLIENT_ASSERTION_ALGORITHMS,
    // RFC 9701 section 7
    introspection_signing_alg_values_supported: signingAlgorithms,
    code_challenge_methods_supported: CODE_CHALLENGE_METHODS,
    // RFC 9449 section 5.1
    dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
    // Back-Channel Logout 1.0 section 2.1
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    // Initiating User Registration via OpenID Connect section 4.1
    prompt_values_supported: PROMPT_VALUES,
    ui_locales_supported: UI_LOCALES,
    // RFC 9207 section 3
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: true,
    // RFC 9101 section 10.5
    request_parameter_supported: true,
    request_object_signing_alg_values_supported: CLIENT_ASSERTION_ALGORITHMS,
    // Said although it is false: left out it would mean true (section 3).
    request_uri_parameter_supported: false,
    ...identityAssertionMetadata({ issuesIdentityAssertions, takesIdentityAssertions }),
    // draft-ietf-oauth-client-id-metadata-document section 5
    ...(hasClientMetadata && { client_id_metadata_document_supported: true }),
    ...(mutualTls && mutualTlsMetadata(mutualTls, endpoints)),
  }
}

/** draft-ietf-oauth-identity-assertion-authz-grant section 6; empty while no application and no identity provider has crossAppAccess. */
function identityAssertionMetadata({
  issuesIdentityAssertions,
  takesIdentityAssertions,
}: Pick<InstanceFeatures, 'issuesIdentityAssertions' | 'takesIdentityAssertions'>) {
  return {
    ...(issuesIdentityAssertions && {
      identity_chaining_requested_token_types_supported: [TOKEN_TYPES.idJag],
    }),
    ...(takesIdentityAssertions && { authorization_grant_profiles_supported: [ID_JAG_GRANT_PROFILE] }),
  }
}

/** RFC 8705 section 5. */
function mutualTlsMetadata({ origins }: ShownMutualTls, endpoints: object) {
  const aliases = Object.entries(MUTUAL_TLS_ENDPOINTS)
    .filter(([name]) => Object.hasOwn(endpoints, name))
    .map(([name, path]) => [name, `${originOf(origins, routeFor(path)?.service)}${path}`])
  return {
    // RFC 8705 section 3.3
    tls_client_certificate_bound_access_tokens: true,
    mtls_endpoint_aliases: Object.fromEntries(aliases) as Readonly<Record<string, string>>,
  }
}

/** `jwks_uri`, answered from memory: it works while the database does not. */
export function keySetEndpoint(rings: { readonly current: RingKeys }, now: Clock): Endpoint {
  const documentOf = createCachedDocument(
    ({ keys }) => keys,
    ({ keys }) => keySetOf(keys),
  )
  return {
    path: ENDPOINT_PATHS.keys,
    cors: publicCors,
    methods: {
      GET(req) {
        const { current } = rings
        return documentAnswer(req, documentOf(current), keySetMaxAgeSeconds(current.keys, now()))
      },
    },
  }
}

/** Makes a document again only when what it shows has changed. */
function createCachedDocument<Shown>(
  shownOf: (current: RingKeys) => Shown,
  documentOf: (current: RingKeys) => object,
) {
  let known: { readonly of: Shown; readonly document: CacheableDocument } | undefined
  return (current: RingKeys): CacheableDocument => {
    const shown = shownOf(current)
    if (known?.of !== shown) known = { of: shown, document: cacheableDocument(documentOf(current)) }
    return known.document
  }
}

/** A public JSON document and the strong entity tag of exactly these bytes. */
interface CacheableDocument {
  readonly body: string
  readonly etag: string
}

function cacheableDocument(value: object): CacheableDocument {
  const body = JSON.stringify(value)
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}

/** The document, or 304 for a client that has it already. */
function documentAnswer(
  { headers }: IncomingMessage,
  { body, etag }: CacheableDocument,
  maxAgeSeconds: number,
): Answer {
  const caching = ['Cache-Control', `public, max-age=${maxAgeSeconds}`, 'ETag', etag]
  return hasIt(headers['if-none-match'], etag)
    ? { status: 304, headers: caching, body: '' }
    : { status: 200, headers: [...caching, 'Content-Type', 'application/json'], body }
}

/**
 * RFC 9110 section 13.1.2, with the weak comparison. Express would ignore the header beside a `no-cache`, which
 * fetch adds by itself.
 */
function hasIt(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((entry) => {
    const tag = entry.trim()
    return tag === '*' || tag === etag || tag === `W/${etag}`
  })
}
