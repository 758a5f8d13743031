import { InvalidScopeError } from './errors.ts'

// OIDC Core sections 3.1.2.1, 5.4 and 11.

export const SCOPES = ['openid', 'profile', 'email', 'phone', 'address', 'offline_access', 'groups'] as const

/** Whether Signet gives the scope a meaning; others are dropped at authorize and refused at the token endpoint. */
export function isKnownScope(scope: string): boolean {
  return SCOPES.some((known) => known === scope) || parseReservedScope(scope) !== undefined
}

/** The reason for which an authorization request goes on without a scope. */
export type ScopeDrop = 'scope_unknown' | 'no_refresh_token'

/**
 * Says why a scope is dropped at the authorization endpoint; undefined for one that is kept. Unknown scopes are dropped (OIDC
 * Core section 3.1.2.1), and so is offline_access where no refresh token can follow (section 11).
 */
export function scopeDrop(scope: string, mayRefresh: boolean): ScopeDrop | undefined {
  if (!isKnownScope(scope)) return 'scope_unknown'
  return scope === 'offline_access' && !mayRefresh ? 'no_refresh_token' : undefined
}

// RFC 6749 section 3.3: scope = scope-token *( SP scope-token ), scope-token = 1*( %x21 / %x23-5B / %x5D-7E ).

const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/

/**
 * The distinct scopes of a `scope` parameter in the order they were asked for; none when it is absent.
 * Throws `InvalidScopeError` for a character that no scope may hold. Surplus spaces are forgiven: clients join lists.
 */
export function parseScopeString(value: string | undefined): string[] {
  const scopes = new Set((value ?? '').split(' ').filter((scope) => scope !== ''))
  for (const scope of scopes) {
    if (!SCOPE_TOKEN.test(scope)) {
      throw new InvalidScopeError(
        'scope is a list of words separated by spaces, without quotes or backslashes',
        { reason: 'scope_malformed' },
      )
    }
  }
  return [...scopes]
}

export function formatScopeString(scopes: Iterable<string>): string {
  return [...scopes].join(' ')
}

// Scopes that this service reserves for itself, and the claims that answer them.

/** Both prefixes mean the same; an answer uses the one it was asked with. */
export const RESERVED_PREFIXES = ['urn:service:iam:', 'urn:zitadel:iam:'] as const

export type ReservedPrefix = (typeof RESERVED_PREFIXES)[number]

/** A reserved scope. `value` is the part that the caller fills in. */
export type ReservedScope = { readonly prefix: ReservedPrefix } & (
  | { readonly kind: 'user_metadata' }
  | { readonly kind: 'user_resource_owner' }
  /** Restricts sign-in to one organization. */
  | { readonly kind: 'organization_id'; readonly value: string }
  | { readonly kind: 'organization_domain'; readonly value: string }
  /** Asserts one role of the application's own project. */
  | { readonly kind: 'project_role'; readonly value: string }
  /** Asserts the roles in every project of the audience. */
  | { readonly kind: 'projects_roles' }
  /** Adds a project to the audience. */
  | { readonly kind: 'project_audience'; readonly value: string }
  /** Asserts only roles that were granted in one organization. */
  | { readonly kind: 'roles_of_organization'; readonly value: string }
)

type Kind = ReservedScope['kind']

const FIXED: Readonly<Record<string, Kind>> = {
  'user:metadata': 'user_metadata',
  'user:resourceowner': 'user_resource_owner',
  'org:projects:roles': 'projects_roles',
}

/** Each pattern names the part of the scope that is a value. */
const WITH_VALUE: readonly (readonly [RegExp, Kind])[] = [
  [/^org:id:([^:]+)$/, 'organization_id'],
  [/^org:domain:primary:([^:]+)$/, 'organization_domain'],
  [/^org:project:role:(.+)$/, 'project_role'],
  [/^org:project:id:([^:]+):aud$/, 'project_audience'],
  [/^org:roles:id:([^:]+)$/, 'roles_of_organization'],
]

/** Reads a scope under one of the reserved prefixes; undefined for every other scope and for unknown forms. */
export function parseReservedScope(scope: string): ReservedScope | undefined {
  const prefix = RESERVED_PREFIXES.find((reserved) => scope.startsWith(reserved))
  if (prefix === undefined) return undefined
  const name = scope.slice(prefix.length)
  const fixed = Object.hasOwn(FIXED, name) ? FIXED[name] : undefined
  if (fixed !== undefined) return { prefix, kind: fixed } as ReservedScope
  for (const [pattern, kind] of WITH_VALUE) {
    const value = pattern.exec(name)?.[1]
    if (value !== undefined) return { prefix, kind, value } as ReservedScope
  }
  return undefined
}

/** The project that stands for Signet's own APIs: an access token for them names it in `aud`. */
export const API_PROJECT = 'signet'
/** The scope that asks for an access token for them. */
export const API_SCOPE = `urn:service:iam:org:project:id:${API_PROJECT}:aud`
/** The name of that project under the other prefix. */
const API_PROJECT_ALIAS = 'zitadel'

/** The entries that scopes add to the audience of an access token. */
export interface NamedAudiences {
  readonly namesApi: boolean
  /** Each once, without that of the API. */
  readonly projectIds: readonly string[]
}

export function namedAudiences(scopes: readonly string[]): NamedAudiences {
  const named = reservedScopesOf(scopes).flatMap((scope) => {
    if (scope.kind !== 'project_audience') return []
    const isAlias = scope.prefix === 'urn:zitadel:iam:' && scope.value === API_PROJECT_ALIAS
    return [isAlias ? API_PROJECT : scope.value]
  })
  return {
    namesApi: named.includes(API_PROJECT),
    projectIds: [...new Set(named)].filter((id) => id !== API_PROJECT),
  }
}

/** Every reserved scope among the granted ones. */
export function reservedScopesOf(scopes: readonly string[]): readonly ReservedScope[] {
  return scopes.flatMap((scope) => parseReservedScope(scope) ?? [])
}
