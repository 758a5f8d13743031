/** A stored hash whose format is not supported or whose cost would hurt the server that verifies it. */
export class UnusableHashError extends Error {
  override readonly name = 'UnusableHashError'
}

export type StoredHash =
  | { readonly format: 'bcrypt'; readonly cost: number }
  | {
      readonly format: 'argon2'
      readonly variant: 'argon2i' | 'argon2id'
      readonly memoryKib: number
      readonly passes: number
      readonly lanes: number
    }

// Above these one verification takes seconds or gigabytes: whoever can import a hash could stop the service with it.
const MOST = { bcryptCost: 16, memoryKib: 524_288, passes: 10, lanes: 16 } as const

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/
const ARGON2 =
  /^\$(argon2id?)\$v=19\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,2})\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{16,86}$/

/** Reads what a hash costs without running it. Throws `UnusableHashError`, whose message names the rule. */
export function parseStoredHash(hash: string): StoredHash {
  const bcrypt = BCRYPT.exec(hash)
  if (bcrypt) return bcryptHash(Number(bcrypt[1]))
  const argon2 = ARGON2.exec(hash)
  if (argon2) {
    const variant = argon2[1] === 'argon2i' ? 'argon2i' : 'argon2id'
    return argon2Hash(variant, Number(argon2[2]), Number(argon2[3]), Number(argon2[4]))
  }
  throw new UnusableHashError('a password hash must be bcrypt, or argon2i or argon2id with v=19')
}

function bcryptHash(cost: number): StoredHash {
  if (cost < 4 || cost > MOST.bcryptCost) {
    throw new UnusableHashError(`the bcrypt cost must be from 4 to ${MOST.bcryptCost}`)
  }
  return { format: 'bcrypt', cost }
}

function argon2Hash(
  variant: 'argon2i' | 'argon2id',
  memoryKib: number,
  passes: number,
  lanes: number,
): StoredHash {
  if (memoryKib > MOST.memoryKib || passes > MOST.passes || lanes > MOST.lanes) {
    throw new UnusableHashError(
      `argon2 parameters may be at most m=${MOST.memoryKib}, t=${MOST.passes}, p=${MOST.lanes}`,
    )
  }
  // RFC 9106 section 3.1: memory is at least 8 KiB a lane.
  if (memoryKib < 8 * lanes) throw new UnusableHashError('argon2 needs m of at least 8 times p')
  return { format: 'argon2', variant, memoryKib, passes, lanes }
}
