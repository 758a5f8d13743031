import type { Queryable } from '@signet/platform/postgres/pool'

/**
 * Whether people of an organization, or of the default one without an id, may reset their passwords by e-mail: a server
 * can send messages, and the login policy does not hide it. Not cached; only login may ask.
 */
export async function offersPasswordReset(
  database: Queryable,
  organizationId: string | undefined,
): Promise<boolean> {
  const { rows } = await database.query<{ offered: boolean }>({
    name: 'directory_reader.password_reset', // primary keys
    text: `SELECT offered FROM directory_read.password_reset_v1
            WHERE organization_id = coalesce($1::text, (SELECT default_organization_id FROM directory_read.setting_v1))`,
    values: [organizationId ?? null],
  })
  return rows[0]?.offered ?? false
}
