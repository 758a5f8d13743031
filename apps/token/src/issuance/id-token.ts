import { type Claims, claimsNamed, claimsOfScopes, organizationClaims } from '@signet/directory-reader/claims'
import type { Account } from '@signet/directory-reader/views'
import type { Actor } from '@signet/tokens/access-token'
import { halfHash, type IdTokenEpochs, newIdTokenId } from '@signet/tokens/id-token'
import type { IssuanceDeps, TokenForm } from './access-token.ts'

export interface IdTokenRequest {
  readonly account: Account
  readonly clientId: string
  readonly form: TokenForm
  readonly scopes: readonly string[]
  /** Audience of the access token: the projects whose roles may be shown. */
  readonly audience: readonly string[]
  /** Claims that were asked for by name. */
  readonly claimNames?: readonly string[]
  /** The access token that is issued with it, if one is. */
  readonly accessToken?: string
  /** Id of the token where that is on record already; otherwise a new one. */
  readonly id?: string
  /** Epochs under which the token is made. */
  readonly epochs: IdTokenEpochs
  /** Claims about this authentication. */
  readonly authentication: {
    /** Seconds since 1970. */
    readonly auth_time?: number
    readonly amr?: readonly string[]
    readonly acr?: string
    readonly sid?: string
    readonly nonce?: string
    readonly act?: Actor
  }
}

/** A cookie, in which many applications store their ID tokens, has 4,096 bytes (RFC 6265 section 6.1). */
const LARGE_CHARACTERS = 4_096

/** Makes and signs an ID token (OIDC Core section 2) with the algorithm of the application. */
export async function issueIdToken(
  { issuer, directory, keys, random, logger }: IssuanceDeps,
  request: IdTokenRequest,
  now: Date,
): Promise<string> {
  const { clientId, form, accessToken } = request
  const claims = await idTokenClaims({ issuer, directory }, request, now)
  const idToken = await keys.sign(form.idTokenSigningAlg, 'JWT', {
    ...claims,
    jti: request.id ?? newIdTokenId(random, request.epochs),
    ...(accessToken !== undefined && { at_hash: halfHash(accessToken, form.idTokenSigningAlg) }),
  })
  if (idToken.length > LARGE_CHARACTERS) {
    logger.warn('id_token_large', {
      clientId,
      count: idToken.length,
      reason: 'an ID token of more than 4096 characters does not fit into a cookie',
    })
  }
  return idToken
}

/** The claims of an ID token, without those that only an issued one has: `jti` and `at_hash`. */
export async function idTokenClaims(
  { issuer, directory }: Pick<IssuanceDeps, 'issuer' | 'directory'>,
  request: Omit<IdTokenRequest, 'id' | 'epochs' | 'accessToken'> & { readonly accessToken?: unknown },
  now: Date,
): Promise<Claims> {
  const { account, clientId, form, scopes } = request
  const issuedAt = Math.floor(now.getTime() / 1000)
  // OIDC Core section 5.4: with an access token at hand the claims of the scopes belong to userinfo, unless the
  // application asked for both.
  const withScopes = request.accessToken === undefined || form.idTokenUserinfoAssertion
  const aboutOrganization = await organizationClaims(directory, {
    account,
    scopes,
    projectId: form.projectId,
    audience: request.audience,
    assertRoles: form.idTokenRoleAssertion,
    settings: form.claimSettings,
    omitsGroups: !withScopes && !form.idTokenRoleAssertion,
  })
  return {
    ...aboutOrganization,
    ...(withScopes && claimsOfScopes(account, scopes, form.claimSettings)),
    ...claimsNamed(account, request.claimNames ?? [], form.claimSettings),
    iss: issuer,
    sub: account.userId,
    // OIDC Core section 2: one audience may be a string, and some clients read nothing else.
    aud: clientId,
    azp: clientId,
    exp: issuedAt + form.idTokenLifetimeSeconds,
    iat: issuedAt,
    ...request.authentication,
  }
}
