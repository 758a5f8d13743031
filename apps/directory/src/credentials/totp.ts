import { createHmac, timingSafeEqual } from 'node:crypto'
import type { RandomBytes } from '@signet/tokens/identifiers'
import { openValue, sealValue } from '../sealing/sealed-value.ts'

// RFC 6238 as authenticator apps have it: SHA-1, 6 digits, steps of 30 seconds.
const STEP_MS = 30_000
const DIGITS = 6
/** Section 5.2: one step either way for clocks that differ and people who type slowly. */
const WINDOW = [1, 0, -1]

/** RFC 4226 section 5.3 for the counter that a time step is. */
export function totpCode(seed: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', seed).update(counter).digest()
  const offset = digest.readUInt8(digest.length - 1) & 0x0f
  const number = (digest.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** DIGITS
  return String(number).padStart(DIGITS, '0')
}

/**
 * The time step that a code is of, the latest if there are two, or undefined. Spaces in it do not count; the time it
 * takes does not tell how much of a code was right.
 */
export function stepOfCode(seed: Buffer, typed: string, now: Date): number | undefined {
  const code = Buffer.from(typed.replace(/\s/g, ''))
  const current = Math.floor(now.getTime() / STEP_MS)
  const matches = WINDOW.map((shift) => current + shift).filter((step) => {
    const expected = Buffer.from(totpCode(seed, step))
    return code.length === expected.length && timingSafeEqual(code, expected)
  })
  return matches[0]
}

/** The `otpauth:` URI that authenticator apps read from a QR code or a link. */
export function totpUri({
  organizationName,
  loginName,
  secret,
}: {
  readonly organizationName: string
  readonly loginName: string
  readonly secret: string
}): string {
  const issuer = encodeURIComponent(organizationName)
  return `otpauth://totp/${issuer}:${encodeURIComponent(loginName)}?secret=${secret}&issuer=${issuer}`
}

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
