import { type AccessToken, readAccessToken } from './access-token.ts'
import { accessTokenOfJwt, JWT_ACCESS_TOKEN_TYP } from './jwt-access-token.ts'
import { looksLikeJws, type VerifyJws } from './keys/verify-jws.ts'
import { ACCESS_TOKEN_SEAL, type Opener } from './sealed-token.ts'

/** An access token that this instance made. Whether it has expired or was revoked is for the caller to ask. */
export interface ReadToken {
  readonly token: AccessToken
  /** The key that sealed or signed it. */
  readonly kid: string
  /** The sealed plaintext, for callers that check its origin; absent for a JWT, whose signature proves it. */
  readonly sealed?: Buffer
}

/** Reads an access token of either form; undefined for everything else. */
export type ReadAccessToken = (value: string) => Promise<ReadToken | undefined>

/** The kind of a bearer by its form alone, so that no form can be mistaken for another. */
export function bearerForm(value: string): 'sealed' | 'jwt' | 'personal' {
  if (value.startsWith(ACCESS_TOKEN_SEAL.prefix)) return 'sealed'
  return looksLikeJws(value) ? 'jwt' : 'personal'
}

export function accessTokenReader(deps: {
  readonly issuer: string
  readonly opener: Opener
  readonly verifyJws: VerifyJws
}): ReadAccessToken {
  return async (value) => {
    switch (bearerForm(value)) {
      case 'sealed': {
        const opened = deps.opener.open(value)
        if (opened === undefined) return undefined
        const { kid, plaintext } = opened
        return { token: readAccessToken(plaintext), kid, sealed: plaintext }
      }
      case 'jwt': {
        const verified = await deps.verifyJws(value, JWT_ACCESS_TOKEN_TYP)
        const token = verified && accessTokenOfJwt(verified.claims, deps.issuer)
        return token && { token, kid: verified.kid }
      }
      case 'personal':
        return undefined
    }
  }
}
