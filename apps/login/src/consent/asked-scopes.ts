import type { AuthorizationRequest } from '../authorize/authorization-request.ts'

/** What a person is asked about: the scopes, and those that reveal claims which the request names one by one. */
export function askedScopes({
  scopes,
  claims,
}: Pick<AuthorizationRequest, 'scopes' | 'claims'>): readonly string[] {
  return [...new Set([...scopes, ...(claims?.revealedBy ?? [])])]
}
