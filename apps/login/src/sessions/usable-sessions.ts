import { type BrowserSession, endOf, type SessionLifetimes } from './browser-session.ts'

/** What decides about a session besides its own age. */
export interface SessionChecks {
  lifetimes(): Promise<SessionLifetimes>
  /** Whether its account and organization may still sign in and nothing ended it. */
  isUsable(session: BrowserSession): Promise<boolean>
}

/** Those of some sessions that count at a time, the latest authentication first. */
export async function usableSessions(
  known: readonly BrowserSession[],
  checks: SessionChecks,
  time: number,
): Promise<readonly BrowserSession[]> {
  if (known.length === 0) return []
  const lifetimes = await checks.lifetimes()
  const unexpired = known.filter((session) => endOf(session, lifetimes) > time)
  const usable = await Promise.all(unexpired.map((session) => checks.isUsable(session)))
  return unexpired
    .filter((_, index) => usable[index])
    .sort((one, other) => other.authenticatedAt - one.authenticatedAt)
}
