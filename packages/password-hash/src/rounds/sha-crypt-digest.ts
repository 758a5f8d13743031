import { hash as digestOf } from 'node:crypto'
import { crypt64 } from '../crypt-base64.ts'
import { repeatTo } from './repeat-to.ts'

// Triples of bytes a third of the digest apart, each begun one further round than the one before.
const SHA256_GROUPS = [...rotatedTriples(10, 2), [31, 30]]
const SHA512_GROUPS = [...rotatedTriples(21, 1), [63]]

/** The digest of `$5$` hashes. */
export function sha256CryptDigest(password: Buffer, salt: Buffer, rounds: number): string {
  return crypt64(shaRounds('sha256', password, salt, rounds), SHA256_GROUPS)
}

/** The digest of `$6$` hashes. */
export function sha512CryptDigest(password: Buffer, salt: Buffer, rounds: number): string {
  return crypt64(shaRounds('sha512', password, salt, rounds), SHA512_GROUPS)
}

function shaRounds(algorithm: 'sha256' | 'sha512', password: Buffer, salt: Buffer, rounds: number): Buffer {
  const sha = (parts: readonly Buffer[]): Buffer => digestOf(algorithm, Buffer.concat(parts), 'buffer')
  const inner = sha([password, salt, password])
  const start = [password, salt, repeatTo(inner, password.length)]
  for (let bits = password.length; bits > 0; bits >>= 1) start.push(bits & 1 ? inner : password)
  let digest = sha(start)
  const p = repeatTo(sha([repeatTo(password, password.length ** 2)]), password.length)
  const s = repeatTo(sha([repeatTo(salt, salt.length * (16 + digest.readUInt8(0)))]), salt.length)
  for (let round = 0; round < rounds; round += 1) {
    const odd = round % 2 === 1
    const parts = [odd ? p : digest]
    if (round % 3 !== 0) parts.push(s)
    if (round % 7 !== 0) parts.push(p)
    parts.push(odd ? digest : p)
    digest = sha(parts)
  }
  return digest
}

function rotatedTriples(count: number, step: number): number[][] {
  return Array.from({ length: count }, (_, at) =>
    [0, 1, 2].map((place) => at + count * ((place + at * step) % 3)),
  )
}
