// OIDC Core sections 3.1.2.1, 5.4 and 11.
import { parseReservedScope } from './reserved-scopes.ts'

export const SCOPES = ['openid', 'profile', 'email', 'phone', 'address', 'offline_access', 'groups'] as const

/** Whether Signet gives the scope a meaning; others are dropped at authorize and refused at the token endpoint. */
export function isKnownScope(scope: string): boolean {
  return SCOPES.some((known) => known === scope) || parseReservedScope(scope) !== undefined
}
