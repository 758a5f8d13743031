import type { Queryable } from '@signet/platform/postgres/pool'
import { IDENTIFIER } from '@signet/tokens/identifiers'

/** How a service user gets a client_id that is not chosen for it. */
export interface DefaultClientId {
  /** Whether it may get the client_id of a deleted service user of its organization. */
  readonly reuses: boolean
  /** Used if a tombstone reserves the user name. */
  readonly generatedClientId: string
}

interface NewServiceUser extends DefaultClientId {
  readonly userId: string
  readonly organizationId: string
  /** Default client id; null when the caller sets one. */
  readonly userName: string | null
}

/**
 * The client_id is the user name. If a tombstone reserves the user name, the client_id is generated; if another principal or a
 * project of another organization has it, the client_id is userName@primaryDomain.
 */
export async function addServiceUserRow(
  tx: Queryable,
  { userId, organizationId, userName, reuses, generatedClientId }: NewServiceUser,
): Promise<void> {
  await tx.query({
    name: 'service_user.add', // primary keys of principal, tombstone and organization
    text: `INSERT INTO directory.service_user (user_id, client_id)
           SELECT $1::text, (SELECT candidate FROM (
                          VALUES (1, $2::text),
                                 (2, CASE WHEN ${isReservedByTombstone('$2', '$3', '$5::boolean')} THEN $6::text END),
                                 (3, $2 || '@' || o.primary_domain)) c (rank, candidate)
                        WHERE candidate ~ $4 AND candidate NOT IN ('signet', 'zitadel')
                          AND NOT EXISTS (SELECT FROM directory.principal p
                                           WHERE p.principal_id = candidate AND p.owner_id <> $1::text)
                          AND NOT directory.is_foreign_project(candidate, $3)
                          AND NOT ${isReservedByTombstone('candidate', '$3', '$5::boolean')}
                        ORDER BY rank LIMIT 1)
             FROM directory.organization o WHERE o.organization_id = $3::text`,
    values: [userId, userName, organizationId, IDENTIFIER.source, reuses, generatedClientId],
  })
}

/**
 * SQL: whether the tombstone of a deleted account or client reserves an id, so that a new service user of the organization
 * cannot have it. With `reuses` it ignores the tombstones of service users of the same organization.
 */
export function isReservedByTombstone(id: string, organizationId: string, reuses: string): string {
  return `EXISTS (SELECT FROM directory.tombstone t
                   WHERE t.id = ${id} AND t.kind IN ('human', 'service_user', 'client')
                     AND NOT (${reuses} AND t.kind = 'service_user' AND t.organization_id IS NOT DISTINCT FROM ${organizationId}))`
}
