// Runs in a thread of its own: takes one piece of work after the other and answers each with its encoded digest.
import { parentPort } from 'node:worker_threads'
import {
  drupal7Digest,
  md5CryptDigest,
  phpassDigest,
  sha256CryptDigest,
  sha512CryptDigest,
} from './digests.ts'
import type { RoundsWork } from './rounds-workers.ts'

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
