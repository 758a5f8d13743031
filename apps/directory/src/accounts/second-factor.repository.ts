import type { Queryable } from '@signet/platform/postgres/pool'
import { factorDemand } from '@signet/protocol/factor-demand'
import type { DeletedFactors } from './deleted-factors.ts'

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

/** Deletes all second factors, passkeys, recovery codes and trusted browsers of a person. */
export async function deleteFactors(tx: Queryable, userId: string): Promise<DeletedFactors> {
  await lockFactors(tx, userId)
  // Trust and codes come first: triggers delete the trust with any factor, and the codes with the last one.
  const { rows } = await tx.query<{ count: number }>({
    name: 'trusted_browser.count', // primary key
    text: 'SELECT count(*)::int AS count FROM directory.trusted_browser WHERE user_id = $1',
    values: [userId],
  })
  const deleteFrom = async (table: string) => {
    const { rowCount } = await tx.query({
      name: `account.delete_factors_${table}`, // primary key, passkey_of_user
      text: `DELETE FROM directory.${table} WHERE user_id = $1`,
      values: [userId],
    })
    return rowCount ?? 0
  }
  const recoveryCodes = await deleteFrom('recovery_code')
  await deleteFrom('browser_trust')
  const authenticators = await deleteFrom('account_totp')
  const passkeys = await deleteFrom('passkey')
  return { authenticators, passkeys, recoveryCodes, trustedBrowsers: rows[0]?.count ?? 0 }
}

/** The second factors of people as administrators delete them. */
export class ManagedFactorStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  /** All of one person, in the transaction of the caller. */
  delete(userId: string): Promise<DeletedFactors> {
    return deleteFactors(this.#database, userId)
  }
}

/** SQL: whether the account of `userId` has a passkey of the relying party `rpId` that may follow a password. */
export const hasPasskeyAfterPassword = (userId: string, rpId: string) => `EXISTS (
  SELECT FROM directory.passkey k
    JOIN directory.account a USING (user_id)
    JOIN directory.effective_policy_v1 p USING (organization_id)
   WHERE k.user_id = ${userId} AND k.rp_id = ${rpId} AND k.cloned_at IS NULL AND p.passkey_second_factor)`

/**
 * SQL: whether the account of `userId` has a passkey. One that does not count (marked as copied, of another relying party, not
 * accepted by the policy) still proves that the person had a factor: who knows only the password must add none.
 */
export const hasAnyPasskey = (userId: string) =>
  `EXISTS (SELECT FROM directory.passkey any_passkey WHERE any_passkey.user_id = ${userId})`

/**
 * SQL: whether a sign-in of the account with its password asks for this. It has the rows of the table that `factorDemand`
 * makes of what the columns can be, so it is no second rule.
 */
export function asksFor(
  demand: ReturnType<typeof factorDemand>,
  sql: { readonly forceMfa: string; readonly userId: string },
): string {
  const rows = BOTH.flatMap((forceMfa) =>
    BOTH.flatMap((totp) => BOTH.map((anyPasskey) => ({ forceMfa, totp, anyPasskey }))),
  ).filter((row) => factorDemand(row, row, ['pwd']) === demand)
  const totp = `EXISTS (SELECT FROM directory.account_totp t WHERE t.user_id = ${sql.userId})`
  const values = rows.map((row) => `(${row.forceMfa}, ${row.totp}, ${row.anyPasskey})`).join(', ')
  return `(${sql.forceMfa}, ${totp}, ${hasAnyPasskey(sql.userId)}) IN (${values})`
}

const BOTH = [false, true]

/** Whether a user has any passkey, by `hasAnyPasskey`. */
export async function hasAnyPasskeyOf(database: Queryable, userId: string): Promise<boolean> {
  const { rowCount } = await database.query({
    name: 'account.has_any_passkey', // passkey_of_user
    text: `SELECT WHERE ${hasAnyPasskey('$1')}`,
    values: [userId],
  })
  return rowCount === 1
}

/** Whether an account has a TOTP secret or a passkey, also one that does not count. */
export async function hasFactor(tx: Queryable, userId: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'account.has_factor', // primary keys, passkey_of_user
    text: `SELECT WHERE ${hasAnyPasskey('$1')}
                  OR EXISTS (SELECT FROM directory.account_totp t WHERE t.user_id = $1)`,
    values: [userId],
  })
  return rowCount === 1
}
