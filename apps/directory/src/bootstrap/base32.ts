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
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}
