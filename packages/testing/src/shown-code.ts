import { createHmac } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

interface CodeParameters {
  readonly at?: Date
  readonly algorithm?: string
  readonly digits?: number
  /** Seconds. */
  readonly period?: number
}

/** The code that an authenticator app shows for a secret in base32 (RFC 6238); SHA-1, 6 digits, 30 seconds when left out. */
export function shownCode(
  secret: string,
  { at = new Date(), algorithm = 'SHA1', digits = 6, period = 30 }: CodeParameters = {},
): string {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const step = Math.floor(at.getTime() / 1_000 / period)
  const mac = createHmac(algorithm, key)
    .update(Buffer.from(step.toString(16).padStart(16, '0'), 'hex'))
    .digest()
  const start = (mac.at(-1) ?? 0) % 16
  const shown = (mac.readUInt32BE(start) % 2 ** 31) % 10 ** digits
  return String(shown).padStart(digits, '0')
}
