import { createHmac, timingSafeEqual } from 'node:crypto'
import { openValue, sealValue } from '@signet/platform/sealing/sealed-value'
import type { RandomBytes } from '@signet/tokens/identifiers'

/** An app or a device of a person that shows codes (RFC 6238). */
export interface Authenticator {
  readonly seed: Buffer
  /** Section 1.2. */
  readonly algorithm: 'SHA1' | 'SHA256' | 'SHA512'
  /** 6 to 8. */
  readonly digits: number
  /** How many seconds a code is shown. */
  readonly period: number
  /** Name that the person chose. */
  readonly name?: string | undefined
}

const DEFAULTS = { algorithm: 'SHA1', digits: 6, period: 30 } as const

/** An authenticator with the parameters that every app supports, which those that Signet sets up have. */
export const defaultAuthenticator = (seed: Buffer): Authenticator => ({ seed, ...DEFAULTS })

/** Section 5.2: one step either way for clocks that differ and people who type slowly. */
const WINDOW = [1, 0, -1]
/** The unit of the time steps by which used codes are stored. */
const UNIT_SECONDS = 30

/** RFC 4226 section 5.3 for the counter that a time step is. */
export function totpCode(authenticator: Omit<Authenticator, 'period'>, step: number): string {
  const { seed, algorithm, digits } = authenticator
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac(algorithm, seed).update(counter).digest()
  const offset = digest.readUInt8(digest.length - 1) & 0x0f
  const number = (digest.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits
  return String(number).padStart(digits, '0')
}

/**
 * The start of the time step that a code is of, in units of thirty seconds, the latest if there are several; undefined for
 * a code of none of the authenticators. Spaces in it do not count; the time it takes does not tell how much of a code was
 * right.
 */
export function timeOfCode(
  authenticators: readonly Authenticator[],
  typed: string,
  now: Date,
): number | undefined {
  const code = Buffer.from(typed.replace(/\s/g, ''))
  const times = authenticators.flatMap((authenticator) => {
    const { period } = authenticator
    const current = Math.floor(now.getTime() / 1_000 / period)
    return WINDOW.map((shift) => current + shift)
      .filter((step) => {
        const expected = Buffer.from(totpCode(authenticator, step))
        return code.length === expected.length && timingSafeEqual(code, expected)
      })
      .map((step) => Math.floor((step * period) / UNIT_SECONDS))
  })
  return times.length === 0 ? undefined : Math.max(...times)
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

/** The purposes of sealed values of a user's second factors: they do not open in the row of another account. */
export const authenticatorPurposes = (userId: string): readonly string[] => [
  purpose(userId),
  listPurpose(userId),
]
const purpose = (userId: string): string => `account_totp ${userId}`
const listPurpose = (userId: string): string => `account_totp list ${userId}`

/** Seals the seed of a `defaultAuthenticator`. */
export function sealTotpSeed(
  masterKeys: readonly Buffer[],
  userId: string,
  seed: Buffer,
  random: RandomBytes,
): Buffer {
  return sealValue(masterKeys, seed, purpose(userId), random)
}

/** Seals all authenticators of a person as one value; only one without a name and with default parameters as its seed. */
export function sealAuthenticators(
  masterKeys: readonly Buffer[],
  userId: string,
  authenticators: readonly Authenticator[],
  random: RandomBytes,
): Buffer {
  const [first, ...others] = authenticators
  if (first !== undefined && others.length === 0 && isDefault(first)) {
    return sealTotpSeed(masterKeys, userId, first.seed, random)
  }
  const list = authenticators.map((one) => ({ ...one, seed: one.seed.toString('base64') }))
  return sealValue(masterKeys, Buffer.from(JSON.stringify(list)), listPurpose(userId), random)
}

/** Whether the seed alone says everything about an authenticator. */
export const isDefault = ({ name, algorithm, digits, period }: Authenticator): boolean =>
  name === undefined &&
  algorithm === DEFAULTS.algorithm &&
  digits === DEFAULTS.digits &&
  period === DEFAULTS.period

/** The authenticators of an account; undefined when none of the keys sealed them for it. */
export function openAuthenticators(
  masterKeys: readonly Buffer[],
  userId: string,
  sealed: Buffer,
): readonly Authenticator[] | undefined {
  const seed = openValue(masterKeys, sealed, purpose(userId))
  if (seed !== undefined) return [defaultAuthenticator(seed)]
  const list = openValue(masterKeys, sealed, listPurpose(userId))
  if (list === undefined) return undefined
  const stored = JSON.parse(list.toString()) as readonly (Omit<Authenticator, 'seed'> & { seed: string })[]
  return stored.map((one) => ({ ...one, seed: Buffer.from(one.seed, 'base64') }))
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
