import { hash } from 'node:crypto'

const BLOCK_BYTES = 64

/** A key, widened to a block of the hash, under the two masks of RFC 2104. */
interface MaskedKey {
  readonly inner: Buffer
  readonly outer: Buffer
}

const masked = new WeakMap<Buffer, MaskedKey>()

/**
 * HMAC-SHA-256 (RFC 2104 section 2). A key is the same object for as long as it is leased, and its bytes never change.
 * Two hashes, because `createHmac` makes an object for each MAC that somebody has to collect again: it took a twentieth
 * of issuing a token.
 */
export function keyedMac(key: Buffer, text: Buffer): Buffer {
  const { inner, outer } = maskedKey(key)
  return sha256(Buffer.concat([outer, sha256(Buffer.concat([inner, text]))]))
}

function maskedKey(key: Buffer): MaskedKey {
  const known = masked.get(key)
  if (known !== undefined) return known
  const short = key.length > BLOCK_BYTES ? sha256(key) : key
  const block = Buffer.alloc(BLOCK_BYTES)
  short.copy(block)
  const under = (mask: number) => Buffer.from(block.map((byte) => byte ^ mask))
  const made = { inner: under(0x36), outer: under(0x5c) }
  masked.set(key, made)
  return made
}

function sha256(bytes: Buffer): Buffer {
  // By way of a text: a Buffer that is made outside JavaScript takes twice as long as the hash that is in it.
  return Buffer.from(hash('sha256', bytes, 'binary'), 'binary')
}
