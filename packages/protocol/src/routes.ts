import { CONSUMER_PREFIXES } from './assertion-consumer.ts'
import { OWN_APIS } from './resource-indicator.ts'

interface RouteLimits {
  readonly bodyLimitBytes: number
  /** How long an answer may take before a proxy gives up. */
  readonly readTimeoutSeconds: number
  /** Whether a proxy may collect a request or an answer before it passes it on. */
  readonly buffering: boolean
}

export type RouteOwner = 'login' | 'token' | 'introspection' | 'keys' | 'directory' | 'migration'

export interface Route extends RouteLimits {
  /** Itself and everything below it: `/ui` holds `/ui` and `/ui/login`, not `/uix`. `/` is the root alone. */
  readonly prefix: string
  readonly service: RouteOwner
}

const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE
const HOUR = 3600

const form: RouteLimits = { bodyLimitBytes: 64 * KIBIBYTE, readTimeoutSeconds: 30, buffering: true }
/** A response of SAML with the groups of a person is longer than other forms. */
const response: RouteLimits = { ...form, bodyLimitBytes: 256 * KIBIBYTE }
const document: RouteLimits = { bodyLimitBytes: MEBIBYTE, readTimeoutSeconds: 60, buffering: true }
/** Exports and imports stream for as long as they take, and job events are read while the job runs. */
const stream: RouteLimits = { bodyLimitBytes: MEBIBYTE, readTimeoutSeconds: 24 * HOUR, buffering: false }

/** The one place that says which service answers which path; proxies are generated from it or checked against it. */
export const ROUTES: readonly Route[] = [
  { prefix: '/', service: 'login', ...form },
  { prefix: '/account', service: 'login', ...form },
  { prefix: '/oauth/v2/authorize', service: 'login', ...form },
  { prefix: '/oauth/v2/par', service: 'login', ...form },
  { prefix: '/oauth/v2/device_authorization', service: 'login', ...form },
  { prefix: '/oidc/v1/end_session', service: 'login', ...form },
  { prefix: '/ui', service: 'login', ...form },
  { prefix: '/ui/identity-providers', service: 'login', ...response },
  ...CONSUMER_PREFIXES.map((prefix) => ({ prefix, service: 'login', ...response }) as const),
  { prefix: '/oauth/v2/token', service: 'token', ...form },
  { prefix: '/oauth/v2/revoke', service: 'token', ...form },
  { prefix: '/oauth/v2/introspect', service: 'introspection', ...form },
  { prefix: '/oidc/v1/userinfo', service: 'introspection', ...form },
  { prefix: '/oauth/v2/keys', service: 'keys', ...form },
  { prefix: '/.well-known/openid-configuration', service: 'keys', ...form },
  { prefix: '/.well-known/oauth-authorization-server', service: 'keys', ...form },
  { prefix: '/.well-known/oauth-protected-resource', service: 'keys', ...form },
  { prefix: '/.well-known/security.txt', service: 'keys', ...form },
  { prefix: '/.well-known/webauthn', service: 'login', ...form },
  { prefix: '/management/v1/keys', service: 'keys', ...document },
  { prefix: '/management/v1', service: 'directory', ...document },
  { prefix: '/oauth/v2/register', service: 'directory', ...form },
  { prefix: '/console', service: 'directory', ...form },
  { prefix: '/v2/features', service: 'directory', ...document },
  { prefix: '/v2/policies', service: 'directory', ...document },
  { prefix: '/v2/settings', service: 'directory', ...document },
  { prefix: '/admin/v1/export', service: 'migration', ...stream },
  { prefix: '/admin/v1/import', service: 'migration', ...stream, bodyLimitBytes: 256 * MEBIBYTE },
  { prefix: '/admin/v1/jobs', service: 'migration', ...stream },
]

const longestFirst = ROUTES.toSorted((a, b) => b.prefix.length - a.prefix.length)

/** The route of a path (without its query string): the longest prefix that ends where a segment of the path ends. */
export function routeFor(path: string): Route | undefined {
  return longestFirst.find(
    ({ prefix }) => path === prefix || (prefix !== '/' && path.startsWith(`${prefix}/`)),
  )
}

// Paths below the issuer; discovery publishes them and OIDC Discovery section 4 fixes its own.

export const ENDPOINT_PATHS = {
  discovery: '/.well-known/openid-configuration',
  authorize: '/oauth/v2/authorize',
  pushedAuthorization: '/oauth/v2/par',
  deviceAuthorization: '/oauth/v2/device_authorization',
  token: '/oauth/v2/token',
  introspect: '/oauth/v2/introspect',
  revoke: '/oauth/v2/revoke',
  keys: '/oauth/v2/keys',
  register: '/oauth/v2/register',
  userinfo: '/oidc/v1/userinfo',
  endSession: '/oidc/v1/end_session',
  securityTxt: '/.well-known/security.txt',
  serverMetadata: '/.well-known/oauth-authorization-server',
  resourceMetadata: '/.well-known/oauth-protected-resource',
} as const

/** The endpoints at which clients may present a certificate (RFC 8705 section 5), by their names in discovery. */
export const MUTUAL_TLS_ENDPOINTS = {
  token_endpoint: ENDPOINT_PATHS.token,
  revocation_endpoint: ENDPOINT_PATHS.revoke,
  introspection_endpoint: ENDPOINT_PATHS.introspect,
  userinfo_endpoint: ENDPOINT_PATHS.userinfo,
  pushed_authorization_request_endpoint: ENDPOINT_PATHS.pushedAuthorization,
  device_authorization_endpoint: ENDPOINT_PATHS.deviceAuthorization,
} as const

/** The management APIs, which take bound tokens as well. */
const API_PREFIXES = [...OWN_APIS, '/v2/features', '/v2/policies', '/v2/settings']

/** Whether a path is served to clients with certificates: no page is. */
export function isServedOverMutualTls(path: string): boolean {
  return (
    Object.values<string>(MUTUAL_TLS_ENDPOINTS).includes(path) ||
    API_PREFIXES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
  )
}
