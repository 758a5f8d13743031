// OIDC Core sections 3.1.2.1, 5.4 and 11.

export const SCOPES = ['openid', 'profile', 'email', 'phone', 'address', 'offline_access'] as const

export type Scope = (typeof SCOPES)[number]

/** Whether Signet gives the scope a meaning; others are dropped at authorize and refused at the token endpoint. */
export function isKnownScope(scope: string): scope is Scope {
  return SCOPES.some((known) => known === scope)
}
