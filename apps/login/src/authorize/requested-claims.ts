import { scopesRevealing } from '@signet/directory-reader/claims'
import {
  ACR_MFA,
  ACR_PASSKEY,
  ACR_PASSWORD,
  ACR_VALUES,
  acrOf,
  reachesAcr,
} from '@signet/protocol/authorization-parameters'
import { parseClaimsParameter } from '@signet/protocol/claims-parameter'
import { UnmetAuthenticationRequirementsError } from '@signet/protocol/errors'
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
  /** The sign-in has to reach one of these values. */
  readonly acrIsEssential: boolean
}

/**
 * Reads a `claims` parameter. A claim that only closed scopes reveal is left out, as those scopes are.
 * Throws InvalidRequestError for malformed JSON, and UnmetAuthenticationRequirementsError for an essential `acr` that is not
 * supported.
 */
export function readClaimsRequest(
  sent: string,
  isOpen: (scope: string) => boolean = () => true,
): RequestedClaims {
  const text = withoutClosedClaims(sent, isOpen)
  const named = parseClaimsParameter(text)
  const revealedBy = scopesRevealing([...named.userinfo, ...named.idToken])
  const { userinfo, id_token: idToken } = schema.parse(JSON.parse(text))
  const acr = idToken.acr
  const acrs = acr?.values ?? (acr?.value === undefined ? undefined : [acr.value])
  const acrValues = acrs && knownAcrs(acrs)
  const acrIsEssential = acr?.essential === true && acrValues !== undefined
  if (acrIsEssential && acrValues.length === 0) throw acrUnmet('No sign-in here reaches')
  const subject = idToken.sub?.value ?? userinfo.sub?.value
  return {
    ...{ text, revealedBy, acrValues, acrIsEssential },
    subject: typeof subject === 'string' ? subject : undefined,
  }
}

function withoutClosedClaims(text: string, isOpen: (scope: string) => boolean): string {
  const { userinfo, idToken } = parseClaimsParameter(text)
  const closed = new Set(
    [...userinfo, ...idToken].filter((name) => {
      const scopes = scopesRevealing([name])
      return scopes.length > 0 && !scopes.some(isOpen)
    }),
  )
  if (closed.size === 0) return text
  const request: unknown = JSON.parse(text, (name, value: unknown) => (closed.has(name) ? undefined : value))
  return JSON.stringify(request)
}

const acrUnmet = (what: string) =>
  new UnmetAuthenticationRequirementsError(`${what} the acr that claims requires`, { reason: 'acr_unmet' })

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

/** The factors that a request asks for: two, or two with a passkey among them. */
export function wantedFactors(request: AcrRequest): { readonly mfa: boolean; readonly passkey: boolean } {
  const [preferred] = requestedAcrs(request)
  const passkey = preferred === ACR_PASSKEY
  return { mfa: passkey || preferred === ACR_MFA, passkey }
}

type Reached = Pick<BrowserSession, 'amr'>

/**
 * The `acr` of a response: the strongest value that the sign-in reaches among those of the request. A request that names none
 * of them gets the value of one or two factors.
 */
export function reachedAcr(request: AcrRequest, { amr }: Reached): string {
  const reached = acrOf(amr)
  const met = ACR_VALUES.filter((acr) => reachesAcr(reached, acr) && requestedAcrs(request).includes(acr))
  return met.at(-1) ?? (reached === ACR_PASSWORD ? ACR_PASSWORD : ACR_MFA)
}

/** Throws UnmetAuthenticationRequirementsError for a session that does not reach an `acr` which the request requires. */
export function requireEssentialAcr(request: AcrRequest, session: Reached): void {
  const { claims } = request
  if (!claims?.acrIsEssential || claims.acrValues?.includes(reachedAcr(request, session))) return
  throw acrUnmet('This sign-in does not reach')
}
