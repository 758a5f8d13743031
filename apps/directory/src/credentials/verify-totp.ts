import type { AuditLog } from '@signet/admin-api/audit/audit-log'
import type { Logger } from '@signet/platform/logger/logger'
import type { Clock } from '@signet/platform/runtime/clock'
import type { TotpStore } from './totp.repository.ts'
import { openTotpSeed, stepOfCode } from './totp.ts'
import { signInEvent, THROTTLED } from './verify-password.ts'

export interface TotpAttempt {
  readonly userId: string
  readonly code: string
  readonly clientAddress?: string
  /** Refused without checking the code. */
  readonly throttled?: boolean
}

interface Dependencies {
  readonly totp: TotpStore
  readonly audit: AuditLog
  readonly masterKeys: readonly Buffer[]
  readonly now: Clock
  readonly logger: Logger
}

/** Whether this is a code of the account's TOTP secret that was not used before. Uses it up; on record either way. */
export function verifyTotp({ totp, audit, masterKeys, now, logger }: Dependencies) {
  return async (attempt: TotpAttempt): Promise<boolean> => {
    const { userId, clientAddress } = attempt
    const stored = await totp.find(userId)
    const account = stored && { userId, organizationId: stored.organizationId }
    const event = (reason?: string) =>
      signInEvent({ factor: 'otp', account, clientAddress, ...(reason !== undefined && { reason }) })
    const step = stored && stepOf(attempt, stored.sealedSeed)
    if (typeof step === 'number' && (await totp.claimStep(userId, step, event()))) return true
    const reason = typeof step === 'number' ? 'totp_used' : (step ?? 'totp_not_set')
    await audit.record(event(reason))
    logger.info('totp_refused', { reason, accountId: userId, address: clientAddress })
    return false
  }

  /** The step, or why there is none. */
  function stepOf({ userId, code, throttled }: TotpAttempt, sealedSeed: Buffer): number | string {
    if (throttled) return THROTTLED
    const seed = openTotpSeed(masterKeys, userId, sealedSeed)
    if (seed === undefined) {
      logger.error('totp_seed_unusable', { accountId: userId })
      return 'totp_unusable'
    }
    return stepOfCode(seed, code, now()) ?? 'totp_wrong'
  }
}
