import type { Claims } from '@signet/directory-reader/claims'
import { projectAssertsRoles } from '@signet/directory-reader/claims'
import { introspectionClaims, userinfoClaims } from '@signet/directory-reader/endpoint-claims'
import {
  mayNameAudiences,
  projectRefusal,
  projectsOfResources,
  type ResourceDirectory,
  withResourceUris,
} from '@signet/directory-reader/project-access'
import type { Account, Client } from '@signet/directory-reader/views'
import { InvalidTargetError } from '@signet/protocol/errors'
import { GRANT_TYPES } from '@signet/protocol/grant-types'
import { audienceScope } from '@signet/protocol/resource-indicator'
import { namedAudiences, type ScopeDrop, scopeDrop } from '@signet/protocol/scopes'
import type { AccessToken } from '@signet/tokens/access-token'
import { introspectedClaims, PRIVATE_CLAIM } from '@signet/tokens/access-token-reader'
import { type IssuanceDeps, signedClaims, tokenFormOf } from './access-token.ts'
import { idTokenClaims } from './id-token.ts'
import { accessTokenOfGrant, idTokenOfGrant } from './issue-tokens.ts'
import { newGrant } from './new-grant.ts'
import { areOfOrganization, audienceOf } from './scopes.ts'

interface PreviewRequest {
  readonly userId: string
  readonly clientId: string
  /** Scopes in the order of the request. */
  readonly scopes: readonly string[]
  /** URIs of the parameter `resource` of the request. */
  readonly resources: readonly string[]
  /** The grant by which the application gets the tokens; empty: the authorization code. */
  readonly grantType: string
}

interface Refusal {
  readonly reason: string
  /** The project whose rule refuses. */
  readonly projectId?: string
  /** The URI that the request may not name. */
  readonly resource?: string
}

/** The tokens of a sign-in by the code flow or on a device. */
interface TokenPreview {
  readonly scopes: readonly string[]
  readonly droppedScopes: readonly { readonly scope: string; readonly reason: ScopeDrop }[]
  /** The rules that would refuse the sign-in. The claims are those of one that no rule refuses. */
  readonly refusals: readonly Refusal[]
  readonly accessTokenIsJwt: boolean
  /** The claims of the JWT; of an opaque token the response of introspection to the application. */
  readonly accessToken: Claims
  readonly idToken: Claims
  readonly userinfo: Claims
}

/** Undefined when the user or the application does not exist. */
export type PreviewTokens = (request: PreviewRequest) => Promise<TokenPreview | undefined>

interface Deps extends Pick<IssuanceDeps, 'issuer' | 'directory' | 'random'> {
  readonly now: () => Date
}

/**
 * Evaluates what the tokens of a user would contain, by the functions that issue them. Nothing is issued or stored. Claims of one
 * sign-in or one token are absent: `jti`, `sid`, `auth_time`, `amr`, `acr`, `nonce`, `at_hash`.
 */
export function createPreviewTokens({ issuer, directory, random, now: clock }: Deps): PreviewTokens {
  return async ({ userId, clientId, scopes: asked, resources, grantType }) => {
    const [account, client, settings] = await Promise.all([
      directory.account(userId),
      directory.client(clientId),
      directory.settings(),
    ])
    if (account === undefined || client?.kind !== 'application') return undefined
    const mayRefresh = client.grantTypes.includes(GRANT_TYPES.refreshToken)
    const droppedScopes = asked.flatMap((scope) => {
      const reason = scopeDrop(scope, mayRefresh)
      return reason === undefined ? [] : [{ scope, reason }]
    })
    const named = await namedProjects({ directory, issuer }, client, resources)
    const kept = asked.filter((scope) => scopeDrop(scope, mayRefresh) === undefined)
    const scopes = [...new Set([...kept, ...named.projectIds.map(audienceScope)])]
    const audience = audienceOf(client, scopes)
    const now = clock()
    const grant = newGrant({ random, settings }, authorizationOf(account, client, scopes), now)
    const use = { grant, client, account, form: tokenFormOf(client, settings), scopes, audience }
    const issuedAt = Math.floor(now.getTime() / 1000)
    const expiresAt = issuedAt + use.form.accessTokenLifetimeSeconds
    const withUris = await withResourceUris(directory, audience, client)
    const token: AccessToken = {
      ...accessTokenOfGrant(use).token,
      ...{ audience: withUris, id: '', issuedAt, expiresAt },
    }
    const isJwt = use.form.accessTokenType === 'jwt'
    const {
      jti: _id,
      [PRIVATE_CLAIM]: _private,
      ...accessToken
    } = isJwt
      ? await signedClaims({ directory, issuer }, token, use.form, account)
      : await introspected(token, account, client)
    return {
      scopes,
      droppedScopes,
      refusals: [
        ...named.refusals,
        ...(await refusalsOf(directory, account, client, {
          ...{ scopes, audience, grantType: grantType || GRANT_TYPES.authorizationCode },
        })),
      ],
      accessTokenIsJwt: isJwt,
      accessToken,
      idToken: await idTokenClaims(
        { issuer, directory },
        { ...idTokenOfGrant(use, undefined, undefined), accessToken: token },
        now,
      ),
      userinfo: await userinfoClaims(directory, { account, client, token }),
    }
  }

  async function introspected(token: AccessToken, account: Account, client: Client): Promise<Claims> {
    const assertRoles = await projectAssertsRoles(directory, client.projectId)
    const scopes = token.scope.split(' ')
    return {
      ...(await introspectionClaims(directory, { scopes, account, caller: client, assertRoles })),
      active: true,
      ...introspectedClaims(token, issuer),
      username: account.loginName,
    }
  }
}

/** The projects of the resources of a request, and the resources that the application may not name. */
async function namedProjects(deps: ResourceDirectory, client: Client, resources: readonly string[]) {
  const refusals: Refusal[] = []
  const found = resources.map(async (resource) => {
    try {
      return await projectsOfResources(deps, client, resource)
    } catch (error) {
      if (!(error instanceof InvalidTargetError)) throw error
      refusals.push({ reason: 'resource_unknown', resource })
      return []
    }
  })
  return { projectIds: (await Promise.all(found)).flat(), refusals }
}

async function refusalsOf(
  directory: Deps['directory'],
  account: Account,
  client: Client,
  {
    scopes,
    audience,
    grantType,
  }: {
    readonly scopes: readonly string[]
    readonly audience: readonly string[]
    readonly grantType: string
  },
): Promise<readonly Refusal[]> {
  const organization = {
    organizationId: account.organizationId,
    primaryDomain: account.organizationPrimaryDomain,
  }
  const rules: readonly (readonly [reason: string, isMet: boolean])[] = [
    ['application_not_active', client.active],
    ['grant_type_not_allowed', client.grantTypes.some((allowed) => allowed === grantType)],
    ['scope_without_openid', scopes.includes('openid')],
    ['audience_not_allowed', await mayNameAudiences(directory, client, namedAudiences(scopes))],
    ['user_not_human', account.kind === 'human'],
    ['user_not_active', account.active],
    ['scope_of_other_organization', areOfOrganization(scopes, organization)],
  ]
  const ofProjects = await Promise.all(
    audience.map((projectId) => projectRefusal(directory, [projectId], account.userId)),
  )
  return [
    ...rules.flatMap(([reason, isMet]) => (isMet ? [] : [{ reason }])),
    ...ofProjects.flatMap((refusal) => refusal ?? []),
  ]
}

function authorizationOf(account: Account, client: Client, scopes: readonly string[]) {
  return {
    client: { id: client.clientId, epoch: client.tokenEpoch },
    clientOrganization: { id: client.organizationId, epoch: client.organizationTokenEpoch },
    user: { id: account.userId, epoch: account.tokenEpoch },
    userOrganization: { id: account.organizationId, epoch: account.organizationTokenEpoch },
    scopes,
    amr: [],
  }
}
