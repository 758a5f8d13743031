import { createHmac } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The code of an authenticator app for a secret in base32 at a time (RFC 6238, SHA-1, 6 digits, 30 seconds). */
export function shownCode(secret: string, at = new Date()): string {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const step = Buffer.from(
    Math.floor(at.getTime() / 30_000)
      .toString(16)
      .padStart(16, '0'),
    'hex',
  )
  const mac = createHmac('sha1', key).update(step).digest()
  const start = (mac.at(-1) ?? 0) % 16
  const shown = (mac.readUInt32BE(start) % 2 ** 31) % 1_000_000
  return String(shown).padStart(6, '0')
}
