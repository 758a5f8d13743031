import { LRUCache } from 'lru-cache'

interface Options<T> {
  readonly read: (url: string) => Promise<T>
  /** Milliseconds of a clock that only moves forward. */
  readonly elapsed: () => number
}

interface Kept<T> {
  readonly value: T
  readonly readAt: number
}

/** The value of a URL, and whether it was read for this call. */
interface Found<T> {
  readonly value: T
  readonly isNew: boolean
}

const REREAD_MS = 10 * 60_000
/** Time for which the value of a server that does not answer is used. */
const KEPT_MS = 60 * 60_000
/** Least time between two readings of one URL. */
const INTERVAL_MS = 60_000
/** After a failure the next reading comes sooner. */
const RETRY_MS = 5_000
const MOST_URLS = 1_000

/**
 * Keeps what is read from URLs. It is read again after ten minutes; earlier, but at most once a minute, when `isEnough` says that
 * the kept value lacks something. Calls at the same time share one reading, and its failure. Rejects with that of `read` when nothing
 * is kept.
 */
export function createKeptReads<T>({ read, elapsed }: Options<T>) {
  const kept = new LRUCache<string, Kept<T>>({ max: MOST_URLS })
  const failed = new LRUCache<string, { readonly until: number; readonly error: unknown }>({ max: MOST_URLS })
  const running = new Map<string, Promise<void>>()

  async function readNow(url: string): Promise<void> {
    try {
      kept.set(url, { value: await read(url), readAt: elapsed() })
      failed.delete(url)
    } catch (error) {
      failed.set(url, { until: elapsed() + RETRY_MS, error })
    }
  }

  function readOnce(url: string): Promise<void> {
    const reading = running.get(url) ?? readNow(url).finally(() => running.delete(url))
    running.set(url, reading)
    return reading
  }

  function mayRead(url: string): boolean {
    if (running.has(url)) return true
    const failure = failed.get(url)
    if (failure !== undefined && elapsed() < failure.until) return false
    const before = kept.get(url)
    return before === undefined || elapsed() - before.readAt >= INTERVAL_MS
  }

  return async (url: string, isEnough: (value: T) => boolean = () => true): Promise<Found<T>> => {
    const before = kept.get(url)
    const isCurrent = before !== undefined && elapsed() - before.readAt < REREAD_MS && isEnough(before.value)
    if (!isCurrent && mayRead(url)) await readOnce(url)
    const after = kept.get(url)
    if (after !== undefined && elapsed() - after.readAt < KEPT_MS) {
      return { value: after.value, isNew: after !== before }
    }
    throw failed.get(url)?.error
  }
}
