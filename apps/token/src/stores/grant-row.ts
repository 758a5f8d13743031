import type { AccessTokenType } from '@signet/directory-reader/views'
import type { Actor, RevocationFacts } from '@signet/tokens/access-token'
import type { Exchange, Grant } from './grant-store.ts'

/** A row of `grants.authorization_grant` as the statements of the grant store return it. */
export interface GrantRow {
  readonly grant_id: string
  readonly client_id: string
  readonly client_epoch: number
  readonly client_organization_id: string
  readonly client_organization_epoch: number
  readonly user_id: string
  readonly user_epoch: number
  readonly user_organization_id: string
  readonly user_organization_epoch: number
  readonly sid: string | null
  readonly scopes: readonly string[]
  readonly auth_time: Date | null
  readonly amr: readonly string[]
  readonly acr: string | null
  readonly userinfo_claims: readonly string[]
  readonly id_token_claims: readonly string[]
  readonly act: Actor | null
  readonly origins: readonly RevocationFacts[]
  readonly audience: readonly string[] | null
  readonly access_token_type: AccessTokenType | null
  readonly generation: number
  readonly refresh_kid: string | null
  readonly counter: number
}

export const GRANT_COLUMNS = `g.grant_id, g.client_id, g.client_epoch, g.client_organization_id,
  g.client_organization_epoch, g.user_id, g.user_epoch, g.user_organization_id, g.user_organization_epoch,
  g.sid, g.scopes, g.auth_time, g.amr, g.acr,
  g.userinfo_claims, g.id_token_claims,
  g.act, g.origins, g.audience, g.access_token_type, g.generation, g.refresh_kid, g.counter`

/**
 * True in SQL when the user `a` and the application `c` of grant `g` still are what they were when it was made, and the
 * database was not restored since. The table of the generation has one row, read once in a statement.
 */
export const GRANT_IS_ALIVE = `g.generation >= (SELECT value FROM grants.generation) AND a.user_id = g.user_id AND a.active
  AND a.token_epoch <= g.user_epoch AND a.organization_token_epoch <= g.user_organization_epoch
  AND c.client_id = g.client_id AND c.active
  AND c.token_epoch <= g.client_epoch AND c.organization_token_epoch <= g.client_organization_epoch`

/** True in SQL when nothing that the tokens rested on which grant `g` was exchanged for has ended by its epoch. */
export const ORIGINS_ARE_ALIVE = `(g.origins = '[]' OR grants.origins_are_alive(g.end_week, g.grant_id))`

export function grantOf(row: GrantRow): Grant {
  return {
    grantId: row.grant_id,
    clientId: row.client_id,
    client: { id: row.client_id, epoch: row.client_epoch },
    clientOrganization: { id: row.client_organization_id, epoch: row.client_organization_epoch },
    user: { id: row.user_id, epoch: row.user_epoch },
    userOrganization: { id: row.user_organization_id, epoch: row.user_organization_epoch },
    ...(row.sid !== null && { sid: row.sid }),
    scopes: row.scopes,
    generation: row.generation,
    ...(row.auth_time !== null && { authTime: row.auth_time }),
    amr: row.amr,
    ...(row.acr !== null && { acr: row.acr }),
    userinfoClaims: row.userinfo_claims,
    idTokenClaims: row.id_token_claims,
    ...exchangeOf(row),
    ...(row.refresh_kid !== null && { refreshKid: row.refresh_kid }),
  }
}

function exchangeOf(row: GrantRow): { exchange?: Exchange } {
  const { act, origins, audience, access_token_type: accessTokenType } = row
  if (audience === null || accessTokenType === null) return {}
  return { exchange: { ...(act !== null && { act }), origins, audience, accessTokenType } }
}
