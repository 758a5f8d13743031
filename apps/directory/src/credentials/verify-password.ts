import type { AuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import { DUMMY_HASH, type PasswordHasher } from '@signet/password-hash/password-hasher'
import { UnusableHashError } from '@signet/password-hash/stored-hash'
import type { Logger } from '@signet/platform/logger/logger'
import { factorDemand } from '@signet/protocol/factor-demand'
import { parseLoginName, resolveLoginName, type SignInContext } from '../accounts/login-name.ts'
import type { NoticeOrigin } from '../mail/notices.ts'
import type { CredentialCandidate, CredentialStore } from './credential.repository.ts'
import type { AttemptOrigin, ReportRefusedFactor } from './sign-in-refusals.ts'

/** Attempt to sign in with a factor. */
export interface SignInTry {
  readonly factor: 'password' | 'otp' | 'recovery_code' | 'passkey' | 'identity_provider'
  /** The identity provider of the sign-in. */
  readonly providerId?: string | undefined
  /** The account that was found; never text that the user entered. */
  readonly account: { readonly userId: string; readonly organizationId?: string | undefined } | undefined
  readonly clientAddress: string | undefined
  /** The reason of a refusal; absent after a success. */
  readonly reason?: string
  /** The person is signed in already, and proves it for a change of the own account. */
  readonly confirms?: boolean | undefined
}

/** Reason of a throttled attempt; the audit log calls it a lockout. */
export const THROTTLED = 'throttled'

export function signInEvent({
  factor,
  account,
  clientAddress,
  reason,
  confirms = false,
  providerId,
}: SignInTry): AuditEvent {
  return {
    // A failed sign-in has no authenticated actor.
    actor:
      account === undefined || (reason !== undefined && !confirms)
        ? { kind: 'anonymous' }
        : { kind: 'human', id: account.userId },
    action: reason === THROTTLED ? 'sign_in.lockout' : 'sign_in',
    ...(confirms && reason !== THROTTLED && { action: 'own_account.confirm' }),
    target: account && { kind: 'user', id: account.userId },
    organizationId: account?.organizationId,
    clientAddress,
    result: reason === undefined ? 'success' : 'refused',
    details: {
      factor,
      ...(providerId !== undefined && { provider_id: providerId }),
      ...(reason !== undefined && { reason }),
    },
  }
}

export interface PasswordAttempt extends SignInContext, Omit<AttemptOrigin, 'clientId'> {
  readonly loginName: string
  readonly password: string
  /** The attempt is refused without verifying the password. */
  readonly throttled?: boolean
  /** The browser did not sign in to the account before. */
  readonly announceNewBrowser?: boolean
  /** Browser and system, for the notice of it. */
  readonly agent?: string
}

export interface VerifiedAccount {
  readonly userId: string
  readonly organizationId: string
  readonly userEpoch: number
  readonly organizationEpoch: number
  /** The account has a second factor: the password alone does not sign in. */
  readonly secondFactorRequired: boolean
  /** A policy demands a second factor, and the account has none. */
  readonly secondFactorEnrolmentRequired: boolean
  /** The person has to choose another password first. */
  readonly passwordChangeRequired: boolean
  /** The person has no passkey, and the policy allows the sign-in pages to offer one. */
  readonly passkeyOffered: boolean
  /** The secret of the trusted browsers of the account; absent if there are none. */
  readonly trustSecret?: Buffer | undefined
}

/** An account whose password was right. */
export interface PasswordAccount extends VerifiedAccount {
  /** The person is notified of the new browser, or is never notified of one. */
  readonly newBrowserAnnounced: boolean
  readonly rolesOffered: boolean
}

/** The members of an account that say what its sign-in still needs. */
export const demandedFactor = (demand: ReturnType<typeof factorDemand>) => ({
  secondFactorRequired: demand === 'code',
  secondFactorEnrolmentRequired: demand === 'enrolment',
})

/** The members of an account whose sign-in needs nothing more. */
export const NOTHING_DEMANDED = {
  secondFactorRequired: false,
  secondFactorEnrolmentRequired: false,
  passwordChangeRequired: false,
  passkeyOffered: false,
} as const

/** The password is right, and a policy forbids the sign-in. */
export interface ForbiddenSignIn {
  readonly refusedRule: 'password_sign_in_not_allowed'
}

const NOT_ALLOWED = 'password_sign_in_not_allowed'

interface Dependencies {
  readonly credentials: CredentialStore
  readonly hasher: PasswordHasher
  readonly isPasskeyOffered: (userId: string) => Promise<boolean>
  readonly audit: AuditRecorder
  readonly reportRefused: ReportRefusedFactor
  /** Stores the event of a sign-in and requests the notice of it, in one transaction. Undefined: there are no such notices. */
  readonly recordNewBrowser:
    | ((event: AuditEvent, userId: string, origin: NoticeOrigin) => Promise<void>)
    | undefined
  readonly logger: Logger
}

/**
 * Verifies a password and returns its account. Returns undefined after one argon2id hash for an unknown login name, a login
 * name of two accounts, an inactive account, a locked account and a wrong password. Returns undefined without a hash for a
 * throttled attempt. Each attempt has an audit event. Returns ForbiddenSignIn only after a correct password. Rejects with
 * BusyError when too many passwords are being verified.
 */
export function createVerifyPassword(dependencies: Dependencies) {
  const { credentials, hasher, isPasskeyOffered, audit, reportRefused, logger } = dependencies
  return async (attempt: PasswordAttempt): Promise<PasswordAccount | ForbiddenSignIn | undefined> => {
    const found = resolveLoginName(await credentials.candidates(parseLoginName(attempt.loginName), attempt))
    const { clientAddress, confirms } = attempt
    const eventOf = (reason: string | undefined) =>
      signInEvent({
        factor: 'password',
        account: found,
        ...{ clientAddress, confirms },
        ...(reason !== undefined && { reason }),
      })
    const record = (reason: string | undefined) => audit.record(eventOf(reason))
    if (attempt.throttled) {
      // Runs no hash, so that throttled attempts cost no CPU. The caller returns 429.
      await record(THROTTLED)
      reportRefused(attempt, THROTTLED, found?.userId)
      logger.info('password_refused', { reason: THROTTLED, accountId: found?.userId, address: clientAddress })
      return undefined
    }
    const verdict = await compare(dependencies, found, attempt.password)
    const reason = passwordRefusal(found, verdict.matches)
    const announced = attempt.announceNewBrowser && reason === undefined && found && isComplete(found)
    const [newBrowserAnnounced, passkeyOffered] = await Promise.all([
      announced
        ? announce(dependencies, eventOf(reason), found.userId, attempt)
        : record(reason).then(() => false),
      found !== undefined && reason === undefined && isPasskeyOffered(found.userId),
    ])
    if (found === undefined || reason !== undefined) {
      logger.info('password_refused', { reason, accountId: found?.userId, address: clientAddress })
      if (reason !== undefined) reportRefused(attempt, reason, found?.userId)
      // An imported hash may verify faster than the dummy hash; the extra hash hides that. A slower one is not hidden.
      if (verdict.isOutdated) await hasher.rehashPassword(attempt.password)
      return reason === NOT_ALLOWED ? { refusedRule: NOT_ALLOWED } : undefined
    }
    if (verdict.isOutdated) await rehash(dependencies, found, attempt.password)
    const { userId, organizationId, userEpoch, organizationEpoch } = found
    const { passwordChangeRequired, trustSecret } = found
    return {
      userId,
      organizationId,
      userEpoch,
      organizationEpoch,
      ...demandedFactor(factorDemand(found, found, ['pwd'])),
      passwordChangeRequired,
      trustSecret: trustSecret ?? undefined,
      passkeyOffered,
      newBrowserAnnounced,
      rolesOffered: found.rolesOffered,
    }
  }
}

/** Returns whether the notice is requested. Without it the sign-in goes on, but not without its event. */
async function announce(
  { recordNewBrowser, audit, logger }: Dependencies,
  event: AuditEvent,
  userId: string,
  { agent = '', clientAddress = '' }: PasswordAttempt,
): Promise<boolean> {
  if (recordNewBrowser === undefined) {
    await audit.record(event)
    return true
  }
  try {
    await recordNewBrowser(event, userId, { agent, clientAddress })
    return true
  } catch (error) {
    logger.warn('new_sign_in_not_notified', { userId, error })
    await audit.record(event)
    return false
  }
}

async function compare(
  { hasher, logger }: Dependencies,
  found: CredentialCandidate | undefined,
  password: string,
) {
  try {
    return await hasher.verifyPassword(found?.hash ?? DUMMY_HASH, password)
  } catch (error) {
    if (!(error instanceof UnusableHashError)) throw error
    // The time must not show that the account exists, also when its hash is unusable.
    logger.warn('password_hash_unusable', { accountId: found?.userId, error })
    await hasher.verifyPassword(DUMMY_HASH, password)
    return { matches: false, isOutdated: false }
  }
}

async function rehash(
  { credentials, hasher, logger }: Dependencies,
  found: CredentialCandidate,
  password: string,
): Promise<void> {
  if (found.hash === null) return
  try {
    await credentials.replaceHash(found.userId, found.hash, await hasher.rehashPassword(password))
  } catch (error) {
    // The password was correct, so the sign-in succeeds; the next one tries again to replace the old hash.
    logger.warn('password_rehash_failed', { accountId: found.userId, error })
  }
}

/** Whether the password alone signs in. A sign-in with another step may still end in a refusal, of which nothing is announced. */
function isComplete(found: CredentialCandidate): boolean {
  return factorDemand(found, found, ['pwd']) === 'none' && !found.passwordChangeRequired
}

/** The reason why a password does not sign in, for administrators and the log only. */
export function passwordRefusal(
  found: CredentialCandidate | undefined,
  matches: boolean,
): string | undefined {
  if (found === undefined) return 'account_unknown'
  if (!found.active) return 'account_not_active'
  if (found.hash === null) return 'password_not_set'
  if (!matches) return 'password_wrong'
  return found.passwordAllowed ? undefined : NOT_ALLOWED
}
