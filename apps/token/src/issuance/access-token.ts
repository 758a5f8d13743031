import { type ClaimSettings, isWithinProject } from '@signet/directory-reader/application-claims'
import { type Claims, organizationClaims } from '@signet/directory-reader/claims'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import { withResourceUris } from '@signet/directory-reader/project-access'
import type { Account, Client, InstanceSettings } from '@signet/directory-reader/views'
import type { Logger } from '@signet/platform/logger/logger'
import { parseScopeString } from '@signet/protocol/scopes'
import { type AccessToken, sealAccessToken } from '@signet/tokens/access-token'
import { JWT_ACCESS_TOKEN_TYP, jwtAccessTokenClaims } from '@signet/tokens/access-token-reader'
import { newOpaqueIdentifier, type RandomBytes } from '@signet/tokens/identifiers'
import type { TokenKeys } from '../token-keys.ts'

export interface IssuanceDeps {
  readonly issuer: string
  readonly directory: DirectoryReader
  readonly keys: TokenKeys
  readonly random: RandomBytes
  /** Generation of the database; tokens of a lower one have ended. */
  readonly generation: () => number
  readonly logger: Pick<Logger, 'warn'>
}

export interface AccessTokenRequest {
  readonly token: Omit<AccessToken, 'id' | 'generation' | 'issuedAt' | 'expiresAt'>
  /** Id of the token where that is on record already; otherwise a new one. */
  readonly id?: string
  readonly form: TokenForm
  /** Account whose claims a JWT carries; absent when the subject is no user. */
  readonly account?: Account
}

export interface IssuedAccessToken {
  readonly value: string
  readonly expiresInSeconds: number
}

/** Makes an access token in the form that its application wants: self-contained, and stored nowhere. */
export async function issueAccessToken(
  deps: IssuanceDeps,
  { token: draft, id = newOpaqueIdentifier(deps.random), form, account }: AccessTokenRequest,
  now: Date,
): Promise<IssuedAccessToken> {
  const generation = deps.generation()
  const issuedAt = Math.floor(now.getTime() / 1000)
  const expiresInSeconds = form.accessTokenLifetimeSeconds
  const token: AccessToken = {
    ...draft,
    audience: await withResourceUris(deps.directory, draft.audience, {
      clientId: draft.clientId,
      projectId: form.projectId,
    }),
    id,
    issuedAt,
    expiresAt: issuedAt + expiresInSeconds,
    ...(generation > 0 && { generation }),
  }
  const value = form.accessTokenType === 'jwt' ? signed(deps, token, form, account) : sealed(deps, token)
  return { value: await value, expiresInSeconds }
}

function sealed({ keys }: IssuanceDeps, token: AccessToken): string {
  return sealAccessToken(token, keys.accessSealer(), keys.originKey())
}

/** RFC 9068. Resource servers read it offline, so it has the claims that introspection would add. */
async function signed(
  deps: IssuanceDeps,
  token: AccessToken,
  form: TokenForm,
  account: Account | undefined,
): Promise<string> {
  const claims = await signedClaims(deps, token, form, account)
  return deps.keys.sign(form.accessTokenSigningAlg, JWT_ACCESS_TOKEN_TYP, claims)
}

/** The claims of an access token as a JWT. */
export async function signedClaims(
  { directory, issuer }: Pick<IssuanceDeps, 'directory' | 'issuer'>,
  token: AccessToken,
  form: TokenForm,
  account: Account | undefined,
): Promise<Claims> {
  const claims = account && (await claimsOfUser(directory, token, form, account))
  return { ...claims, ...jwtAccessTokenClaims(token, issuer) }
}

async function claimsOfUser(
  directory: DirectoryReader,
  token: AccessToken,
  form: TokenForm,
  account: Account,
): Promise<Claims> {
  const { projectId } = form
  const isWithin = projectId !== null && (await isWithinProject(directory, token, projectId))
  return organizationClaims(directory, {
    account,
    scopes: parseScopeString(token.scope),
    projectId,
    audience: token.audience,
    assertRoles: form.accessTokenRoleAssertion,
    settings: isWithin ? form.claimSettings : undefined,
  })
}

/** How an application wants its tokens. */
export type TokenForm = Pick<
  Client,
  | 'projectId'
  | 'accessTokenType'
  | 'accessTokenSigningAlg'
  | 'accessTokenRoleAssertion'
  | 'idTokenSigningAlg'
  | 'idTokenUserinfoAssertion'
  | 'idTokenRoleAssertion'
> & {
  /** Absent for a service user: it has no project. */
  readonly claimSettings: ClaimSettings | undefined
  readonly accessTokenLifetimeSeconds: number
  readonly idTokenLifetimeSeconds: number
}

/** An application's own wishes, and the settings of the instance where it has none. */
export function tokenFormOf(client: Client, settings: InstanceSettings): TokenForm {
  return {
    ...client,
    claimSettings: client,
    accessTokenLifetimeSeconds: client.accessTokenLifetimeSeconds ?? settings.accessTokenLifetimeSeconds,
    idTokenLifetimeSeconds: client.idTokenLifetimeSeconds ?? settings.idTokenLifetimeSeconds,
  }
}
