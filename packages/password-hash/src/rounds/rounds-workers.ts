import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Beside this file, in the sources and in what is built from them. */
const WORKER = new URL(`./rounds-worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url)

/**
 * Computes digests in threads that start when first needed and are used again; as many as there are calls at a time,
 * so the caller bounds them. An idle thread does not keep the process from ending, a failed one is not used again.
 */
export function createRoundsWorkers(): ComputeDigest {
  const idle: Worker[] = []

  return async (work) => {
    const worker = idle.pop() ?? new Worker(WORKER)
    worker.ref()
    try {
      const answer = once(worker, 'message')
      worker.postMessage(work)
      const [digest] = await answer
      idle.push(worker)
      return String(digest)
    } finally {
      worker.unref()
    }
  }
}

/** The common part of the formats that no library computes: many rounds of a plain digest. */
export interface RoundsWork {
  readonly scheme: 'md5-crypt' | 'sha256-crypt' | 'sha512-crypt' | 'phpass' | 'drupal7'
  readonly salt: string
  readonly rounds: number
  readonly password: string
}

/** The encoded digest, computed off the event loop. */
export type ComputeDigest = (work: RoundsWork) => Promise<string>

/** Programs that make these hashes take no longer passwords, and each round reads the whole password. */
const MOST_PASSWORD_BYTES = 512

/** Verifies by computing the digest of `work` and a password and comparing it with the stored one in constant time. */
export function createRoundsVerifier(work: Omit<RoundsWork, 'password'>, digest: string) {
  return async (password: string, computeDigest: ComputeDigest): Promise<boolean> => {
    if (Buffer.byteLength(password) > MOST_PASSWORD_BYTES) return false
    const computed = await computeDigest({ ...work, password })
    return timingSafeEqual(Buffer.from(computed), Buffer.from(digest))
  }
}
