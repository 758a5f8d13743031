import type { AccessTokenType } from '@signet/directory-reader/views'
import type { GrantedDetail } from '@signet/protocol/authorization-details'
import { listRevocationKeys } from '@signet/revocation-reader/endings'
import type { Actor, RevocationKeys } from '@signet/tokens/access-token'
import type { Exchange, Grant, NewGrant } from '../grant-store.ts'
import { endWeekOf } from '../partitions/partition-plan.ts'

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
  readonly origins: readonly RevocationKeys[]
  readonly audience: readonly string[] | null
  readonly access_token_type: AccessTokenType | null
  readonly generation: number
  readonly refresh_kid: string | null
  readonly counter: number
  readonly bound_to: string | null
  readonly authorization_details: readonly GrantedDetail[] | null
}

export const GRANT_COLUMNS = `g.grant_id, g.client_id, g.client_epoch, g.client_organization_id,
  g.client_organization_epoch, g.user_id, g.user_epoch, g.user_organization_id, g.user_organization_epoch,
  g.sid, g.scopes, g.auth_time, g.amr, g.acr,
  g.userinfo_claims, g.id_token_claims,
  g.act, g.origins, g.audience, g.access_token_type, g.generation, g.refresh_kid, g.counter, g.bound_to,
  g.authorization_details`

/**
 * True in SQL when the user `a` and the application `c` of grant `g` are active and have the epochs of the grant, and the
 * database was not restored since. The table of the generation has one row, read once in a statement.
 */
export const GRANT_EPOCHS_CURRENT_SQL = `g.generation >= (SELECT value FROM grants.generation) AND a.user_id = g.user_id AND a.active
  AND a.token_epoch <= g.user_epoch AND a.organization_token_epoch <= g.user_organization_epoch
  AND c.client_id = g.client_id AND c.active
  AND c.token_epoch <= g.client_epoch AND c.organization_token_epoch <= g.client_organization_epoch`

/** True in SQL when no user, application or organization of the tokens that grant `g` was exchanged for has a higher epoch. */
export const ORIGINS_NOT_ENDED_SQL = `(g.origins = '[]' OR grants.origins_are_alive(g.end_week, g.grant_id))`

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
    ...(row.authorization_details !== null && { details: row.authorization_details }),
    ...exchangeOf(row),
    ...(row.refresh_kid !== null && { refreshKid: row.refresh_kid }),
  }
}

function exchangeOf(row: GrantRow): { exchange?: Exchange } {
  const { act, origins, audience, access_token_type: accessTokenType } = row
  if (audience === null || accessTokenType === null) return {}
  return { exchange: { ...(act !== null && { act }), origins, audience, accessTokenType } }
}

/** The columns that a grant begins with, in the order of `insertValues`. */
const COLUMNS = [
  ['end_week', 'integer', (grant) => endWeekOf(grant.grantId)],
  ['grant_id', 'text', (grant) => grant.grantId],
  ['client_id', 'text', (grant) => grant.clientId],
  ['client_epoch', 'bigint', (grant) => grant.client.epoch],
  ['client_organization_id', 'text', (grant) => grant.clientOrganization.id],
  ['client_organization_epoch', 'bigint', (grant) => grant.clientOrganization.epoch],
  ['user_id', 'text', (grant) => grant.user.id],
  ['user_epoch', 'bigint', (grant) => grant.user.epoch],
  ['user_organization_id', 'text', (grant) => grant.userOrganization.id],
  ['user_organization_epoch', 'bigint', (grant) => grant.userOrganization.epoch],
  ['sid', 'text', (grant) => grant.sid ?? null],
  ['scopes', 'text[]', (grant) => grant.scopes],
  ['auth_time', 'timestamptz', (grant) => grant.authTime ?? null],
  ['amr', 'text[]', (grant) => grant.amr],
  ['acr', 'text', (grant) => grant.acr ?? null],
  ['userinfo_claims', 'text[]', (grant) => grant.userinfoClaims],
  ['id_token_claims', 'text[]', (grant) => grant.idTokenClaims],
  ['act', 'jsonb', ({ exchange }) => (exchange?.act === undefined ? null : JSON.stringify(exchange.act))],
  ['origins', 'jsonb', (grant) => JSON.stringify(grant.exchange?.origins ?? [])],
  ['audience', 'text[]', (grant) => grant.exchange?.audience ?? null],
  ['access_token_type', 'text', (grant) => grant.exchange?.accessTokenType ?? null],
  ['generation', 'bigint', (grant) => grant.generation],
  ['created_at', 'timestamptz', (grant) => grant.createdAt],
  ['refresh_kid', 'text', (grant) => grant.refreshKid ?? null],
  ['idle_end', 'timestamptz', (grant) => grant.idleEnd],
  ['absolute_end', 'timestamptz', (grant) => grant.absoluteEnd],
  ['bound_to', 'text', (grant) => grant.boundTo ?? null],
  [
    'authorization_details',
    'jsonb',
    ({ details }) => (details === undefined ? null : JSON.stringify(details)),
  ],
] as const satisfies readonly (readonly [string, string, (grant: NewGrant) => unknown])[]

export const NEW_GRANT_COLUMNS = COLUMNS.map(([column]) => column).join(', ')

/** Row that `insertValues` describes, as SQL with parameters numbered from 1. */
export const NEW_GRANT = `SELECT ${COLUMNS.map(([column, type], index) => `$${index + 1}::${type} AS ${column}`).join(', ')}`

/** The first parameter that a statement may use beside those of the grant. */
export const AFTER_NEW_GRANT = COLUMNS.length + 1

export function insertValues(grant: NewGrant): readonly unknown[] {
  return COLUMNS.map(([, , read]) => read(grant))
}

/** True in SQL when the epochs of the new grant `g` are current and its session, which is locked, was not revoked. */
export const GRANT_NOT_ENDED_SQL = `${GRANT_EPOCHS_CURRENT_SQL}
  AND NOT EXISTS (SELECT 1 FROM grants.revocation r WHERE r.kind = 's' AND r.id = g.sid)`

/**
 * True in SQL when the project of the application `c` and every project of an audience admit the account `a`,
 * by the rules of `projectRefusal`. Reads the tables and not a cache: access that was removed since the
 * code was issued counts as removed.
 */
export const projectsAdmitUserSql = (audience: string): string => `NOT EXISTS (
  SELECT 1 FROM directory_read.project_v1 p
   WHERE p.project_id = ANY (${audience}::text[] || c.project_id::text)
     AND (p.has_project_check AND p.organization_id <> a.organization_id
          AND NOT EXISTS (SELECT 1 FROM directory_read.project_grant_v1 d
                           WHERE d.project_id = p.project_id AND d.granted_organization_id = a.organization_id)
       OR p.project_role_check
          AND NOT EXISTS (SELECT 1 FROM directory_read.user_grant_v1 u
                           WHERE u.user_id = a.user_id AND u.project_id = p.project_id
                             AND cardinality(u.role_keys) > 0)))`

/** The parameters of `originsNotEndedSql`; undefined for a grant that rests on its session alone. */
export function originsOf({ exchange }: NewGrant): readonly unknown[] | undefined {
  if (exchange === undefined) return undefined
  const keys = exchange.origins
    .flatMap((origin) => listRevocationKeys(origin))
    .filter(({ kind }) => kind !== 'k')
  return [keys.map(({ kind }) => kind), keys.map(({ id }) => id), keys.map(({ epoch }) => epoch ?? null)]
}

/** True in SQL when nothing has ended that the session of an impersonation rests on; its parameters are numbered from `first`. */
export const originsNotEndedSql = (first: number): string => `NOT EXISTS (
  SELECT FROM unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::bigint[]) AS origin (kind, id, epoch)
   WHERE CASE origin.kind
     WHEN 'u' THEN NOT EXISTS (SELECT FROM directory_read.account_life_v1 actor
                                WHERE actor.user_id = origin.id AND actor.active AND actor.token_epoch <= origin.epoch)
     WHEN 'o' THEN NOT EXISTS (SELECT FROM directory_read.organization_v1 n
                                WHERE n.organization_id = origin.id AND n.active AND n.token_epoch <= origin.epoch)
     ELSE EXISTS (SELECT FROM grants.revocation r WHERE r.kind = origin.kind AND r.id = origin.id) END)`
