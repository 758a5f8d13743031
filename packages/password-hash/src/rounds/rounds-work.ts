import { timingSafeEqual } from 'node:crypto'

/** The common part of the formats that no library computes: many rounds of a plain digest. */
export interface RoundsWork {
  readonly scheme: 'md5-crypt' | 'sha256-crypt' | 'sha512-crypt' | 'phpass' | 'drupal7'
  readonly salt: string
  readonly rounds: number
  readonly password: string
}

/** The encoded digest, computed off the event loop. */
export type ComputeDigest = (work: RoundsWork) => Promise<string>

/** Programs that make these hashes take no longer passwords, and each round reads the whole password. */
const MOST_PASSWORD_BYTES = 512

/** Verifies by computing the digest of `work` and a password and comparing it with the stored one in constant time. */
export function verifyRounds(work: Omit<RoundsWork, 'password'>, digest: string) {
  return async (password: string, computeDigest: ComputeDigest): Promise<boolean> => {
    if (Buffer.byteLength(password) > MOST_PASSWORD_BYTES) return false
    const computed = await computeDigest({ ...work, password })
    return timingSafeEqual(Buffer.from(computed), Buffer.from(digest))
  }
}
