/** The alphabet of crypt(3). */
export const CRYPT64 = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/**
 * Bytes as crypt(3) writes them: each group of at most three indices is one number, most significant byte first, and
 * is written from its lowest six bits up, one character more than it has bytes.
 */
export function crypt64(bytes: Buffer, groups: readonly (readonly number[])[]): string {
  let text = ''
  for (const group of groups) {
    let value = 0
    for (const index of group) value = (value << 8) | bytes.readUInt8(index)
    for (let at = 0; at <= group.length; at += 1) text += CRYPT64.charAt((value >> (6 * at)) & 0x3f)
  }
  return text
}
