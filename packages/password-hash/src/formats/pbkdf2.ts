import { pbkdf2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { ReadHash } from '../read-hash.ts'
import { UnusableHashError } from '../unusable-hash.ts'
import { readBase64 } from './read-base64.ts'

// "Adapted base64" writes a dot for a plus and no padding; other programs write standard base64.
const PBKDF2 =
  /^\$pbkdf2(?:-(sha1|sha224|sha256|sha384|sha512))?\$([1-9]\d{0,9})\$([A-Za-z0-9+/.]{0,344}={0,2})\$([A-Za-z0-9+/.]{22,172}={0,2})$/

const DIGEST_BYTES: Readonly<Record<string, number>> = {
  sha1: 20,
  sha224: 28,
  sha256: 32,
  sha384: 48,
  sha512: 64,
}

/** Rounds for each block of output: nine seconds at most. */
const MOST_ROUNDS = 10_000_000

const derive = promisify(pbkdf2)

/** `$pbkdf2$rounds$salt$hash` (SHA-1) and `$pbkdf2-sha…$`; the hash says how long the key is (RFC 8018 section 5.2). */
export const readPbkdf2: ReadHash = (hash) => {
  const [, digestName = 'sha1', roundsText, salt64, key64] = PBKDF2.exec(hash) ?? []
  if (salt64 === undefined || key64 === undefined) return undefined
  const rounds = Number(roundsText)
  const [salt, key] = [readBase64(fromAdapted(salt64)), readBase64(fromAdapted(key64))]
  const blocks = Math.ceil(key.length / (DIGEST_BYTES[digestName] ?? 1))
  if (rounds * blocks > MOST_ROUNDS) {
    throw new UnusableHashError(
      `pbkdf2 may take at most ${MOST_ROUNDS} rounds, counted for each block of the hash's length`,
    )
  }
  return {
    format: `pbkdf2-${digestName}`,
    parameters: { rounds, blocks },
    isOutdated: true,
    memoryKib: 0,
    estimatedMs: (rounds * blocks) / 1_150,
    verify: async (password) =>
      timingSafeEqual(await derive(password, salt, rounds, key.length, digestName), key),
  }
}

function fromAdapted(base64: string): string {
  return base64.replaceAll('.', '+')
}
