// Reads what an identity assertion says of itself before it is verified (draft-ietf-oauth-identity-assertion-authz-grant).

import { ID_JAG_TYP } from '@signet/protocol/cross-app-access'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { AssertionRefusal, isCompactJws } from './signed-assertion.ts'

/** Whether a text says of itself that it is an identity assertion. Nothing is verified. */
export function isIdentityAssertion(assertion: string | undefined): boolean {
  if (assertion === undefined || !isCompactJws(assertion)) return false
  try {
    return decodeProtectedHeader(assertion).typ === ID_JAG_TYP
  } catch {
    return false
  }
}

/** The issuer and the key that an assertion names. Nothing is verified. Throws AssertionRefusal. */
export function namedIssuer(assertion: string): { readonly iss: string; readonly kid: string | undefined } {
  try {
    const { iss } = decodeJwt(assertion)
    // PostgreSQL takes no text with U+0000.
    if (typeof iss === 'string' && !iss.includes('\0'))
      return { iss, kid: decodeProtectedHeader(assertion).kid }
  } catch (cause) {
    throw new AssertionRefusal('it is not a signed JWT in compact form', 'assertion_malformed', cause)
  }
  throw new AssertionRefusal('it has no iss', 'cross_app_issuer_not_trusted')
}
