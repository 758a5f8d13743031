import type { AuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { PasskeyParty } from '@signet/platform/config/passkey-settings'
import type { Logger } from '@signet/platform/logger/logger'
import type { Clock } from '@signet/platform/runtime/clock'
import { factorDemand } from '@signet/protocol/factor-demand'
import { type AuthenticationResponseJSON, verifyAuthenticationResponse } from '@simplewebauthn/server'
import type { PublishEndings } from '../epochs/epoch.ts'
import type { PasskeyStore } from './passkey.repository.ts'
import type { SignInPasskey } from './passkey.ts'
import { passkeyMethods, readAssertion } from './passkey.ts'
import type { AttemptOrigin, ReportRefusedFactor } from './sign-in-refusals.ts'
import {
  demandedFactor,
  NOTHING_DEMANDED,
  signInEvent,
  THROTTLED,
  type VerifiedAccount,
} from './verify-password.ts'

export interface PasskeyAttempt extends AttemptOrigin {
  /** AuthenticationResponseJSON. */
  readonly response: string
  /** The challenge that the caller issued, unused. */
  readonly challenge: string
  /** The person whose password was verified before; absent when the passkey is the only factor. */
  readonly userId?: string
  readonly organizationId?: string
  /** Refused without a look at the response. */
  readonly throttled?: boolean
}

export interface VerifiedPasskey {
  readonly account: VerifiedAccount
  /** The authentication methods of the passkey (RFC 8176). */
  readonly amr: readonly string[]
  /** Whether the passkey counts as two factors. */
  readonly multiFactor: boolean
  readonly passkeyId: string
}

const NOT_ALLOWED = 'passkey_sign_in_not_allowed'

interface ForbiddenPasskey {
  readonly refusedRule: typeof NOT_ALLOWED
}

interface Dependencies {
  /** Undefined: there are no passkeys. */
  readonly party: PasskeyParty | undefined
  readonly passkeys: PasskeyStore | undefined
  readonly publishEndings: PublishEndings
  readonly audit: AuditRecorder
  readonly reportRefused: ReportRefusedFactor
  readonly now: Clock
  readonly logger: Logger
}

/**
 * Verifies an assertion (WebAuthn Level 3 section 7.2) with user verification, and stores its counter. Returns undefined
 * alike for an unknown, cloned or foreign passkey, an inactive or locked account, an invalid response and a throttled
 * attempt, each with an audit event. A policy that forbids the sign-in is named only after a valid response.
 */
export function createVerifyPasskey({
  party,
  passkeys,
  publishEndings,
  audit,
  reportRefused,
  now,
  logger,
}: Dependencies) {
  return async (attempt: PasskeyAttempt): Promise<VerifiedPasskey | ForbiddenPasskey | undefined> => {
    if (party === undefined || passkeys === undefined) return undefined
    const { clientAddress, confirms } = attempt
    const response = readAssertion(attempt.response)
    const found = response && (await passkeys.find(Buffer.from(response.id, 'base64url')))
    const event = (reason?: string): AuditEvent =>
      signInEvent({
        factor: 'passkey',
        account: found,
        ...{ clientAddress, confirms },
        ...(reason !== undefined && { reason }),
      })
    const refuse = async (reason: string) => {
      await audit.record(event(reason))
      logger.info('passkey_refused', { reason, accountId: found?.userId, address: attempt.clientAddress })
      reportRefused(attempt, reason, found?.userId)
      return undefined
    }
    if (attempt.throttled) return refuse(THROTTLED)
    if (response === undefined || found === undefined) return refuse('passkey_unknown')
    const ofOther = mismatch(found, attempt, response.response.userHandle)
    if (ofOther !== undefined) return refuse(ofOther)
    const proven = await prove(response, attempt.challenge, found)
    if (proven === undefined) return refuse('passkey_wrong')
    if (found.cloned) return refuse('passkey_cloned')
    if (!found.active) return refuse('account_not_active')
    const isFactor = attempt.userId !== undefined
    if (!(isFactor ? found.secondFactorAllowed : found.allowed)) {
      await refuse(NOT_ALLOWED)
      return isFactor ? undefined : { refusedRule: NOT_ALLOWED }
    }
    if (!(await passkeys.use(found.id, { ...proven, at: now() }, event()))) {
      await publishEndings(
        await passkeys.markCloned(found.id, found.userId, now(), clonedEvent(found, attempt)),
      )
      return refuse('passkey_cloned')
    }
    return {
      account: accountOf(found),
      amr: passkeyMethods(found),
      multiFactor: found.multiFactor,
      passkeyId: found.id,
    }
  }

  /** The counter and the backup state of a valid response; undefined for an invalid one. */
  async function prove(
    response: AuthenticationResponseJSON,
    challenge: string,
    { publicKey, backupEligible }: SignInPasskey,
  ) {
    if (party === undefined) return undefined
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response,
        expectedChallenge: challenge,
        expectedOrigin: party.origin,
        expectedRPID: party.rpId,
        // The counter is compared when it is stored, after the signature.
        credential: { id: response.id, publicKey: new Uint8Array(publicKey), counter: 0 },
      })
      const { newCounter: counter, credentialBackedUp: backedUp, credentialDeviceType } = authenticationInfo
      // Section 7.2 step 19: the eligibility of a credential never changes.
      const isSame = (credentialDeviceType === 'multiDevice') === backupEligible
      return verified && isSame ? { counter, backedUp } : undefined
    } catch {
      // The library throws for each rule that the response breaks.
      return undefined
    }
  }
}

/** Returns the reason why the attempt may not use the passkey; undefined when it may. */
function mismatch(
  { userId, organizationId, handle }: SignInPasskey,
  attempt: PasskeyAttempt,
  userHandle: string | undefined,
): string | undefined {
  // Without a user handle only the person of the password can be meant (WebAuthn Level 3 section 7.2 step 6).
  const isOwn =
    userHandle === undefined
      ? attempt.userId !== undefined
      : handle.equals(Buffer.from(userHandle, 'base64url'))
  if (!isOwn) return 'passkey_of_other_user'
  if (attempt.userId !== undefined && attempt.userId !== userId) return 'passkey_of_other_user'
  const isOutside = attempt.organizationId !== undefined && attempt.organizationId !== organizationId
  return isOutside ? 'organization_other' : undefined
}

const clonedEvent = (
  { id, userId, organizationId }: SignInPasskey,
  { clientAddress }: PasskeyAttempt,
): AuditEvent => ({
  actor: { kind: 'anonymous' },
  action: 'passkey.cloned',
  target: { kind: 'passkey', id },
  organizationId,
  clientAddress,
  result: 'success',
  details: { user_id: userId },
})

/** The methods of a sign-in with a passkey alone, which may count as two factors. */
const signInMethods = (found: SignInPasskey): readonly string[] => [
  ...passkeyMethods(found),
  ...(found.multiFactor ? ['mfa'] : []),
]

/** The password was not used, so it needs no change. */
function accountOf(found: SignInPasskey): VerifiedAccount {
  const { userId, organizationId, userEpoch, organizationEpoch, hasTotp: totp } = found
  return {
    userId,
    organizationId,
    userEpoch,
    organizationEpoch,
    ...NOTHING_DEMANDED,
    ...demandedFactor(factorDemand(found, { totp, anyPasskey: true }, signInMethods(found))),
  }
}

export type VerifyPasskey = ReturnType<typeof createVerifyPasskey>
