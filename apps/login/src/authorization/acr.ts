import { ACR_MFA, ACR_PASSWORD } from '@signet/oauth-protocol/acr-values'
import type { AuthorizationRequest } from '../authorize/authorization-request.ts'
import type { BrowserSession } from '../sessions/browser-session.ts'

type Wishes = Pick<AuthorizationRequest, 'claims' | 'acrValues'>

/** The classes that a request names and that exist here, the preferred one first (OIDC Core sections 3.1.2.1, 5.5.1.1). */
function wishedAcrs({ claims, acrValues }: Wishes): readonly string[] {
  return claims?.acrValues ?? acrValues
}

export const wantsMfa = (request: Wishes): boolean => wishedAcrs(request)[0] === ACR_MFA

/** The class that a session is answered with; of two factors also the class of one where only that was asked for. */
export function reachedAcr(request: Wishes, { amr }: Pick<BrowserSession, 'amr'>): string {
  if (!amr.includes('mfa')) return ACR_PASSWORD
  const wished = wishedAcrs(request)
  return wished.includes(ACR_PASSWORD) && !wished.includes(ACR_MFA) ? ACR_PASSWORD : ACR_MFA
}
