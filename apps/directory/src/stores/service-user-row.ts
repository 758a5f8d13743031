import type { Queryable } from '@signet/postgres/pool'
import { IDENTIFIER } from '@signet/token-format/identifiers'

interface NewServiceUser {
  readonly userId: string
  readonly organizationId: string
  /** What it is called by until it has a `client_id` of its own; null: it gets one in another way. */
  readonly userName: string | null
}

/** identity.md: the client_id is the user name; where that is taken, userName@primaryDomain. */
export async function addServiceUserRow(
  tx: Queryable,
  { userId, organizationId, userName }: NewServiceUser,
): Promise<void> {
  await tx.query({
    name: 'service_user.add', // primary keys of principal and organization
    text: `INSERT INTO directory.service_user (user_id, client_id)
           SELECT $1::text, (SELECT candidate FROM (VALUES (1, $2::text), (2, $2 || '@' || o.primary_domain)) c (rank, candidate)
                        WHERE candidate ~ $4 AND candidate NOT IN ('signet', 'zitadel')
                          AND NOT EXISTS (SELECT FROM directory.principal p
                                           WHERE p.principal_id = candidate AND p.owner_id <> $1::text)
                        ORDER BY rank LIMIT 1)
             FROM directory.organization o WHERE o.organization_id = $3::text`,
    values: [userId, userName, organizationId, IDENTIFIER.source],
  })
}
