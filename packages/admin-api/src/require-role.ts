import { ApiError } from './api-error.ts'
import type { AdministratorRole, Caller, SignInDemand } from './caller.ts'

/** A role that would do, and where it must hold. */
export interface SufficientRole {
  readonly role: AdministratorRole
  /** The organization or the project; absent for roles of the instance. Undefined where there is no such object. */
  readonly objectId?: string | undefined
}

/**
 * Throws ApiError PERMISSION_DENIED that names the roles that would do, unless the caller holds one of them; for a caller
 * whose sign-in is too old or too weak for roles of the instance UNAUTHENTICATED, which says how to sign in (RFC 9470).
 */
export function requireRole(caller: Caller, sufficient: readonly SufficientRole[]): void {
  if (sufficient.some((needed) => holdsRole(caller, needed))) return
  throw roleRefusal(caller, sufficient)
}

/**
 * The same for a caller who holds none of the roles anywhere, whichever object the request names: nothing else of the
 * request is needed to refuse it.
 */
export function requireRoleAnywhere(caller: Caller, sufficient: readonly SufficientRole[]): void {
  const names: readonly string[] = sufficient.map(({ role }) => role)
  if (caller.roles.some(({ role }) => names.includes(role))) return
  throw roleRefusal(caller, sufficient)
}

function roleRefusal(caller: Caller, sufficient: readonly SufficientRole[]): ApiError {
  if (caller.signInDemand !== undefined) return weakSignIn(caller.signInDemand)
  return roleMissing(sufficient)
}

function weakSignIn({ maxAgeSeconds, acrValues }: SignInDemand): ApiError {
  const rules = [
    ...(maxAgeSeconds === undefined ? [] : [`at most ${maxAgeSeconds} seconds ago`]),
    ...(acrValues.length === 0 ? [] : [`with acr ${acrValues.join(' or ')}`]),
  ].join(' and ')
  const howToAdd = acrValues.length === 0 ? '' : '. People add a second factor on /ui/account/factors'
  const challenge = [
    'Bearer realm="signet", error="insufficient_user_authentication"',
    `error_description="roles of the instance count after a sign-in ${rules}"`,
    ...(acrValues.length === 0 ? [] : [`acr_values="${acrValues.join(' ')}"`]),
    ...(maxAgeSeconds === undefined ? [] : [`max_age="${maxAgeSeconds}"`]),
  ].join(', ')
  return new ApiError(
    'UNAUTHENTICATED',
    `IAM_ roles of a person count after a sign-in ${rules}; sign in again and repeat the call${howToAdd}`,
    { reason: 'insufficient_user_authentication', headers: { 'WWW-Authenticate': challenge } },
  )
}

/** Throws ApiError UNAUTHENTICATED, which says how to sign in (RFC 9470), unless the caller signed in as recently as that. */
export function requireRecentSignIn({ authTime }: Caller, maxAgeSeconds: number, now: Date): void {
  if (authTime !== undefined && Math.floor(now.getTime() / 1000) - authTime <= maxAgeSeconds) return
  const description = `the call needs a sign-in at most ${maxAgeSeconds} seconds ago`
  throw new ApiError('UNAUTHENTICATED', `${description}; sign in again and repeat the call`, {
    reason: 'insufficient_user_authentication',
    headers: {
      'WWW-Authenticate': `Bearer realm="signet", error="insufficient_user_authentication", error_description="${description}", max_age="${maxAgeSeconds}"`,
    },
  })
}

/** The refusal that names the roles that would do. */
export function roleMissing(sufficient: readonly SufficientRole[]): ApiError {
  const roles = sufficient.map(({ role }) => role)
  return new ApiError('PERMISSION_DENIED', `needs role ${sentence(roles)}`, {
    reason: 'role_missing',
    details: [{ id: 'role_missing', roles }],
  })
}

/** Whether the caller holds a role where it is needed. */
export function holdsRole({ roles }: Caller, needed: SufficientRole): boolean {
  // A role of an organization never counts for the instance, nor one of the instance for an object that is not there.
  if (!needed.role.startsWith('IAM_') && needed.objectId === undefined) return false
  return roles.some(({ role, objectId }) => role === needed.role && objectId === needed.objectId)
}

const PLACES = { IAM: '', ORG: ' in the organization', PROJECT: ' in the project' } as const

/** No ids: whether an object exists, and where, is nothing for those who may not see it. */
function sentence(roles: readonly AdministratorRole[]): string {
  const phrases = roles.map((role) => `${role}${PLACES[role.split('_')[0] as keyof typeof PLACES]}`)
  return phrases.length < 2 ? phrases.join('') : `${phrases.slice(0, -1).join(', ')} or ${phrases.at(-1)}`
}
