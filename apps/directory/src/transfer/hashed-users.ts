import type { RecordOf } from '@signet/file-formats/export/lists'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import { type PasswordComplexity, passwordProblems } from '../credentials/password-policy.ts'

type HumanUser = RecordOf<'humanUsers'>

export interface HashedUsers {
  readonly users: readonly HumanUser[]
  /** By index, which rule of the organization a password in clear text breaks. */
  readonly refused: ReadonlyMap<number, string>
}

/**
 * People whose password came in clear text, with its hash instead. One after the other: people who sign in meanwhile
 * wait for one hash at most. Rejects with BusyError when even that is too much.
 */
export async function withHashedPasswords(
  records: readonly HumanUser[],
  complexity: PasswordComplexity | undefined,
  hasher: Pick<PasswordHasher, 'hashPassword'>,
): Promise<HashedUsers> {
  const users: HumanUser[] = []
  const refused = new Map<number, string>()
  for (const [index, record] of records.entries()) {
    const { password, ...user } = record.user
    const [problem] =
      password === undefined || user.hashedPassword !== undefined
        ? []
        : passwordProblems(password, complexity)
    if (problem !== undefined) refused.set(index, `user.password: ${problem.rule}`)
    const needsHash = password !== undefined && user.hashedPassword === undefined && problem === undefined
    const value = needsHash ? await hasher.hashPassword(password) : undefined
    users.push({ ...record, user: { ...user, ...(value !== undefined && { hashedPassword: { value } }) } })
  }
  return { users, refused }
}
