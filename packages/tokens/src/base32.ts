const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648 section 6, as people write TOTP secrets: any case, spaces and padding ignored. Undefined when it is none. */
export function decodeBase32(text: string): Buffer | undefined {
  const digits = text.toUpperCase().replace(/[\s=]/g, '')
  const bytes: number[] = []
  let bits = 0
  let value = 0
  for (const digit of digits) {
    const index = ALPHABET.indexOf(digit)
    if (index < 0) return undefined
    value = ((value << 5) | index) & 0xfff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push((value >>> bits) & 0xff)
    }
  }
  return digits === '' ? undefined : Buffer.from(bytes)
}

/** RFC 4648 section 6, without padding. */
export function encodeBase32(bytes: Buffer): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(value >>> bits) & 31]
    }
    value &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + ALPHABET[(value << (5 - bits)) & 31]
}
