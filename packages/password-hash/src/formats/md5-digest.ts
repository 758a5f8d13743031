import { hash as digestOf, timingSafeEqual } from 'node:crypto'
import type { ReadHash } from '../read-hash.ts'
import { readBase64 } from './read-base64.ts'

const PLAIN = /^[0-9A-Fa-f]{32}$/
const SALTED = /^\$md5salted-(prefix|suffix)\$([^$]{0,256})\$([A-Za-z0-9+/]{22}(?:==)?)$/

/** One MD5 run, as 32 hexadecimal digits of the password or `$md5salted-prefix$` and `-suffix$` with base64. */
export const readMd5Digest: ReadHash = (hash) => {
  if (PLAIN.test(hash)) return oneRun('md5plain', (password) => password, Buffer.from(hash, 'hex'))
  const [, place, salt, digest64] = SALTED.exec(hash) ?? []
  if (digest64 === undefined) return undefined
  return oneRun(
    `md5salted-${place}`,
    (password) => (place === 'prefix' ? `${salt}${password}` : `${password}${salt}`),
    readBase64(digest64),
  )
}

function oneRun(format: string, join: (password: string) => string, expected: Buffer) {
  return {
    format,
    parameters: {},
    isOutdated: true,
    memoryKib: 0,
    estimatedMs: 1,
    verify: async (password: string) =>
      timingSafeEqual(digestOf('md5', join(password), { outputEncoding: 'buffer' }), expected),
  }
}
