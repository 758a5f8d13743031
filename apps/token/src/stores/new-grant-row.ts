import { endWeekOf } from '../grants/grant-id.ts'
import { GRANT_IS_ALIVE } from './grant-row.ts'
import type { NewGrant } from './grant-store.ts'

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
] as const satisfies readonly (readonly [string, string, (grant: NewGrant) => unknown])[]

export const NEW_GRANT_COLUMNS = COLUMNS.map(([column]) => column).join(', ')

/** In SQL: the row that `insertValues` describes, its parameters numbered from 1. */
export const NEW_GRANT = `SELECT ${COLUMNS.map(([column, type], index) => `$${index + 1}::${type} AS ${column}`).join(', ')}`

/** The first parameter that a statement may use beside those of the grant. */
export const AFTER_NEW_GRANT = COLUMNS.length + 1

export function insertValues(grant: NewGrant): readonly unknown[] {
  return COLUMNS.map(([, , read]) => read(grant))
}

/** True in SQL when nothing that the new grant `g` rests on has ended; its session is locked. */
export const MAY_BEGIN = `${GRANT_IS_ALIVE}
  AND NOT EXISTS (SELECT 1 FROM grants.revocation r WHERE r.kind = 's' AND r.id = g.sid)`

/**
 * True in SQL when the project of the application `c` and every project of an audience let the account `a` in, as
 * `projectRefusal` says it, by what is stored and not by what a replica remembers: access that was taken away since the
 * code was issued is taken away.
 */
export const PROJECTS_LET_IN = (audience: string): string => `NOT EXISTS (
  SELECT 1 FROM directory_read.project_v1 p
   WHERE p.project_id = ANY (${audience}::text[] || c.project_id::text)
     AND (p.has_project_check AND p.organization_id <> a.organization_id
          AND NOT EXISTS (SELECT 1 FROM directory_read.project_grant_v1 d
                           WHERE d.project_id = p.project_id AND d.granted_organization_id = a.organization_id)
       OR p.project_role_check
          AND NOT EXISTS (SELECT 1 FROM directory_read.user_grant_v1 u
                           WHERE u.user_id = a.user_id AND u.project_id = p.project_id
                             AND cardinality(u.role_keys) > 0)))`
