import { hash as argon2Hash } from '@node-rs/argon2'
import { boundedWork } from './bounded-work.ts'
import { ARGON2ID_COST } from './formats/argon2.ts'
import { createRoundsWorkers } from './rounds/rounds-workers.ts'
import { readStoredHash } from './stored-hash.ts'

// biome-ignore lint/performance/noBarrelFile: callers catch it beside the hasher below.
export { BusyError } from './bounded-work.ts'

/**
 * Verify against this when there is no account, so that an unknown login name takes as long as a wrong password. Made
 * from 32 random bytes that were discarded.
 */
export const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$sdor9EujruuscVN/ikAgsA$FTOCEa/R9IsdJKPf9YHnDiMp4WNNo+u+Gnlji3/hdb4'

export interface PasswordVerdict {
  readonly matches: boolean
  /** The hash is weaker than, or of another kind than, what `hashPassword` makes: if it matches, hash again now. */
  readonly isOutdated: boolean
}

export interface PasswordHasher {
  /** An argon2id PHC string, of the password in NFC. Rejects with `BusyError` when too much work is waiting. */
  hashPassword(password: string): Promise<string>
  /** The same before everything that waits, for a password that was just verified: else overload keeps slow hashes. */
  rehashPassword(password: string): Promise<string>
  /**
   * Checks the password in NFC, then as it was typed, against any supported hash. Rejects with `UnusableHashError` before running a hostile or unknown one and
   * with `BusyError` when too much work is waiting.
   */
  verifyPassword(hash: string, password: string): Promise<PasswordVerdict>
}

interface HasherOptions {
  /** Hashes at the same time; each takes one thread and 19 MiB, that of another program up to 64 MiB. One slow one more. */
  readonly concurrency: number
  readonly queueLimit: number
  /** Work that has not begun by then is refused. */
  readonly waitMs?: number
}

/** With the slowest hash that is accepted, an answer still comes while a person waits. */
const WAIT_MS = 5_000

/**
 * Hashes that take more than one of these run one at a time, beside all others, so that they take no place from them.
 */
const SLOW_MS = 250
/** So that memory stays bounded: 512 MiB and what the others take. */
const LARGE_KIB = 65_536

/** Hashes and verifies off the event loop, all calls of one hasher within one bound. */
export function createPasswordHasher({ waitMs = WAIT_MS, ...bounds }: HasherOptions): PasswordHasher {
  const work = boundedWork({ ...bounds, waitMs })
  const slowWork = boundedWork({ ...bounds, waitMs, concurrency: 1 })
  const computeDigest = createRoundsWorkers()
  return {
    hashPassword: (password) => work.run(() => argon2id(composed(password))),
    rehashPassword: (password) => work.runNext(() => argon2id(composed(password))),
    async verifyPassword(hash, password) {
      const stored = readStoredHash(hash)
      const isSlow = stored.estimatedMs > SLOW_MS || stored.memoryKib > LARGE_KIB
      const verify = (text: string) =>
        (isSlow ? slowWork : work).run(() => stored.verify(text, computeDigest))
      if (await verify(composed(password))) return { matches: true, isOutdated: stored.isOutdated }
      if (composed(password) === password) return { matches: false, isOutdated: stored.isOutdated }
      // Created by a program that does not compose Unicode: a matching password is hashed again in the composed form.
      const matches = await verify(password)
      return { matches, isOutdated: matches || stored.isOutdated }
    },
  }
}

/** RFC 8265 section 4.2.1: keyboards differ in how they compose a letter, and the person sees no difference. */
function composed(password: string): string {
  return password.normalize('NFC')
}

function argon2id(password: string): Promise<string> {
  return argon2Hash(password, {
    memoryCost: ARGON2ID_COST.memoryKib,
    timeCost: ARGON2ID_COST.passes,
    parallelism: ARGON2ID_COST.lanes,
  })
}
