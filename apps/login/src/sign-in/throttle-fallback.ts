import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import {
  type AttemptRule,
  type AttemptStore,
  type Failures,
  leaveFor,
  UNDER_WAY_SECONDS,
} from './throttle.ts'

// A few megabytes at most; the oldest counter is deleted first.
const MOST_KEYS = 20_000

interface Counter {
  /** Of a delay rule. */
  count: number
  lastAt: number
  /** Of a window rule: time of the last failure of each subject. */
  readonly failedAt: Map<string, number>
  /** Expiry of each running attempt. */
  readonly underWay: Map<symbol, number>
}

/** Counts in this process while Redis is unavailable. */
export function createMemoryAttemptStore(): AttemptStore {
  const counters = new Map<string, Counter>()

  function counterOf(key: string): Counter {
    const counter = counters.get(key) ?? { count: 0, lastAt: 0, failedAt: new Map(), underWay: new Map() }
    counters.delete(key)
    const [oldest] = counters.keys()
    if (counters.size >= MOST_KEYS && oldest !== undefined) counters.delete(oldest)
    counters.set(key, counter)
    return counter
  }

  return {
    async begin({ key, subject, rule }, now) {
      const counter = counterOf(key)
      forget(counter, rule, now.getTime())
      const leave = leaveFor(rule, failuresOf(counter, rule), counter.underWay.size, now.getTime())
      if (leave.outcome !== 'begun') return leave
      const id = Symbol('try')
      counter.underWay.set(id, now.getTime() + UNDER_WAY_SECONDS * 1000)
      return {
        outcome: 'begun',
        async finish(result, finishedAt) {
          counter.underWay.delete(id)
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

function forget(counter: Counter, { forgetAfterSeconds }: AttemptRule, now: number): void {
  const isOver = (at: number) => now >= at + forgetAfterSeconds * 1000
  if (isOver(counter.lastAt)) counter.count = 0
  for (const [subject, at] of counter.failedAt) if (isOver(at)) counter.failedAt.delete(subject)
  for (const [id, until] of counter.underWay) if (now >= until) counter.underWay.delete(id)
}

function failuresOf({ count, lastAt, failedAt }: Counter, { kind }: AttemptRule): Failures {
  if (kind === 'delay') return { count, at: lastAt }
  return { count: failedAt.size, at: Math.min(...failedAt.values()) }
}

/** Counts in Redis, and in this process while Redis is unavailable, so that the limits always apply. */
export function createSurvivingAttemptStore(shared: AttemptStore, own: AttemptStore): AttemptStore {
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
      const begun = await either(
        () => shared.begin(attempt, now),
        () => own.begin(attempt, now),
      )
      if (begun.outcome !== 'begun') return begun
      return {
        outcome: 'begun',
        finish: (result, finishedAt) =>
          either(
            () => begun.finish(result, finishedAt),
            async () => {
              const counted = await own.begin(attempt, finishedAt)
              if (counted.outcome === 'begun') await counted.finish(result, finishedAt)
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
