// The claims of the responses of introspection and userinfo, for the endpoints and for previews of tokens.

import { parseScopeString } from '@signet/protocol/scopes'
import type { AccessToken } from '@signet/tokens/access-token'
import { isWithinProject } from './application-claims.ts'
import {
  type Claims,
  claimsNamed,
  claimsOfScopes,
  organizationClaims,
  projectAssertsRoles,
} from './claims.ts'
import type { DirectoryReader } from './directory-reader.ts'
import type { Account, Client } from './views.ts'

/** The claims of a user for the scopes of a token, as introspection shows them to a client; roles only of its own project. */
export async function introspectionClaims(
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
    settings: caller,
  })
  return { ...aboutOrganization, ...claimsOfScopes(account, scopes, caller) }
}

/**
 * OIDC Core sections 5.3 and 5.5: the claims that the scopes of an access token reveal about its user, and those that its client
 * asked for by name, and who acts for the user (RFC 8693 section 4.1). `client` is absent when it was deleted.
 */
export async function userinfoClaims(
  directory: DirectoryReader,
  {
    account,
    client,
    token,
  }: {
    readonly account: Account
    readonly client: Client | undefined
    readonly token: Pick<
      AccessToken,
      'subject' | 'scope' | 'audience' | 'clientId' | 'userinfoClaims' | 'act'
    >
  },
): Promise<Claims> {
  const scopes = parseScopeString(token.scope)
  const projectId = client?.projectId ?? null
  const isWithin = projectId !== null && (await isWithinProject(directory, token, projectId))
  const aboutOrganization = await organizationClaims(directory, {
    account,
    scopes,
    projectId,
    audience: token.audience,
    assertRoles: await projectAssertsRoles(directory, projectId),
    settings: isWithin ? client : undefined,
  })
  return {
    ...aboutOrganization,
    ...claimsOfScopes(account, scopes, client),
    ...claimsNamed(account, token.userinfoClaims ?? [], client),
    sub: token.subject,
    // An API that reads a token here alone learns who acts, as one that introspects it does.
    ...(token.act !== undefined && { act: token.act }),
  }
}
