import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ComputeDigest } from './rounds-work.ts'

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
