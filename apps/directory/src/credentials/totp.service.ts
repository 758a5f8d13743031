import type { AuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Logger } from '@signet/platform/logger/logger'
import type { Clock } from '@signet/platform/runtime/clock'
import { encodeBase32, type RandomBytes } from '@signet/tokens/identifiers'
import type { AttemptOrigin, ReportRefusedFactor } from './sign-in-refusals.ts'
import type { TotpStore } from './totp.repository.ts'
import {
  defaultAuthenticator,
  openAuthenticators,
  openTotpEnrolment,
  sealTotpEnrolment,
  sealTotpSeed,
  timeOfCode,
  totpUri,
} from './totp.ts'
import { signInEvent, THROTTLED } from './verify-password.ts'

export interface TotpAttempt extends AttemptOrigin {
  readonly userId: string
  readonly code: string
  /** Refused without checking the code. */
  readonly throttled?: boolean
}

interface Dependencies {
  readonly totp: TotpStore
  readonly audit: AuditRecorder
  readonly reportRefused: ReportRefusedFactor
  readonly masterKeys: readonly Buffer[]
  readonly now: Clock
  readonly logger: Logger
}

/** Whether this is a code of an authenticator of the account, of a time after that of the last one that was used. Uses it up; on record either way. */
export function createVerifyTotp({ totp, audit, reportRefused, masterKeys, now, logger }: Dependencies) {
  return async (attempt: TotpAttempt): Promise<boolean> => {
    const { userId, clientAddress, confirms } = attempt
    const stored = await totp.find(userId)
    const account = stored && { userId, organizationId: stored.organizationId }
    const event = (reason?: string) =>
      signInEvent({
        factor: 'otp',
        account,
        clientAddress,
        confirms,
        ...(reason !== undefined && { reason }),
      })
    const time = stored && findTime(attempt, stored.sealedSeed)
    if (typeof time === 'number' && (await totp.claimTime(userId, time, event()))) return true
    const reason = typeof time === 'number' ? 'totp_used' : (time ?? 'totp_not_set')
    await audit.record(event(reason))
    logger.info('totp_refused', { reason, accountId: userId, address: clientAddress })
    reportRefused(attempt, reason, userId)
    return false
  }

  /** The time of the code, or why there is none. */
  function findTime({ userId, code, throttled }: TotpAttempt, sealedSeed: Buffer): number | string {
    if (throttled) return THROTTLED
    const authenticators = openAuthenticators(masterKeys, userId, sealedSeed)
    if (authenticators === undefined) {
      logger.error('totp_seed_unusable', { accountId: userId })
      return 'totp_unusable'
    }
    return timeOfCode(authenticators, code, now()) ?? 'totp_wrong'
  }
}

/** RFC 4226 section 4 recommends 160 bits. */
const TOTP_SEED_BYTES = 20

export interface TotpEnrolment {
  /** Base32, for typing. */
  readonly secret: string
  readonly uri: string
  /** The seed, sealed for this person; it counts only after a right code. */
  readonly enrolment: Buffer
}

interface Confirmation {
  readonly userId: string
  readonly enrolment: Buffer
  /** The person used a passkey in this sign-in, so the account may have one. */
  readonly passkeyProven: boolean
  readonly code: string
  readonly clientAddress?: string
  /** Refused without checking the code. */
  readonly throttled?: boolean
}

interface EnrolmentDependencies {
  readonly totp: TotpStore
  readonly audit: { record(event: AuditEvent): Promise<void> }
  readonly masterKeys: readonly Buffer[]
  readonly random: RandomBytes
  readonly now: Clock
}

/** Lets people add a TOTP secret, while they sign in or later, and take it away. The caller has authenticated them. */
export function totpEnrolments({ totp, audit, masterKeys, random, now }: EnrolmentDependencies) {
  return {
    /** Undefined where the account has a second factor or may not sign in. A seed that does not open is replaced. */
    async begin({
      userId,
      enrolment: known,
      passkeyProven,
    }: Pick<Confirmation, 'userId' | 'enrolment' | 'passkeyProven'>): Promise<TotpEnrolment | undefined> {
      const person = await totp.findWithout(userId, passkeyProven)
      if (person === undefined) return undefined
      const opened = known.length === 0 ? undefined : openTotpEnrolment(masterKeys, userId, known)
      const seed = opened ?? random(TOTP_SEED_BYTES)
      const enrolment = opened ? known : sealTotpEnrolment(masterKeys, userId, seed, random)
      const secret = encodeBase32(seed)
      return { secret, uri: totpUri({ ...person, secret }), enrolment }
    },
    /** Whether the code is one of the seed, which is the second factor of the account from then on. */
    async confirm(confirmation: Confirmation): Promise<boolean> {
      const { userId, enrolment, passkeyProven, code, clientAddress, throttled } = confirmation
      const person = await totp.findWithout(userId, passkeyProven)
      const event = (reason?: string): AuditEvent => ({
        actor: person && reason === undefined ? { kind: 'human', id: userId } : { kind: 'anonymous' },
        action: 'totp.enrolment',
        target: { kind: 'user', id: userId },
        organizationId: person?.organizationId,
        clientAddress,
        result: reason === undefined ? 'success' : 'refused',
        ...(reason !== undefined && { details: { reason } }),
      })
      const refused = async (reason: string) => {
        await audit.record(event(reason))
        return false
      }
      if (person === undefined) return refused('second_factor_set')
      if (throttled) return refused(THROTTLED)
      const seed = openTotpEnrolment(masterKeys, userId, enrolment)
      const time = seed && timeOfCode([defaultAuthenticator(seed)], code, now())
      if (seed === undefined || time === undefined) return refused('totp_wrong')
      const sealed = sealTotpSeed(masterKeys, userId, seed, random)
      const added = await totp.addConfirmed(userId, { sealed, time, passkeyProven, at: now() }, event())
      return added || refused('second_factor_set')
    },
    delete: ({ userId, clientAddress }: Pick<Confirmation, 'userId' | 'clientAddress'>): Promise<void> =>
      totp.delete(
        userId,
        {
          actor: { kind: 'human', id: userId },
          action: 'totp.delete',
          target: { kind: 'user', id: userId },
          clientAddress,
          result: 'success',
        },
        now(),
      ),
  }
}

export type TotpEnrolments = ReturnType<typeof totpEnrolments>
