import type { Client } from '@signet/directory-reader/views'
import { formatScopeString } from '@signet/oauth-protocol/scope-string'
import type { AccessToken } from '@signet/token-format/access-token'
import { newOpaqueIdentifier, type RandomBytes } from '@signet/token-format/identifiers'
import type { TokenKeys } from '../keys/token-keys.ts'
import type { Grant } from '../stores/grant-store.ts'
import { writeAccessToken } from './write-access-token.ts'

export interface IssuedAccessToken {
  readonly value: string
  readonly expiresInSeconds: number
}

/** Makes the access token of a user's grant: self-contained and stored nowhere. */
export async function issueAccessToken(
  deps: { readonly issuer: string; readonly keys: TokenKeys; readonly random: RandomBytes },
  {
    client,
    grant,
    scopes,
  }: { readonly client: Client; readonly grant: Grant; readonly scopes: readonly string[] },
  lifetimeSeconds: number,
  now: Date,
): Promise<IssuedAccessToken> {
  const issuedAt = Math.floor(now.getTime() / 1000)
  const outlivesSession = client.refreshTokensSurviveLogout && grant.refreshKid !== undefined
  const token: AccessToken = {
    id: newOpaqueIdentifier(deps.random),
    subject: grant.user.id,
    clientId: client.clientId,
    audience: audienceOf(client),
    scope: formatScopeString(scopes),
    issuedAt,
    expiresAt: issuedAt + lifetimeSeconds,
    authTime: Math.floor(grant.authTime.getTime() / 1000),
    amr: grant.amr,
    ...(grant.acr !== undefined && { acr: grant.acr }),
    ...(grant.userinfoClaims.length > 0 && { userinfoClaims: grant.userinfoClaims }),
    // A token that outlives the browser session must not die with it.
    ...(!outlivesSession && { sid: grant.sid }),
    grantId: grant.grantId,
    user: grant.user,
    client: grant.client,
    organizations: distinctMarks(grant),
  }
  return {
    value: await writeAccessToken(deps, token, client),
    expiresInSeconds: lifetimeSeconds,
  }
}

/** `aud`: the application and the project that it belongs to, whose other applications may introspect it. */
function audienceOf(client: Client): readonly string[] {
  return client.projectId === null ? [client.clientId] : [client.clientId, client.projectId]
}

function distinctMarks({ userOrganization, clientOrganization }: Grant) {
  const same =
    userOrganization.id === clientOrganization.id && userOrganization.epoch === clientOrganization.epoch
  return same ? [userOrganization] : [userOrganization, clientOrganization]
}
