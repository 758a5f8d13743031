import type { Queryable } from '@signet/platform/postgres/pool'
import { IDENTIFIER } from '@signet/tokens/identifiers'

/** How a service user gets a client_id that is not chosen for it. */
export interface DefaultClientId {
  /** Whether it may have one that a deleted service user of its organization had. */
  readonly reuses: boolean
  /** Taken when its user name was the id of something deleted. */
  readonly generatedClientId: string
}

interface NewServiceUser extends DefaultClientId {
  readonly userId: string
  readonly organizationId: string
  /** Its client id until it has a `client_id`; null: it gets one in another way. */
  readonly userName: string | null
}

/**
 * The client_id is the user name; where that was taken before, a generated one; where it is taken, or a project of
 * another organization is called so, userName@primaryDomain.
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
                                 (2, CASE WHEN ${barred('$2', '$3', '$5::boolean')} THEN $6::text END),
                                 (3, $2 || '@' || o.primary_domain)) c (rank, candidate)
                        WHERE candidate ~ $4 AND candidate NOT IN ('signet', 'zitadel')
                          AND NOT EXISTS (SELECT FROM directory.principal p
                                           WHERE p.principal_id = candidate AND p.owner_id <> $1::text)
                          AND NOT directory.is_foreign_project(candidate, $3)
                          AND NOT ${barred('candidate', '$3', '$5::boolean')}
                        ORDER BY rank LIMIT 1)
             FROM directory.organization o WHERE o.organization_id = $3::text`,
    values: [userId, userName, organizationId, IDENTIFIER.source, reuses, generatedClientId],
  })
}

/** SQL: whether something that was deleted had the id and keeps a new service user of the organization from having it. */
export function barred(id: string, organizationId: string, reuses: string): string {
  return `EXISTS (SELECT FROM directory.tombstone t
                   WHERE t.id = ${id} AND t.kind IN ('human', 'service_user', 'client')
                     AND NOT (${reuses} AND t.kind = 'service_user' AND t.organization_id IS NOT DISTINCT FROM ${organizationId}))`
}
