import type { RecordOf } from '@signet/file-formats/export/records'
import type { Queryable } from '@signet/platform/postgres/pool'

/** A verified e-mail signs in while one account has it. */
export async function sharedEmailNotes(
  users: readonly RecordOf<'humanUsers'>[],
  tx: Queryable,
): Promise<readonly string[]> {
  const ids = users.flatMap(({ userId, user }) => (user.email?.isEmailVerified === true ? [userId] : []))
  if (ids.length === 0) return []
  const { rows } = await tx.query<{ count: number }>({
    name: 'transfer.account.shared_emails', // primary key, account_verified_email
    text: `SELECT count(*)::int AS count FROM directory.account a
            WHERE a.user_id = ANY ($1::text[]) AND a.email_verified
              AND EXISTS (SELECT FROM directory.account b
                           WHERE b.email_key = a.email_key AND b.email_verified AND b.user_id <> a.user_id)`,
    values: [ids],
  })
  const count = rows[0]?.count ?? 0
  if (count === 0) return []
  return [
    `${count} people have a verified e-mail address that another account has: it signs neither of them in`,
  ]
}
