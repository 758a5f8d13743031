import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'

/** Authenticates texts under a list of master keys, newest first. */
export interface MasterKeyMac {
  /** HMAC-SHA-256 under the newest key. */
  of(text: string | Buffer): Buffer
  /** Whether one of the keys made this MAC of the text; in constant time for each key. */
  matches(text: string | Buffer, mac: Buffer): boolean
}

/**
 * Each purpose has a subkey of its own (HKDF-SHA-256, RFC 5869), so that a MAC made for one purpose is worth nothing for
 * another. Throws when the list is empty.
 */
export function createMasterKeyMac(masterKeys: readonly Buffer[], purpose: string): MasterKeyMac {
  const [newest, ...older] = masterKeys.map((key) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', key, '', purpose, 32))),
  )
  if (newest === undefined) throw new Error('a MAC needs a master key')
  const under = (key: KeyObject, text: string | Buffer) => createHmac('sha256', key).update(text).digest()
  return {
    of: (text) => under(newest, text),
    matches: (text, mac) =>
      [newest, ...older].some((key) => {
        const expected = under(key, text)
        return expected.length === mac.length && timingSafeEqual(expected, mac)
      }),
  }
}
