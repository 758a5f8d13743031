import {
  type Claims,
  claimsOfScopes,
  organizationClaims,
  projectAssertsRoles,
  wantsRoles,
} from '@signet/directory-reader/claims'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Account, Client } from '@signet/directory-reader/views'
import type { Clock } from '@signet/platform/runtime/clock'
import { formatScopeString, parseScopeString } from '@signet/protocol/scopes'
import type { AccessToken } from '@signet/tokens/access-token'
import { bearerForm } from '@signet/tokens/access-token-reader'
import type { AnswerMemory, MadeAnswer } from '../tokens/answer-memory.ts'
import type { FindLiveToken } from '../tokens/live-token.ts'
import { type FindPersonalToken, PERSONAL_TOKEN_SCOPES } from '../tokens/personal-token.ts'
import type { RememberedTokens } from '../tokens/remembered-tokens.ts'
import type { IntrospectionResponse } from './introspection-response.ts'

/**
 * The `IntrospectionResponse` for one caller, as JSON text; a token that is not meant for the caller is as inactive as
 * one that never was.
 */
export type Introspect = (token: string, caller: Client) => Promise<string>

interface Deps extends PersonalDeps {
  readonly answers: AnswerMemory
  readonly findLiveToken: FindLiveToken
  readonly tokens: Pick<RememberedTokens, 'remember'>
  readonly now: Clock
}

interface PersonalDeps {
  readonly issuer: string
  readonly directory: DirectoryReader
  readonly findPersonalToken: FindPersonalToken
}

const INACTIVE = written({ active: false })

export function introspect(deps: Deps): Introspect {
  const { issuer, directory, answers, tokens } = deps
  return async (value, caller) => {
    if (bearerForm(value) === 'personal') return introspectPersonal(deps, value, caller)
    const assertRoles = await projectAssertsRoles(directory, caller.projectId)
    const made = assertRoles ? undefined : answers.find(value, caller)
    if (made !== undefined) return (await isOver(made, deps.now)) ? INACTIVE : made.text
    const known = await deps.findLiveToken(value)
    if (known === undefined || !isInAudience(caller, known.token)) return INACTIVE
    const { token } = known
    if (token.user === undefined) {
      tokens.remember(value, known)
      return written(activeResponse(issuer, token))
    }
    const account = await directory.account(token.user.id)
    if (account === undefined || !account.active) return INACTIVE
    const scopes = parseScopeString(token.scope)
    const claims = await claimsFor(directory, { scopes, account, caller, assertRoles })
    const answer = written(activeResponse(issuer, token, { account, claims }))
    // Roles come from rows of their own, which may change while these stay.
    if (assertRoles || wantsRoles(scopes)) tokens.remember(value, known)
    else answers.keep(answer, { value, known, account }, caller)
    return answer
  }
}

async function isOver({ expiresAt, hasEnded }: MadeAnswer, now: Clock): Promise<boolean> {
  return expiresAt * 1000 <= now().getTime() || (await hasEnded())
}

/** A personal access token has no audience of its own: it is meant for every application of the instance. */
async function introspectPersonal(
  { issuer, directory, findPersonalToken }: PersonalDeps,
  value: string,
  caller: Client,
): Promise<string> {
  const found = caller.kind === 'application' ? await findPersonalToken(value) : undefined
  if (found === undefined) return INACTIVE
  const { token, account } = found
  const assertRoles = await projectAssertsRoles(directory, caller.projectId)
  return written({
    ...(await claimsFor(directory, { scopes: PERSONAL_TOKEN_SCOPES, account, caller, assertRoles })),
    active: true,
    iss: issuer,
    sub: account.userId,
    aud: caller.projectId === null ? [caller.clientId] : [caller.clientId, caller.projectId],
    scope: formatScopeString(PERSONAL_TOKEN_SCOPES),
    token_type: 'Bearer',
    jti: token.tokenId,
    ...(token.expiresAt !== null && { exp: Math.floor(token.expiresAt.getTime() / 1000) }),
    username: account.loginName,
  })
}

function written(response: IntrospectionResponse): string {
  return JSON.stringify(response)
}

function isInAudience({ clientId, projectId }: Client, { audience }: AccessToken): boolean {
  return audience.includes(clientId) || (projectId !== null && audience.includes(projectId))
}

/** The user's claims for the scopes; roles only of the caller's own project. */
async function claimsFor(
  directory: DirectoryReader,
  request: {
    readonly scopes: readonly string[]
    readonly account: Account
    readonly caller: Client
    readonly assertRoles: boolean
  },
): Promise<Claims> {
  const { scopes, account, caller, assertRoles } = request
  const { projectId } = caller
  const aboutOrganization = await organizationClaims(directory, {
    account,
    scopes,
    projectId,
    audience: [],
    assertRoles,
  })
  return { ...aboutOrganization, ...claimsOfScopes(account, scopes) }
}

function activeResponse(
  issuer: string,
  token: AccessToken,
  user?: { readonly account: Account; readonly claims: Claims },
): IntrospectionResponse {
  return {
    ...user?.claims,
    active: true,
    iss: issuer,
    sub: token.subject,
    aud: token.audience,
    client_id: token.clientId,
    scope: token.scope,
    token_type: 'Bearer',
    jti: token.id,
    iat: token.issuedAt,
    nbf: token.issuedAt,
    exp: token.expiresAt,
    ...(user !== undefined && { username: user.account.loginName }),
    ...(token.authTime !== undefined && { auth_time: token.authTime }),
    ...(token.amr !== undefined && { amr: token.amr }),
    ...(token.act !== undefined && { act: token.act }),
  }
}
