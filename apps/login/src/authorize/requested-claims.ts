import { scopesRevealing } from '@signet/directory-reader/claims'
import { ACR_MFA, ACR_PASSWORD, ACR_VALUES } from '@signet/protocol/authorization-parameters'
import { parseClaimsParameter } from '@signet/protocol/claims-parameter'
import { AccessDeniedError } from '@signet/protocol/errors'
import { z } from 'zod'
import type { BrowserSession } from '../sessions/browser-session.ts'

// OIDC Core sections 5.5 and 5.5.1: the members of `claims` that concern the sign-in.

const claimRequest = z
  .object({
    essential: z.boolean().optional().catch(undefined),
    value: z.unknown(),
    values: z.array(z.unknown()).optional().catch(undefined),
  })
  .partial()
  .catch({})
const claimRequests = z.record(z.string(), claimRequest).catch({})
const schema = z.object({ userinfo: claimRequests, id_token: claimRequests })

/** A parsed `claims` parameter. */
export interface RequestedClaims {
  /** The JSON text of the request. */
  readonly text: string
  /** The scopes that reveal the claims which the parameter names. */
  readonly revealedBy: readonly string[]
  /** The response may only be about this user; undefined: any user. */
  readonly subject: string | undefined
  /** The supported `acr` values of the parameter; undefined when it names none. */
  readonly acrValues: readonly string[] | undefined
}

/**
 * Throws InvalidRequestError for malformed JSON, and AccessDeniedError for an essential `acr` that is not supported.
 */
export function readClaimsRequest(text: string): RequestedClaims {
  const named = parseClaimsParameter(text)
  const revealedBy = scopesRevealing([...named.userinfo, ...named.idToken])
  const { userinfo, id_token: idToken } = schema.parse(JSON.parse(text))
  const acr = idToken.acr
  const acrs = acr?.values ?? (acr?.value === undefined ? undefined : [acr.value])
  const acrValues = acrs && knownAcrs(acrs)
  if (acr?.essential === true && acrValues?.length === 0) {
    throw new AccessDeniedError('No sign-in here reaches the acr that claims requires', {
      reason: 'acr_unmet',
    })
  }
  const subject = idToken.sub?.value ?? userinfo.sub?.value
  return { text, revealedBy, subject: typeof subject === 'string' ? subject : undefined, acrValues }
}

/** The supported `acr` values, in the given order. */
export function knownAcrs(values: readonly unknown[]): readonly string[] {
  return values.filter((value): value is string => ACR_VALUES.some((known) => known === value))
}

/** The parts of an authorization request that name how the person has to sign in. */
interface AcrRequest {
  readonly claims: RequestedClaims | undefined
  /** The supported values of the parameter `acr_values`. */
  readonly acrValues: readonly string[]
}

/** The supported `acr` values of a request, the preferred one first (OIDC Core sections 3.1.2.1, 5.5.1.1). */
function requestedAcrs({ claims, acrValues }: AcrRequest): readonly string[] {
  return claims?.acrValues ?? acrValues
}

export const wantsMfa = (request: AcrRequest): boolean => requestedAcrs(request)[0] === ACR_MFA

/**
 * The `acr` of a response. A session with two factors gets the value of one factor if the request names only that one.
 */
export function reachedAcr(request: AcrRequest, { amr }: Pick<BrowserSession, 'amr'>): string {
  if (!amr.includes('mfa')) return ACR_PASSWORD
  const requested = requestedAcrs(request)
  return requested.includes(ACR_PASSWORD) && !requested.includes(ACR_MFA) ? ACR_PASSWORD : ACR_MFA
}
