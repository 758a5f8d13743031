import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

const parsed = new WeakMap<Buffer, KeyObject>()

/** HMAC-SHA-256 (RFC 2104). A key is the same object for as long as it is leased, and its bytes never change. */
export function keyedMac(key: Buffer, text: Buffer): Buffer {
  return createHmac('sha256', parsedKey(key)).update(text).digest()
}

/** Node.js makes a key of bytes anew for every MAC, which takes four times as long as the MAC. */
function parsedKey(key: Buffer): KeyObject {
  const known = parsed.get(key)
  if (known !== undefined) return known
  const object = createSecretKey(key)
  parsed.set(key, object)
  return object
}
