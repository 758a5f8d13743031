import type { RandomBytes } from '@signet/token-format/identifiers'
import { openValue, sealValue } from '../sealing/sealed-value.ts'

/** A seed moved to the row of somebody else does not open there. */
const purpose = (userId: string): string => `account_totp ${userId}`

export function sealTotpSeed(
  masterKeys: readonly Buffer[],
  userId: string,
  seed: Buffer,
  random: RandomBytes,
): Buffer {
  return sealValue(masterKeys, seed, purpose(userId), random)
}

/** Undefined when none of the keys sealed it for this account. */
export function openTotpSeed(
  masterKeys: readonly Buffer[],
  userId: string,
  sealed: Buffer,
): Buffer | undefined {
  return openValue(masterKeys, sealed, purpose(userId))
}
