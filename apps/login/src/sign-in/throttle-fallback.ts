import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import { type AttemptRule, type AttemptStore, decide, type Failures, MAX_RUN_SECONDS } from './throttle.ts'

// A few megabytes at most; the oldest counter is deleted first.
const MAX_KEYS = 20_000

interface Counter {
  /** Number of failures of a delay rule. */
  count: number
  lastAt: number
  /** Time of the last failure of each subject of a window rule. */
  readonly failedAt: Map<string, number>
  /** Expiry of each running attempt. */
  readonly running: Map<symbol, number>
}

/** Counts in this process while Redis is unavailable. */
export function createMemoryAttemptStore(): AttemptStore {
  const counters = new Map<string, Counter>()

  function counterOf(key: string): Counter {
    const counter = counters.get(key) ?? { count: 0, lastAt: 0, failedAt: new Map(), running: new Map() }
    counters.delete(key)
    const [oldest] = counters.keys()
    if (counters.size >= MAX_KEYS && oldest !== undefined) counters.delete(oldest)
    counters.set(key, counter)
    return counter
  }

  return {
    async begin({ key, subject, rule }, now) {
      const counter = counterOf(key)
      deleteExpired(counter, rule, now.getTime())
      const decision = decide(rule, failuresOf(counter, rule), counter.running.size, now.getTime())
      if (decision.outcome !== 'started') return decision
      const id = Symbol('attempt')
      counter.running.set(id, now.getTime() + MAX_RUN_SECONDS * 1000)
      return {
        outcome: 'started',
        async finish(result, finishedAt) {
          counter.running.delete(id)
          if (result === 'void') return
          if (rule.kind === 'window') counter.failedAt.delete(subject)
          if (result === 'succeeded') counter.count = rule.kind === 'delay' ? 0 : counter.count
          else if (rule.kind === 'window') counter.failedAt.set(subject, finishedAt.getTime())
          else Object.assign(counter, { count: counter.count + 1, lastAt: finishedAt.getTime() })
        },
      }
    },
    async clear(key) {
      counters.delete(key)
    },
  }
}

function deleteExpired(counter: Counter, { expireAfterSeconds }: AttemptRule, now: number): void {
  const hasExpired = (at: number) => now >= at + expireAfterSeconds * 1000
  if (hasExpired(counter.lastAt)) counter.count = 0
  for (const [subject, at] of counter.failedAt) if (hasExpired(at)) counter.failedAt.delete(subject)
  for (const [id, until] of counter.running) if (now >= until) counter.running.delete(id)
}

function failuresOf({ count, lastAt, failedAt }: Counter, { kind }: AttemptRule): Failures {
  if (kind === 'delay') return { count, at: lastAt }
  return { count: failedAt.size, at: Math.min(...failedAt.values()) }
}

/** Counts in Redis, and in this process while Redis is unavailable, so that the limits always apply. */
export function createFallbackAttemptStore(shared: AttemptStore, own: AttemptStore): AttemptStore {
  const either = async <T>(work: () => Promise<T>, instead: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof TemporarilyUnavailableError)) throw error
      return instead()
    }
  }
  return {
    async begin(attempt, now) {
      const started = await either(
        () => shared.begin(attempt, now),
        () => own.begin(attempt, now),
      )
      if (started.outcome !== 'started') return started
      return {
        outcome: 'started',
        finish: (result, finishedAt) =>
          either(
            () => started.finish(result, finishedAt),
            async () => {
              const counted = await own.begin(attempt, finishedAt)
              if (counted.outcome === 'started') await counted.finish(result, finishedAt)
            },
          ),
      }
    },
    clear: (key) =>
      either(
        () => shared.clear(key),
        () => own.clear(key),
      ),
  }
}
