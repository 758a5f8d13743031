import type { RecordOf } from '@signet/file-formats/export/lists'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import { fileSecretProblem } from '@signet/protocol/placeholder'
import type { PasswordComplexity } from '../accounts/account.ts'
import { passwordProblems } from '../credentials/password-policy.ts'
import { type LeftOut, memberLeftOut } from './record-writer.ts'

type HumanUser = RecordOf<'humanUsers'>

export interface HashedUsers {
  readonly users: readonly HumanUser[]
  /** Passwords in clear text that break a rule of the organization, or that each reader of the document knows. */
  readonly leftOut: readonly LeftOut[]
}

/**
 * People whose password came in clear text, with its hash instead; without a password that breaks a rule. One after the other: people who sign in meanwhile
 * wait for one hash at most. Rejects with BusyError when even that is too much.
 */
export async function withHashedPasswords(
  records: readonly HumanUser[],
  complexity: PasswordComplexity | undefined,
  hasher: Pick<PasswordHasher, 'hashPassword'>,
): Promise<HashedUsers> {
  const users: HumanUser[] = []
  const leftOut: LeftOut[] = []
  for (const [index, record] of records.entries()) {
    const { password, ...user } = record.user
    const isRead = password !== undefined && user.hashedPassword === undefined
    const rule = isRead
      ? (fileSecretProblem(password) ?? passwordProblems(password, complexity)[0]?.rule)
      : undefined
    if (rule !== undefined) leftOut.push(memberLeftOut(index, { field: 'user.password', rule }))
    const value = isRead && rule === undefined ? await hasher.hashPassword(password) : undefined
    users.push({ ...record, user: { ...user, ...(value !== undefined && { hashedPassword: { value } }) } })
  }
  return { users, leftOut }
}
