/** The sign-in that a call demands (RFC 9470 section 3), by the names of the parameters of an authorization request. */
export interface SignInDemand {
  readonly max_age?: number
  readonly acr_values?: string
}

/** Returns the demand of a refusal by its header WWW-Authenticate; undefined where the token itself was refused. */
export function demandOf(challenge: string): SignInDemand | undefined {
  if (!challenge.includes('error="insufficient_user_authentication"')) return undefined
  const maxAge = /\bmax_age="(\d+)"/.exec(challenge)?.[1]
  const acrValues = /\bacr_values="([^"]+)"/.exec(challenge)?.[1]
  return {
    ...(maxAge !== undefined && { max_age: Number(maxAge) }),
    ...(acrValues !== undefined && { acr_values: acrValues }),
  }
}
