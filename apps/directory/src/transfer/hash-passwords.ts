import type { RecordOf } from '@signet/export-format/records'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'

type HumanUser = RecordOf<'humanUsers'>

/**
 * People whose password came in clear text, with its hash instead. One after the other: people who sign in meanwhile
 * wait for one hash at most. Rejects with BusyError when even that is too much.
 */
export async function withHashedPasswords(
  users: readonly HumanUser[],
  hasher: Pick<PasswordHasher, 'hashPassword'>,
): Promise<readonly HumanUser[]> {
  const hashed: HumanUser[] = []
  for (const record of users) {
    const { password, ...user } = record.user
    const needsHash = password !== undefined && user.hashedPassword === undefined
    const value = needsHash ? await hasher.hashPassword(password) : undefined
    hashed.push({ ...record, user: { ...user, ...(value !== undefined && { hashedPassword: { value } }) } })
  }
  return hashed
}
