import type { AuthorizationDetail, GrantedDetail } from '@signet/protocol/authorization-details'
import {
  type AccessToken,
  type Actor,
  type Confirmation,
  readAccessToken,
  tokenTypeOf,
} from './access-token.ts'
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

export function createAccessTokenReader(deps: {
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

/** RFC 9068 section 2.1: distinguishes an access token from every other JWT of the issuer. */
export const JWT_ACCESS_TOKEN_TYP = 'at+jwt'

/** The claim that only Signet reads: the revocation keys of the token, and the claims for userinfo. */
export const PRIVATE_CLAIM = 'urn:service:iam:rv'

type PrivateMembers = Pick<
  AccessToken,
  'generation' | 'grantId' | 'sid' | 'user' | 'client' | 'organizations' | 'origins' | 'userinfoClaims'
> & {
  /** The project of each element of `authorization_details`. */
  readonly detailProjects?: readonly string[]
}

/** Number of seconds by which the clock of a resource server may be behind. */
const READER_TOLERANCE_SECONDS = 60

/** The claims of an access token as a JWT (RFC 9068 section 2.2). */
export function jwtAccessTokenClaims(token: AccessToken, issuer: string): Readonly<Record<string, unknown>> {
  const { generation, grantId, sid, user, client, organizations, origins, userinfoClaims, details } = token
  const members: PrivateMembers = {
    organizations,
    ...(client !== undefined && { client }),
    ...(generation !== undefined && { generation }),
    ...(grantId !== undefined && { grantId }),
    ...(sid !== undefined && { sid }),
    ...(user !== undefined && { user }),
    ...(origins !== undefined && { origins }),
    ...(userinfoClaims !== undefined && { userinfoClaims }),
    ...(details !== undefined && { detailProjects: details.map(({ projectId }) => projectId) }),
  }
  return {
    iss: issuer,
    sub: token.subject,
    aud: token.audience,
    client_id: token.clientId,
    scope: token.scope,
    jti: token.id,
    iat: token.issuedAt,
    // A resource server whose clock is behind would refuse a token that is valid from now on.
    nbf: token.issuedAt - READER_TOLERANCE_SECONDS,
    exp: token.expiresAt,
    ...(token.authTime !== undefined && { auth_time: token.authTime }),
    ...(token.amr !== undefined && { amr: token.amr }),
    ...(token.acr !== undefined && { acr: token.acr }),
    ...(token.act !== undefined && { act: token.act }),
    ...(token.cnf !== undefined && { cnf: token.cnf }),
    ...authorizationDetails(details),
    [PRIVATE_CLAIM]: members,
  }
}

/** The claim of RFC 9396 section 9, and the member of a token response of the same name. */
export const authorizationDetails = (
  details: readonly GrantedDetail[] = [],
): { readonly authorization_details?: readonly AuthorizationDetail[] } =>
  details.length === 0 ? {} : { authorization_details: details.map(({ detail }) => detail) }

/** The members about an access token in a response of introspection (RFC 7662 section 2.2). */
export function introspectedClaims(token: AccessToken, issuer: string): Readonly<Record<string, unknown>> {
  return {
    iss: issuer,
    sub: token.subject,
    aud: token.audience,
    client_id: token.clientId,
    scope: token.scope,
    token_type: tokenTypeOf(token.cnf),
    jti: token.id,
    iat: token.issuedAt,
    nbf: token.issuedAt,
    exp: token.expiresAt,
    ...(token.authTime !== undefined && { auth_time: token.authTime }),
    ...(token.amr !== undefined && { amr: token.amr }),
    ...(token.acr !== undefined && { acr: token.acr }),
    ...(token.act !== undefined && { act: token.act }),
    ...(token.cnf !== undefined && { cnf: token.cnf }),
  }
}

/**
 * Reads the claims of a JWT that one of our keys signed as an access token; its shape is therefore ours. Undefined
 * when it names another issuer: one key set may have served two.
 */
export function accessTokenOfJwt(
  claims: Readonly<Record<string, unknown>>,
  issuer: string,
): AccessToken | undefined {
  if (claims.iss !== issuer) return undefined
  const {
    sub,
    aud,
    client_id,
    scope,
    jti,
    iat,
    exp,
    auth_time,
    amr,
    acr,
    act,
    cnf,
    authorization_details,
    ...rest
  } = claims as unknown as SignedClaims
  const { detailProjects = [], ...members } = rest[PRIVATE_CLAIM]
  return {
    id: jti,
    subject: sub,
    clientId: client_id,
    audience: aud,
    scope,
    issuedAt: iat,
    expiresAt: exp,
    ...(auth_time !== undefined && { authTime: auth_time }),
    ...(amr !== undefined && { amr }),
    ...(acr !== undefined && { acr }),
    ...(act !== undefined && { act }),
    ...(cnf !== undefined && { cnf }),
    ...members,
    ...(authorization_details !== undefined && {
      details: authorization_details.map((detail, at) => ({ projectId: detailProjects[at] ?? '', detail })),
    }),
  }
}

interface SignedClaims {
  readonly sub: string
  readonly aud: readonly string[]
  readonly client_id: string
  readonly scope: string
  readonly jti: string
  readonly iat: number
  readonly exp: number
  readonly auth_time?: number
  readonly amr?: readonly string[]
  readonly acr?: string
  readonly act?: Actor
  readonly cnf?: Confirmation
  readonly authorization_details?: readonly AuthorizationDetail[]
  readonly [PRIVATE_CLAIM]: PrivateMembers
}
