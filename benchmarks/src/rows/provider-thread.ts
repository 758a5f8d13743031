import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Settings of `provider-main.ts`. */
export interface ProviderThread {
  readonly clientId: string
  /** Milliseconds that the provider took for the last code of each lane. It writes them, and the generator reads them. */
  readonly took: Float64Array
}

/**
 * Starts a provider whose codes say the nonce of their ID token, and the lane, which is its subject. It ends with this process. Returns
 * its issuer.
 */
export async function startProvider(
  clientId: string,
  lanes: number,
): Promise<{ readonly issuer: string; readonly took: ProviderThread['took'] }> {
  const took = new Float64Array(new SharedArrayBuffer(lanes * Float64Array.BYTES_PER_ELEMENT))
  const workerData: ProviderThread = { clientId, took }
  const worker = new Worker(new URL('./provider-main.ts', import.meta.url), { workerData })
  const [issuer] = (await once(worker, 'message')) as [string]
  worker.unref()
  return { issuer, took }
}
