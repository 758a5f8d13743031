import type { ReadHash } from '../read-hash.ts'
import { verifyRounds } from '../rounds/rounds-work.ts'

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
    verify: verifyRounds(work, digest),
  }
}
