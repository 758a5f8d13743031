import type { Queryable } from '@signet/platform/postgres/pool'

/**
 * Locks an account until the end of the transaction, so that no other one adds a factor to it. Every transaction that adds or
 * deletes a factor which a sign-in may demand takes this lock before it looks at the other factors.
 */
export async function lockFactors(tx: Queryable, userId: string): Promise<void> {
  await tx.query({
    name: 'account.lock_factors', // primary key
    text: 'SELECT FROM directory.account WHERE user_id = $1 FOR NO KEY UPDATE',
    values: [userId],
  })
}

/** SQL: whether the account of `userId` has a passkey of the relying party `rpId` that may follow a password. */
export const hasPasskeyAfterPassword = (userId: string, rpId: string) => `EXISTS (
  SELECT FROM directory.passkey k
    JOIN directory.account a USING (user_id)
    JOIN directory_read.passkey_policy_v1 p USING (organization_id)
   WHERE k.user_id = ${userId} AND k.rp_id = ${rpId} AND k.cloned_at IS NULL AND p.second_factor)`

/** Whether an account has a TOTP secret, or a passkey of the relying party that its policy accepts in any way. */
export async function hasFactor(tx: Queryable, userId: string, rpId: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'account.has_factor', // primary keys, passkey_of_user
    text: `SELECT FROM directory.account a JOIN directory_read.passkey_policy_v1 p USING (organization_id)
            WHERE a.user_id = $1
              AND (EXISTS (SELECT FROM directory.account_totp t WHERE t.user_id = a.user_id)
                   OR (p.sign_in OR p.second_factor) AND EXISTS (
                     SELECT FROM directory.passkey k
                      WHERE k.user_id = a.user_id AND k.rp_id = $2 AND k.cloned_at IS NULL))`,
    values: [userId, rpId],
  })
  return rowCount === 1
}
