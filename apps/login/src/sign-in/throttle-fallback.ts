import { type AttemptRule, type Failures, leaveFor } from '../throttling/attempt-rule.ts'
import { type AttemptStore, UNDER_WAY_SECONDS } from '../throttling/attempt-store.ts'

// Some megabytes at most; beyond that the oldest counter is forgotten.
const MOST_KEYS = 20_000

interface Counter {
  /** Of a delay. */
  count: number
  lastAt: number
  /** Of a window: when each subject failed last. */
  readonly failedAt: Map<string, number>
  /** When each try under way is given up. */
  readonly underWay: Map<symbol, number>
}

/** Counts in this process, for the time that the shared counters cannot be reached. */
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
