import { setTimeout as delay } from 'node:timers/promises'
import type { ObjectProvider, OpenedRange } from './stored-object.ts'

/** Failures in a row without a byte in between. */
const MOST_FAILURES = 5

interface ResumedReadOptions {
  /** Doubles with each failure in a row. */
  readonly retryDelayMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * The bytes of one version of an object, all of them: when a transfer ends early it continues where it was. Fails
 * with ObjectStorageError when it does not continue, or the object is another one meanwhile.
 */
export async function* readResuming(
  provider: ObjectProvider,
  opened: OpenedRange,
  { retryDelayMs, signal }: ResumedReadOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const { sizeBytes, version } = opened
  let body = opened.body
  let offset = 0
  let failures = 0
  try {
    for (;;) {
      try {
        if (failures > 0) {
          await delay(retryDelayMs * 2 ** (failures - 1), undefined, signal === undefined ? {} : { signal })
          body = (await provider.openRange({ offset, version, signal })).body
        }
        for await (const chunk of body) {
          offset += chunk.length
          failures = 0
          yield chunk
        }
        if (offset >= sizeBytes) return
        throw Object.assign(new Error('the transfer ended early'), { code: 'ECONNRESET' })
      } catch (error) {
        signal?.throwIfAborted()
        const failure = provider.failure(error, 'read')
        failures += 1
        if (!failure.isTransient || failures > MOST_FAILURES) throw failure
      }
    }
  } finally {
    body.destroy()
  }
}
