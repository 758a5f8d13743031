// Recovery codes: each stands in once for the second factor of a person who lost it (ASVS 6.5.1, 6.5.2).
import { createHash } from 'node:crypto'
import { ApiError } from '@signet/admin-api/api-error'
import type { AuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import type { Logger } from '@signet/platform/logger/logger'
import type { Clock } from '@signet/platform/runtime/clock'
import { encodeBase32, type RandomBytes } from '@signet/tokens/identifiers'
import type { AccountStore } from '../accounts/account.repository.ts'
import { requirePerson } from '../accounts/require-account.ts'
import type { ManagementCall, Tools } from '../api/management-call.ts'
import type { MailStore } from '../mail/mail.repository.ts'
import type { ManagedRecoveryCodeStore, RecoveryCodeStore } from './recovery-code.repository.ts'
import type { AttemptOrigin, ReportRefusedFactor } from './sign-in-refusals.ts'
import { signInEvent, THROTTLED } from './verify-password.ts'

interface Stores {
  readonly accounts: AccountStore
  readonly mail: MailStore
  readonly recoveryCodes: ManagedRecoveryCodeStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

interface Owner {
  readonly userId: string
  readonly clientAddress?: string
}

interface RecoveryCodeAttempt extends AttemptOrigin {
  readonly userId: string
  /** Code as the person typed it. */
  readonly code: string
  /** Refused without a look at the code. */
  readonly throttled?: boolean
}

interface Dependencies {
  readonly codes: RecoveryCodeStore
  readonly audit: AuditRecorder
  readonly reportRefused: ReportRefusedFactor
  readonly random: RandomBytes
  readonly logger: Logger
  readonly now: Clock
}

const COUNT = 10
/** 120 bits, more than the 112 above which ASVS 6.5.2 accepts a hash without salt and work factor. */
const CODE_BYTES = 15
const CODE = /^[a-z2-7]{24}$/

const hashOf = (code: string) => createHash('sha256').update(code).digest()

/** The recovery codes of people. The caller has authenticated the person a short time ago. */
export function recoveryCodes({ codes, audit, reportRefused, random, logger, now }: Dependencies) {
  return {
    count: (userId: string) => codes.count(userId),
    /** Ten new codes in the place of those before; undefined for an account without a second factor. */
    async make({ userId, clientAddress }: Owner): Promise<readonly string[] | undefined> {
      const made = Array.from({ length: COUNT }, () => encodeBase32(random(CODE_BYTES)).toLowerCase())
      const stored = await codes.replace(
        userId,
        made.map(hashOf),
        {
          actor: { kind: 'human', id: userId },
          action: 'recovery_codes.create',
          target: { kind: 'user', id: userId },
          clientAddress,
          result: 'success',
        },
        now(),
      )
      return stored ? made.map((code) => code.replaceAll(/(.{4})(?=.)/g, '$1-')) : undefined
    },
    /** Whether this is an unused code of the account, which it uses up; on record either way. */
    async verify(attempt: RecoveryCodeAttempt): Promise<boolean> {
      const { userId, code, clientAddress, confirms, throttled = false } = attempt
      const event = (reason?: string, organizationId?: string) =>
        signInEvent({
          factor: 'recovery_code',
          account: { userId, organizationId },
          ...{ clientAddress, confirms },
          ...(reason !== undefined && { reason }),
        })
      const text = code.toLowerCase().replaceAll(/[\s\p{Dash_Punctuation}]/gu, '')
      if (!throttled && CODE.test(text) && (await codes.use(userId, hashOf(text), event()))) return true
      const reason = throttled ? THROTTLED : 'recovery_code_wrong'
      await audit.record(event(reason, await codes.organizationOf(userId)))
      logger.info('recovery_code_refused', { reason, accountId: userId, address: clientAddress })
      reportRefused(attempt, reason, userId)
      return false
    },
  }
}

export type RecoveryCodes = ReturnType<typeof recoveryCodes>

interface Target {
  readonly userId: string
}

/** How many codes are left. The codes themselves are stored nowhere. */
export async function readRecoveryCodes(
  _call: ManagementCall<Stores>,
  { userId }: Target,
  { stores }: Reads,
): Promise<{ readonly left: number }> {
  await requirePerson(stores.accounts, userId, 'recovery code')
  return { left: await stores.recoveryCodes.count(userId) }
}

export function deleteRecoveryCodes(
  call: ManagementCall<Stores>,
  { userId }: Target,
  { now }: Pick<Tools, 'now'>,
): Promise<void> {
  return call.change(async ({ accounts, recoveryCodes: stored, mail }) => {
    await requirePerson(accounts, userId, 'recovery code')
    if (!(await stored.delete(userId)))
      throw new ApiError('NOT_FOUND', 'the user has no recovery codes', { reason: 'recovery_codes_unknown' })
    await mail.requestNotice({ kind: 'factor_removed', userId, at: now(), byAdministrator: true })
    return { result: undefined, epochs: await accounts.raiseEpoch(userId) }
  })
}
