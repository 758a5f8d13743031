import type { RandomBytes } from '@signet/tokens/identifiers'
import { openValue, sealValue } from '../sealing/sealed-value.ts'

/** Binds the seed to its user: it does not open in the row of another account. */
const purpose = (userId: string): string => `account_totp ${userId}`

export function sealTotpSeed(
  masterKeys: readonly Buffer[],
  userId: string,
  seed: Buffer,
  random: RandomBytes,
): Buffer {
  return sealValue(masterKeys, seed, purpose(userId), random)
}

const enrolmentPurpose = (userId: string): string => `totp_enrolment ${userId}`

/** A seed that does not count yet: no row takes it for one that does. */
export function sealTotpEnrolment(
  masterKeys: readonly Buffer[],
  userId: string,
  seed: Buffer,
  random: RandomBytes,
): Buffer {
  return sealValue(masterKeys, seed, enrolmentPurpose(userId), random)
}

export function openTotpEnrolment(
  masterKeys: readonly Buffer[],
  userId: string,
  sealed: Buffer,
): Buffer | undefined {
  return openValue(masterKeys, sealed, enrolmentPurpose(userId))
}

/** Undefined when none of the keys sealed it for this account. */
export function openTotpSeed(
  masterKeys: readonly Buffer[],
  userId: string,
  sealed: Buffer,
): Buffer | undefined {
  return openValue(masterKeys, sealed, purpose(userId))
}
