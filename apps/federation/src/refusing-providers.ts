import type { Clock } from '@signet/platform/runtime/clock'
import type { Rule } from './conversation/refusal.ts'

/** Refusals in a row after which a provider counts as one that refuses every person. */
const MOST_REFUSALS = 5
const WINDOW_MS = 15 * 60_000
/** Providers that are watched at once; the one that was refused longest ago makes room. */
const MOST_PROVIDERS = 1_000

/**
 * Counts the providers whose last five sign-ins or more were all refused within 15 minutes. It names none, so that the metric does not
 * grow with the organizations.
 */
export function createRefusingProviders(now: Clock) {
  const byProvider = new Map<string, readonly number[]>()
  const since = () => now().getTime() - WINDOW_MS

  return {
    /** Takes the end of a sign-in. Returns whether the provider counts as refusing from now on. */
    ended(providerId: string, rule: Rule | undefined): boolean {
      if (rule === undefined) {
        byProvider.delete(providerId)
        return false
      }
      const before = (byProvider.get(providerId) ?? []).filter((at) => at > since())
      byProvider.delete(providerId)
      byProvider.set(providerId, [...before, now().getTime()].slice(-MOST_REFUSALS))
      const [oldest] = byProvider.keys()
      if (byProvider.size > MOST_PROVIDERS && oldest !== undefined) byProvider.delete(oldest)
      return before.length === MOST_REFUSALS - 1
    },
    count(): number {
      return [...byProvider.values()].filter(
        (refusals) => refusals.filter((at) => at > since()).length >= MOST_REFUSALS,
      ).length
    },
  }
}
