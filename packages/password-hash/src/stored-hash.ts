import { readBcrypt } from './formats/bcrypt.ts'
import { readMd5Crypt, readPhpHash, readShaCrypt } from './formats/crypt-formats.ts'
import { readArgon2, readMd5Digest, readPbkdf2, readScrypt } from './formats/formats.ts'
import { readVendorHash } from './formats/vendor-formats.ts'
import { type ReadHash, type StoredHash, UnusableHashError } from './read-hash.ts'

// biome-ignore lint/performance/noBarrelFile: callers catch it beside the functions below.
export { UnusableHashError } from './read-hash.ts'

const READERS: readonly ReadHash[] = [
  readArgon2,
  readBcrypt,
  readScrypt,
  readPbkdf2,
  readShaCrypt,
  readMd5Crypt,
  readMd5Digest,
  readPhpHash,
  readVendorHash,
]

/** More than the longest of any format. Bounds what the patterns have to look at. */
const MOST_CHARACTERS = 1024

/** Throws UnusableHashError, whose message names the rule and nothing of the hash. */
export function readStoredHash(hash: string): StoredHash {
  if (hash.length <= MOST_CHARACTERS) {
    const general = withGeneralBeginning(hash)
    for (const read of READERS) {
      const stored = read(general)
      if (stored) return stored
    }
  }
  throw new UnusableHashError(
    'a password hash must be bcrypt, argon2i or argon2id (v=19), scrypt, pbkdf2, sha256-crypt, sha512-crypt, md5-crypt, plain or salted MD5, phpass, drupal7, or that of Django, Werkzeug, ASP.NET Identity, WordPress, LDAP, Firebase, Keycloak or Ory Kratos, in the usual encoding of its kind',
  )
}

/** Bcrypt with cost 14, which other identity providers make, is below it. */
const MOST_NEW_MS = 1_200

/**
 * The rule that keeps a hash from being stored, as a sentence; undefined when it may be. Runs nothing. One that was stored
 * before this bound is still verified, see `readStoredHash`.
 */
export function findHashProblem(hash: string): string | undefined {
  const judged = judgeHash(hash)
  return judged.verdict === 'verifiesHere' ? undefined : judged.rule
}

export type HashVerdict = 'verifiesHere' | 'tooSlow' | 'unusable'

export type JudgedHash =
  | { readonly verdict: 'verifiesHere'; readonly kind: string; readonly estimatedMs: number }
  | { readonly verdict: 'tooSlow' | 'unusable'; readonly rule: string }

/**
 * Whether a hash can be stored, by its parameters alone: runs nothing. `kind` is the format with its cost parameters, such
 * as `bcrypt cost=12`; `estimatedMs` is what one verification takes on one core, at most 1,200. `rule` names the rule that
 * keeps a hash from being stored.
 */
export function judgeHash(hash: string): JudgedHash {
  try {
    const { format, parameters, estimatedMs } = readStoredHash(hash)
    if (estimatedMs > MOST_NEW_MS) {
      return {
        verdict: 'tooSlow',
        rule: 'a password hash may take about one second to verify, such as bcrypt with cost 14; this one takes longer',
      }
    }
    const costs = Object.entries(parameters).map(([name, value]) => ` ${name}=${value}`)
    return { verdict: 'verifiesHere', kind: `${format}${costs.join('')}`, estimatedMs }
  } catch (error) {
    if (!(error instanceof UnusableHashError)) throw error
    return { verdict: error.isTooSlow ? 'tooSlow' : 'unusable', rule: error.message }
  }
}

/** Hashes that are those of a general format after another beginning. */
const OTHER_BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  // Ory Kratos
  [/^\$md5-crypt\$/, '$$1$$'],
  [/^\$sha256-crypt\$/, '$$5$$'],
  [/^\$sha512-crypt\$/, '$$6$$'],
  [/^\$md5\$(?=[A-Za-z0-9+/]{22}(?:==)?$)/, '$$md5salted-suffix$$$$'],
  // Django
  [/^bcrypt\$(?=\$2)/, ''],
  [/^argon2(?=\$argon2)/, ''],
  // LDAP
  [/^\{CRYPT\}(?=\$(?:1|5|6|2[aby]?)\$)/i, ''],
  [/^\{PBKDF2(?:-SHA1)?\}/i, '$$pbkdf2$$'],
  [/^\{PBKDF2-SHA256\}/i, '$$pbkdf2-sha256$$'],
  [/^\{PBKDF2-SHA512\}/i, '$$pbkdf2-sha512$$'],
]

/** The hash in the spelling of its general format. */
function withGeneralBeginning(hash: string): string {
  const [beginning, general] = OTHER_BEGINNINGS.find(([pattern]) => pattern.test(hash)) ?? []
  return beginning === undefined || general === undefined ? hash : hash.replace(beginning, general)
}
