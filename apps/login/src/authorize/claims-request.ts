// OIDC Core sections 5.5 and 5.5.1: what a `claims` parameter says about the sign-in itself.
import { scopesRevealing } from '@signet/account-claims/claims-of-scopes'
import { ACR_VALUES } from '@signet/oauth-protocol/acr-values'
import { parseClaimsParameter } from '@signet/oauth-protocol/claims-parameter'
import { AccessDeniedError } from '@signet/oauth-protocol/errors'
import { z } from 'zod'

const wish = z
  .object({
    essential: z.boolean().optional().catch(undefined),
    value: z.unknown(),
    values: z.array(z.unknown()).optional().catch(undefined),
  })
  .partial()
  .catch({})
const wishes = z.record(z.string(), wish).catch({})
const schema = z.object({ userinfo: wishes, id_token: wishes })

/** A `claims` parameter that could be read. */
export interface RequestedClaims {
  /** The JSON text as it came. */
  readonly text: string
  /** The scopes that reveal the claims about a person that it names. */
  readonly revealedBy: readonly string[]
  /** Only this person may be answered for; undefined when any may. */
  readonly subject: string | undefined
  /** The classes of `acr` that it names and that exist here; undefined when it names none. */
  readonly acrValues: readonly string[] | undefined
}

/** Throws InvalidRequestError for what is no claims request, and AccessDeniedError for an `acr` that nobody reaches. */
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

/** Those of some classes of `acr` that exist here, in the order given. */
export function knownAcrs(values: readonly unknown[]): readonly string[] {
  return values.filter((value): value is string => ACR_VALUES.some((known) => known === value))
}
