import { hash as digestOf } from 'node:crypto'
import { crypt64 } from '../crypt-base64.ts'
import { repeatTo } from './repeat-to.ts'

const GROUPS = [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5], [11]]
const ZERO = Buffer.alloc(1)

/** The digest of `$1$` hashes. */
export function md5CryptDigest(password: Buffer, salt: Buffer, rounds: number): string {
  const inner = md5([password, salt, password])
  const start = [password, Buffer.from('$1$'), salt, repeatTo(inner, password.length)]
  for (let bits = password.length; bits > 0; bits >>= 1) start.push(bits & 1 ? ZERO : password.subarray(0, 1))
  let digest = md5(start)
  for (let round = 0; round < rounds; round += 1) {
    const odd = round % 2 === 1
    const parts = [odd ? password : digest]
    if (round % 3 !== 0) parts.push(salt)
    if (round % 7 !== 0) parts.push(password)
    parts.push(odd ? digest : password)
    digest = md5(parts)
  }
  return crypt64(digest, GROUPS)
}

function md5(parts: readonly Buffer[]): Buffer {
  return digestOf('md5', Buffer.concat(parts), 'buffer')
}
