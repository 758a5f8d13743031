import type { Clock } from '@signet/service-runtime/clock'
import type { Logger } from '@signet/service-runtime/logger'
import type { TotpStore } from '../stores/totp-store.ts'
import { stepOfCode } from './totp.ts'
import { openTotpSeed } from './totp-seed.ts'

export interface TotpAttempt {
  readonly userId: string
  readonly code: string
  readonly clientAddress?: string
  /** Refused whatever the code is. */
  readonly throttled?: boolean
}

interface Dependencies {
  readonly totp: TotpStore
  readonly masterKeys: readonly Buffer[]
  readonly now: Clock
  readonly logger: Logger
}

/** Whether this is a code of the account's TOTP secret that was not used before. Uses it up. */
export function verifyTotp({ totp, masterKeys, now, logger }: Dependencies) {
  return async (attempt: TotpAttempt): Promise<boolean> => {
    const reason = await refusal(attempt)
    if (reason === undefined) return true
    logger.info('totp_refused', { reason, accountId: attempt.userId, address: attempt.clientAddress })
    return false
  }

  /** For the log only. */
  async function refusal({ userId, code, throttled }: TotpAttempt): Promise<string | undefined> {
    if (throttled) return 'throttled'
    const sealed = await totp.sealedSeed(userId)
    if (sealed === undefined) return 'totp_not_set'
    const seed = openTotpSeed(masterKeys, userId, sealed)
    if (seed === undefined) {
      logger.error('totp_seed_unusable', { accountId: userId })
      return 'totp_unusable'
    }
    const step = stepOfCode(seed, code, now())
    if (step === undefined) return 'totp_wrong'
    return (await totp.claimStep(userId, step)) ? undefined : 'totp_used'
  }
}
