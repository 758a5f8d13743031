import { verify } from '@node-rs/argon2'
import type { ReadHash } from '../read-hash.ts'
import { UnusableHashError } from '../unusable-hash.ts'
import { readBase64 } from './read-base64.ts'

/** RFC 9106 allows many; this is the least that OWASP's password storage guidance accepts for argon2id. */
export const ARGON2ID_COST = { memoryKib: 19_456, passes: 2, lanes: 1 } as const

// Above these one verification takes seconds or gigabytes: an imported hash could stop the service.
const MOST = { memoryKib: 524_288, passes: 10, lanes: 16 } as const

const ARGON2 =
  /^\$(argon2id?)\$v=19\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/

/** `$argon2i$` and `$argon2id$` PHC strings of version 1.3 (RFC 9106). */
export const readArgon2: ReadHash = (hash) => {
  const [, format, m, t, p, salt, digest] = ARGON2.exec(hash) ?? []
  if (format === undefined || salt === undefined || digest === undefined) return undefined
  readBase64(salt)
  readBase64(digest)
  const [memoryKib, passes, lanes] = [Number(m), Number(t), Number(p)]
  if (memoryKib > MOST.memoryKib || passes > MOST.passes || lanes > MOST.lanes) {
    throw new UnusableHashError(
      `argon2 parameters may be at most m=${MOST.memoryKib}, t=${MOST.passes}, p=${MOST.lanes}`,
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
    verify: (password) => verify(hash, password),
  }
}
