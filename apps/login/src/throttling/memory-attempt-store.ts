import { type AttemptRule, type Failures, waitAfter } from './attempt-rule.ts'
import type { AttemptStore } from './attempt-store.ts'

// Some megabytes at most; whoever fills it forgets the oldest.
const MOST_KEYS = 20_000

/** Counts in this process, for the time that the shared counters cannot be reached. */
export function createMemoryAttemptStore(): AttemptStore {
  const known = new Map<string, Failures & { readonly endsAt: number }>()
  return {
    async take(key, rule, now) {
      const time = now.getTime()
      const found = known.get(key)
      const { count, lastAt, endsAt } =
        found !== undefined && found.endsAt > time
          ? found
          : { count: 0, lastAt: 0, endsAt: endOf(rule, time) }
      if (time < lastAt + waitAfter(count, rule)) return false
      known.delete(key)
      const [oldest] = known.keys()
      if (known.size >= MOST_KEYS && oldest !== undefined) known.delete(oldest)
      const end = rule.longestDelaySeconds === 'until-forgotten' ? endsAt : endOf(rule, time)
      known.set(key, { count: count + 1, lastAt: time, endsAt: end })
      return true
    },
    async giveBack(key) {
      const found = known.get(key)
      if (found !== undefined && found.count > 0) known.set(key, { ...found, count: found.count - 1 })
    },
    async clear(key) {
      known.delete(key)
    },
  }
}

const endOf = ({ forgetAfterSeconds }: AttemptRule, time: number) => time + forgetAfterSeconds * 1000
