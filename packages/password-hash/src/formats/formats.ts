import { hash as digestOf, pbkdf2, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { type ReadHash, type StoredHash, UnusableHashError } from '../read-hash.ts'

/** The bytes of standard base64 with or without padding. Throws UnusableHashError for what no encoder writes. */
export function readBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, '')) {
    throw new UnusableHashError('the salt and the digest of a password hash must be whole base64')
  }
  return bytes
}

/** RFC 9106 allows many; this is the least that OWASP's password storage guidance accepts for argon2id. */
export const ARGON2ID_COST = { memoryKib: 19_456, passes: 2, lanes: 1 } as const

// Above these one verification takes seconds or gigabytes: an imported hash could stop the service.
const ARGON2_MOST = { memoryKib: 524_288, passes: 10, lanes: 16 } as const

const ARGON2 =
  /^\$(argon2id?)\$v=19\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/

/** `$argon2i$` and `$argon2id$` PHC strings of version 1.3 (RFC 9106). */
export const readArgon2: ReadHash = (hash) => {
  const [, format, m, t, p, salt, digest] = ARGON2.exec(hash) ?? []
  if (format === undefined || salt === undefined || digest === undefined) return undefined
  readBase64(salt)
  readBase64(digest)
  const [memoryKib, passes, lanes] = [Number(m), Number(t), Number(p)]
  if (memoryKib > ARGON2_MOST.memoryKib || passes > ARGON2_MOST.passes || lanes > ARGON2_MOST.lanes) {
    throw new UnusableHashError(
      `argon2 parameters may be at most m=${ARGON2_MOST.memoryKib}, t=${ARGON2_MOST.passes}, p=${ARGON2_MOST.lanes}`,
      { isTooSlow: true },
    )
  }
  // RFC 9106 section 3.1: memory is at least 8 KiB a lane.
  if (memoryKib < 8 * lanes) throw new UnusableHashError('argon2 needs m of at least 8 times p')
  return {
    format,
    parameters: { m: memoryKib, t: passes, p: lanes },
    isOutdated: format !== 'argon2id' || memoryKib < ARGON2ID_COST.memoryKib || passes < ARGON2ID_COST.passes,
    memoryKib,
    estimatedMs: (memoryKib * passes) / 1_600,
    // Loaded here: the command line reads hashes, verifies none and has no native modules.
    verify: async (password) => (await import('@node-rs/argon2')).verify(hash, password),
  }
}

const PLAIN = /^[0-9A-Fa-f]{32}$/
const SALTED = /^\$md5salted-(prefix|suffix)\$([^$]{0,256})\$([A-Za-z0-9+/]{22}(?:==)?)$/

/**
 * Reads the digest of a single MD5 run: 32 hexadecimal digits of the password, or `$md5salted-prefix$` and `-suffix$`
 * with base64.
 */
export const readMd5Digest: ReadHash = (hash) => {
  if (PLAIN.test(hash)) return digestHash('md5plain', 'md5', Buffer.from(hash, 'hex'), (password) => password)
  const [, place, salt, digest64] = SALTED.exec(hash) ?? []
  if (digest64 === undefined) return undefined
  return digestHash(`md5salted-${place}`, 'md5', readBase64(digest64), (password) =>
    place === 'prefix' ? `${salt}${password}` : `${password}${salt}`,
  )
}

/** The bytes that each digest makes. */
export const DIGEST_BYTES: Readonly<Record<string, number>> = {
  md5: 16,
  sha1: 20,
  sha224: 28,
  sha256: 32,
  sha384: 48,
  sha512: 64,
}

/**
 * Limit of a password: a run reads all of it on the event loop. WordPress and Django take no longer passwords either.
 */
const MOST_DIGESTED_BYTES = 4096

export function isTooLongToDigest(password: string): boolean {
  return Buffer.byteLength(password) > MOST_DIGESTED_BYTES
}

/** A hash of one run of `algorithm` over what `join` makes of the password. */
export function digestHash(
  format: string,
  algorithm: string,
  expected: Buffer,
  join: (password: string) => string | Buffer,
): StoredHash {
  if (expected.length !== DIGEST_BYTES[algorithm]) {
    throw new UnusableHashError(`a ${algorithm} digest has ${DIGEST_BYTES[algorithm]} bytes`)
  }
  return {
    format,
    parameters: {},
    isOutdated: true,
    memoryKib: 0,
    estimatedMs: 1,
    verify: async (password) =>
      !isTooLongToDigest(password) &&
      timingSafeEqual(digestOf(algorithm, join(password), { outputEncoding: 'buffer' }), expected),
  }
}

// "Adapted base64" writes a dot for a plus and no padding; other programs write standard base64.
const PBKDF2 =
  /^\$pbkdf2(?:-(sha1|sha224|sha256|sha384|sha512))?\$(?:([1-9]\d{0,9})|i=([1-9]\d{0,9})(?:,l=([1-9]\d{0,2}))?)\$([A-Za-z0-9+/.]{0,344}={0,2})\$([A-Za-z0-9+/.]{22,172}={0,2})$/

/** Nine seconds at most. */
const PBKDF2_MOST_ROUNDS = 10_000_000

const LEAST_KEY_BYTES = 16

const derivePbkdf2 = promisify(pbkdf2)

/**
 * `$pbkdf2$rounds$salt$hash` (SHA-1) and `$pbkdf2-sha…$`, also with `i=rounds` or `i=rounds,l=length`; the hash says how
 * long the key is (RFC 8018 section 5.2).
 */
export const readPbkdf2: ReadHash = (hash) => {
  const [, digest = 'sha1', plainRounds, namedRounds, length, salt64, key64] = PBKDF2.exec(hash) ?? []
  if (salt64 === undefined || key64 === undefined) return undefined
  const [salt, key] = [readBase64(fromAdapted(salt64)), readBase64(fromAdapted(key64))]
  if (length !== undefined && Number(length) !== key.length) {
    throw new UnusableHashError('the length l of a pbkdf2 hash must be the number of bytes of its digest')
  }
  return pbkdf2Hash({ digest, rounds: Number(plainRounds ?? namedRounds), salt, key })
}

interface Pbkdf2Parts {
  readonly digest: string
  readonly rounds: number
  readonly salt: Buffer
  readonly key: Buffer
}

/**
 * Derives and compares the first block of the key only. Blocks depend on nothing but the password, the salt and their
 * number (RFC 8018 section 5.2), so the others cost time and say nothing more: a guess that has the right first block,
 * of 20 bytes or more, is the password.
 */
export function pbkdf2Hash({ digest, rounds, salt, key }: Pbkdf2Parts): StoredHash {
  if (rounds < 1 || rounds > PBKDF2_MOST_ROUNDS) {
    throw new UnusableHashError(`pbkdf2 may take at most ${PBKDF2_MOST_ROUNDS} rounds`, {
      isTooSlow: rounds > PBKDF2_MOST_ROUNDS,
    })
  }
  if (key.length < LEAST_KEY_BYTES) {
    throw new UnusableHashError(`a pbkdf2 digest must have ${LEAST_KEY_BYTES} bytes or more`)
  }
  const first = key.subarray(0, DIGEST_BYTES[digest])
  return {
    format: `pbkdf2-${digest}`,
    parameters: { rounds },
    isOutdated: true,
    memoryKib: 0,
    estimatedMs: rounds / 1_150,
    verify: async (password) =>
      timingSafeEqual(await derivePbkdf2(password, salt, rounds, first.length, digest), first),
  }
}

function fromAdapted(base64: string): string {
  return base64.replaceAll('.', '+')
}

const SCRYPT =
  /^\$(?:scrypt|7)\$ln=([1-9]\d{0,9}),r=([1-9]\d{0,9}),p=([1-9]\d{0,9})\$([A-Za-z0-9+/]{0,172}={0,2})\$([A-Za-z0-9+/]{22,172}={0,2})$/

/** No server can run 2^100: from three digits on, `ln` is N itself, as Ory Kratos writes it. */
const LEAST_WRITTEN_N = 100

const SCRYPT_MOST_MEMORY_KIB = 524_288
/** N × r × p, which the time is proportional to: about three seconds. */
const SCRYPT_MOST_WORK = 2 ** 22
/**
 * Least N that is counted: with a smaller one the first and the last step, which are PBKDF2 over r × p blocks, take
 * most of the time.
 */
const SCRYPT_LEAST_COUNTED_N = 16

const deriveScrypt = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** `$scrypt$ln=…,r=…,p=…$salt$hash`, also with the identifier `$7$` (RFC 7914; N is 2 to the power of ln). */
export const readScrypt: ReadHash = (hash) => {
  const [, ln, r, p, salt64, digest64] = SCRYPT.exec(hash) ?? []
  if (salt64 === undefined || digest64 === undefined) return undefined
  const N = Number(ln) < LEAST_WRITTEN_N ? 2 ** Number(ln) : Number(ln)
  return scryptKeyHash({ N, r: Number(r), p: Number(p), salt: readBase64(salt64) }, readBase64(digest64))
}

interface ScryptParts {
  readonly N: number
  readonly r: number
  readonly p: number
  readonly salt: Buffer
}

/** A hash that is the derived key itself. */
export function scryptKeyHash(parts: ScryptParts, key: Buffer): StoredHash {
  if (key.length < LEAST_KEY_BYTES) {
    throw new UnusableHashError(`a scrypt digest must have ${LEAST_KEY_BYTES} bytes or more`)
  }
  return scryptHash('scrypt', parts, key.length, (derived) => timingSafeEqual(derived, key))
}

/** `matches` tells in constant time whether a derived key is that of the right password. */
export function scryptHash(
  format: string,
  { N, r, p, salt }: ScryptParts,
  keyBytes: number,
  matches: (derived: Buffer) => boolean,
): StoredHash {
  const memoryKib = (Math.max(N, p) * r) / 8
  const work = Math.max(N, SCRYPT_LEAST_COUNTED_N) * r * p
  if (memoryKib > SCRYPT_MOST_MEMORY_KIB || work > SCRYPT_MOST_WORK) {
    throw new UnusableHashError(
      `scrypt may take at most ${SCRYPT_MOST_MEMORY_KIB / 1024} MiB (128 × 2^ln × r bytes) and work of 2^ln × r × p = ${SCRYPT_MOST_WORK}`,
      { isTooSlow: true },
    )
  }
  const ln = Math.log2(N)
  // RFC 7914 section 2: N is below 2^(128 × r / 8). OpenSSL refuses it.
  if (!Number.isInteger(ln) || ln < 1 || ln >= 16 * r) {
    throw new UnusableHashError('the N of scrypt must be a power of two from 2 to below 2^(16 × r)')
  }
  return {
    format,
    parameters: { ln, r, p },
    isOutdated: true,
    memoryKib,
    estimatedMs: work / 1_400,
    async verify(password) {
      // OpenSSL counts a little more than the 128 × N × r bytes.
      const maxmem = memoryKib * 1024 + 256 * r * (p + 8)
      return matches(await deriveScrypt(password, salt, keyBytes, { N, r, p, maxmem }))
    },
  }
}
