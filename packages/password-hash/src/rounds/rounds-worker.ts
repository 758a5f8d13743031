// Runs in a thread of its own: takes one piece of work after the other and answers each with its encoded digest.
import { parentPort } from 'node:worker_threads'
import { md5CryptDigest } from './md5-crypt-digest.ts'
import { drupal7Digest, phpassDigest } from './php-digest.ts'
import type { RoundsWork } from './rounds-work.ts'
import { sha256CryptDigest, sha512CryptDigest } from './sha-crypt-digest.ts'

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
