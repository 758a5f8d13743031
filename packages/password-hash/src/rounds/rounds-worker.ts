// Runs in a thread of its own: takes one piece of work after the other and answers each with its encoded digest.

import { hash as digestOf } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { crypt64 } from '../formats/crypt-formats.ts'
import type { RoundsWork } from './rounds-workers.ts'

/** `bytes` over and over until there are `length` of them. */
function repeatTo(bytes: Buffer, length: number): Buffer {
  return length === 0 ? Buffer.alloc(0) : Buffer.alloc(length, bytes)
}

const GROUPS = [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5], [11]]
const ZERO = Buffer.alloc(1)

/** The digest of `$1$` hashes. */
function md5CryptDigest(password: Buffer, salt: Buffer, rounds: number): string {
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

/** Drupal 7 keeps no more of its 86 characters. */
const DRUPAL7_CHARACTERS = 43

/** The digest of `$P$` and `$H$` hashes. */
function phpassDigest(password: Buffer, salt: Buffer, rounds: number): string {
  return encode(saltedRounds('md5', password, salt, rounds))
}

/** The digest of `$S$` hashes. */
function drupal7Digest(password: Buffer, salt: Buffer, rounds: number): string {
  return encode(saltedRounds('sha512', password, salt, rounds)).slice(0, DRUPAL7_CHARACTERS)
}

function saltedRounds(algorithm: 'md5' | 'sha512', password: Buffer, salt: Buffer, rounds: number): Buffer {
  let digest = digestOf(algorithm, Buffer.concat([salt, password]), 'buffer')
  for (let round = 0; round < rounds; round += 1) {
    digest = digestOf(algorithm, Buffer.concat([digest, password]), 'buffer')
  }
  return digest
}

/** Bytes in their order, three by three, the first of each the least significant. */
function encode(digest: Buffer): string {
  const groups: number[][] = []
  for (let at = 0; at < digest.length; at += 3) {
    groups.push([at + 2, at + 1, at].filter((index) => index < digest.length))
  }
  return crypt64(digest, groups)
}

// Triples of bytes a third of the digest apart, each begun one further round than the one before.
const SHA256_GROUPS = [...rotatedTriples(10, 2), [31, 30]]
const SHA512_GROUPS = [...rotatedTriples(21, 1), [63]]

/** The digest of `$5$` hashes. */
function sha256CryptDigest(password: Buffer, salt: Buffer, rounds: number): string {
  return crypt64(shaRounds('sha256', password, salt, rounds), SHA256_GROUPS)
}

/** The digest of `$6$` hashes. */
function sha512CryptDigest(password: Buffer, salt: Buffer, rounds: number): string {
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

const DIGESTS = {
  'md5-crypt': md5CryptDigest,
  'sha256-crypt': sha256CryptDigest,
  'sha512-crypt': sha512CryptDigest,
  phpass: phpassDigest,
  drupal7: drupal7Digest,
} as const

parentPort?.on('message', ({ scheme, salt, rounds, password }: RoundsWork) => {
  parentPort?.postMessage(DIGESTS[scheme](Buffer.from(password), Buffer.from(salt), rounds))
})
