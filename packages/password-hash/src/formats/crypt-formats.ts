import { type ReadHash, UnusableHashError } from '../read-hash.ts'
import { createRoundsVerifier } from '../rounds/rounds-workers.ts'

// Formats of crypt(3), and of PHP programs that write their hashes in its alphabet.

/** The alphabet of crypt(3). */
const CRYPT64 = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

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

const MD5_CRYPT = /^\$1\$([!-#%-~]{0,8})\$([./0-9A-Za-z]{22})$/

/** `$1$salt$hash` of crypt(3). */
export const readMd5Crypt: ReadHash = (hash) => {
  const [, salt, digest] = MD5_CRYPT.exec(hash) ?? []
  if (salt === undefined || digest === undefined) return undefined
  const work = { scheme: 'md5-crypt', salt, rounds: 1000 } as const
  return {
    format: 'md5-crypt',
    parameters: {},
    isOutdated: true,
    memoryKib: 0,
    estimatedMs: 1,
    verify: createRoundsVerifier(work, digest),
  }
}

const PHPASS = /^\$[PH]\$([./0-9A-Za-z])([!-~]{8})([./0-9A-Za-z]{22})$/
const DRUPAL7 = /^\$S\$([./0-9A-Za-z])([!-~]{8})([./0-9A-Za-z]{43})$/

/** Rounds are a power of two: no program of these makes fewer than the least; the most take one to five seconds. */
const LEAST_LOG2 = 7
const MOST_LOG2 = 20

/** phpass as WordPress (`$P$`) and phpBB (`$H$`) have it, and its SHA-512 relative of Drupal 7 (`$S$`). */
export const readPhpHash: ReadHash = (hash) =>
  roundsHash('phpass', PHPASS.exec(hash)) ?? roundsHash('drupal7', DRUPAL7.exec(hash))

function roundsHash(scheme: 'phpass' | 'drupal7', match: RegExpExecArray | null) {
  const [, roundsCharacter, salt, digest] = match ?? []
  if (roundsCharacter === undefined || salt === undefined || digest === undefined) return undefined
  const log2 = CRYPT64.indexOf(roundsCharacter)
  if (log2 < LEAST_LOG2 || log2 > MOST_LOG2) {
    throw new UnusableHashError(`the rounds of ${scheme} must be from 2^${LEAST_LOG2} to 2^${MOST_LOG2}`, {
      isTooSlow: log2 > MOST_LOG2,
    })
  }
  return {
    format: scheme,
    parameters: { log2 },
    isOutdated: true,
    memoryKib: 0,
    estimatedMs: 2 ** log2 / 500,
    verify: createRoundsVerifier({ scheme, salt, rounds: 2 ** log2 }, digest),
  }
}

const SHA_CRYPT =
  /^\$([56])\$(?:rounds=([1-9]\d{0,9})\$)?([!-#%-~]{0,16})\$([./0-9A-Za-z]{43}|[./0-9A-Za-z]{86})$/

const SHA_CRYPT_DEFAULT_ROUNDS = 5000
/** crypt(3) makes none with fewer. */
const SHA_CRYPT_LEAST_ROUNDS = 1000
/** Five seconds; common generators make 5,000 to 656,000. */
const SHA_CRYPT_MOST_ROUNDS = 1_000_000

/** `$5$` (SHA-256) and `$6$` (SHA-512), with or without `rounds=N$`. */
export const readShaCrypt: ReadHash = (hash) => {
  const [, kind, roundsText, salt, digest] = SHA_CRYPT.exec(hash) ?? []
  if (salt === undefined || digest === undefined) return undefined
  if (digest.length !== (kind === '5' ? 43 : 86)) return undefined
  const rounds = roundsText === undefined ? SHA_CRYPT_DEFAULT_ROUNDS : Number(roundsText)
  if (rounds < SHA_CRYPT_LEAST_ROUNDS || rounds > SHA_CRYPT_MOST_ROUNDS) {
    throw new UnusableHashError(
      `the rounds of sha256-crypt and sha512-crypt must be from ${SHA_CRYPT_LEAST_ROUNDS} to ${SHA_CRYPT_MOST_ROUNDS}`,
      { isTooSlow: rounds > SHA_CRYPT_MOST_ROUNDS },
    )
  }
  const scheme = kind === '5' ? 'sha256-crypt' : 'sha512-crypt'
  return {
    format: scheme,
    parameters: { rounds },
    isOutdated: true,
    memoryKib: 0,
    estimatedMs: rounds / 650,
    verify: createRoundsVerifier({ scheme, salt, rounds }, digest),
  }
}
