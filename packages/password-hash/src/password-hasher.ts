import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'
import { verify as bcryptVerify } from '@node-rs/bcrypt'
import { boundedWork } from './bounded-work.ts'
import { parseStoredHash, type StoredHash } from './stored-hash.ts'

export { BusyError } from './bounded-work.ts'

/** RFC 9106 allows many; this is the least that OWASP's password storage guidance accepts for argon2id. */
const COST = { memoryKib: 19_456, passes: 2, lanes: 1 } as const

/**
 * Verify against this when there is no account: the wrong password of nobody then takes as long as that of somebody.
 * Made from 32 random bytes that nobody kept.
 */
export const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$sdor9EujruuscVN/ikAgsA$FTOCEa/R9IsdJKPf9YHnDiMp4WNNo+u+Gnlji3/hdb4'

export interface PasswordVerdict {
  readonly matches: boolean
  /** The password matches, but its hash is weaker than what `hashPassword` makes: hash it again now. */
  readonly needsRehash: boolean
}

export interface PasswordHasher {
  /** An argon2id PHC string. Rejects with `BusyError` when too much work is waiting. */
  hashPassword(password: string): Promise<string>
  /**
   * Checks against any supported hash. Rejects with `UnusableHashError` before running a hostile or unknown one and
   * with `BusyError` when too much work is waiting.
   */
  verifyPassword(hash: string, password: string): Promise<PasswordVerdict>
}

interface HasherOptions {
  /** Hashes at the same time; each takes 19 MiB and one thread of libuv's pool. */
  readonly concurrency: number
  readonly queueLimit: number
}

/** Hashes and verifies off the event loop, all calls of one hasher within one bound. */
export function createPasswordHasher(options: HasherOptions): PasswordHasher {
  const bounded = boundedWork(options)
  return {
    hashPassword: (password) =>
      bounded(() =>
        argon2Hash(password, { memoryCost: COST.memoryKib, timeCost: COST.passes, parallelism: COST.lanes }),
      ),
    async verifyPassword(hash, password) {
      const stored = parseStoredHash(hash)
      const verify =
        stored.format === 'bcrypt' ? () => bcryptVerify(password, hash) : () => argon2Verify(hash, password)
      const matches = await bounded(verify)
      return { matches, needsRehash: matches && isWeaker(stored) }
    },
  }
}

function isWeaker(stored: StoredHash): boolean {
  if (stored.format !== 'argon2' || stored.variant !== 'argon2id') return true
  return stored.memoryKib < COST.memoryKib || stored.passes < COST.passes
}
