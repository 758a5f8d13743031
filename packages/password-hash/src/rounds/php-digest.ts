import { hash as digestOf } from 'node:crypto'
import { crypt64 } from '../crypt-base64.ts'

/** Drupal 7 keeps no more of its 86 characters. */
const DRUPAL7_CHARACTERS = 43

/** The digest of `$P$` and `$H$` hashes. */
export function phpassDigest(password: Buffer, salt: Buffer, rounds: number): string {
  return encode(saltedRounds('md5', password, salt, rounds))
}

/** The digest of `$S$` hashes. */
export function drupal7Digest(password: Buffer, salt: Buffer, rounds: number): string {
  return encode(saltedRounds('sha512', password, salt, rounds)).slice(0, DRUPAL7_CHARACTERS)
}

function saltedRounds(algorithm: 'md5' | 'sha512', password: Buffer, salt: Buffer, rounds: number): Buffer {
  let digest = digestOf(algorithm, Buffer.concat([salt, password]), 'buffer')
  for (let round = 0; round < rounds; round += 1) {
    digest = digestOf(algorithm, Buffer.concat([digest, password]), 'buffer')
  }
  return digest
}

/** Bytes in their order, three by three, the first of each the least significant. */
function encode(digest: Buffer): string {
  const groups: number[][] = []
  for (let at = 0; at < digest.length; at += 3) {
    groups.push([at + 2, at + 1, at].filter((index) => index < digest.length))
  }
  return crypt64(digest, groups)
}
