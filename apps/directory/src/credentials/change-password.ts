import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Clock } from '@signet/platform/runtime/clock'
import type { PublishEndings } from '../epochs/epoch.ts'
import type { PasswordChangeStore } from './password-change.repository.ts'
import type { PasswordChangeOutcome } from './password-change.ts'
import type { CheckPassword } from './password-check.ts'

interface Change {
  readonly userId: string
  readonly password: string
  readonly clientAddress?: string
  /** Epoch of the session, if there is one. */
  readonly userEpoch?: number
  readonly organizationEpoch?: number
}

interface Dependencies {
  readonly passwords: PasswordChangeStore
  readonly hasher: PasswordHasher
  readonly checkPassword: CheckPassword
  readonly publishEndings: PublishEndings
  readonly now: Clock
}

/**
 * Gives a person the password that they chose. When it resolves, everything that was made
 * for the account before has ended. Undefined where the store has no password to change, and when it or
 * the session was changed in the meantime. Rejects with BusyError.
 */
export function createChangePassword(dependencies: Dependencies) {
  const { passwords, hasher, checkPassword, publishEndings, now } = dependencies
  return async ({
    userId,
    password,
    clientAddress,
    userEpoch,
    organizationEpoch,
  }: Change): Promise<PasswordChangeOutcome | undefined> => {
    const current = await passwords.find(userId)
    if (current === undefined) return undefined
    const problems = await checkPassword(password, current.context)
    if (problems.length > 0) return { problems: [...new Set(problems.map(({ code }) => code))] }
    if ((await hasher.verifyPassword(current.hash, password)).matches) return { problems: ['password_same'] }
    const event: AuditEvent = {
      actor: { kind: 'human', id: userId },
      action: 'password.change',
      target: { kind: 'user', id: userId },
      organizationId: current.organizationId,
      clientAddress,
      result: 'success',
    }
    const hash = await hasher.hashPassword(password)
    const epochs =
      userEpoch === undefined || organizationEpoch === undefined
        ? undefined
        : { userEpoch, organizationEpoch }
    const changed = await passwords.change({ userId, before: current.hash, hash, at: now(), epochs }, event)
    if (changed === undefined) return undefined
    await publishEndings(changed.epochs)
    return { account: changed.account }
  }
}
