import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { ReadHash } from '../read-hash.ts'
import { UnusableHashError } from '../unusable-hash.ts'
import { readBase64 } from './read-base64.ts'

const SCRYPT =
  /^\$(?:scrypt|7)\$ln=([1-9]\d?),r=([1-9]\d{0,9}),p=([1-9]\d{0,9})\$([A-Za-z0-9+/]{0,172})\$([A-Za-z0-9+/]{22,172})$/

const MOST_MEMORY_KIB = 524_288
/** N × r × p, which the time is proportional to: about three seconds. */
const MOST_WORK = 2 ** 22

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** `$scrypt$ln=…,r=…,p=…$salt$hash`, also with the identifier `$7$` (RFC 7914; N is 2 to the power of ln). */
export const readScrypt: ReadHash = (hash) => {
  const [, ln, blockSize, lanes, salt64, digest64] = SCRYPT.exec(hash) ?? []
  if (salt64 === undefined || digest64 === undefined) return undefined
  const [N, r, p] = [2 ** Number(ln), Number(blockSize), Number(lanes)]
  const memoryKib = (N * r) / 8
  if (memoryKib > MOST_MEMORY_KIB || N * r * p > MOST_WORK) {
    throw new UnusableHashError(
      `scrypt may take at most ${MOST_MEMORY_KIB / 1024} MiB (128 × 2^ln × r bytes) and work of 2^ln × r × p = ${MOST_WORK}`,
    )
  }
  const [salt, digest] = [readBase64(salt64), readBase64(digest64)]
  return {
    format: 'scrypt',
    parameters: { ln: Number(ln), r, p },
    isOutdated: true,
    memoryKib,
    estimatedMs: (N * r * p) / 1_400,
    async verify(password) {
      // OpenSSL counts a little more than the 128 × N × r bytes.
      const maxmem = memoryKib * 1024 + 256 * r * (p + 8)
      return timingSafeEqual(await derive(password, salt, digest.length, { N, r, p, maxmem }), digest)
    },
  }
}
