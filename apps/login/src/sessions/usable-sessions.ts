import { type BrowserSession, endOf, type SessionLifetimes } from './browser-session.ts'

/** What a sign-in, or the beginning of one, was made under. */
type MadeUnder = Pick<BrowserSession, 'userId' | 'organizationId' | 'userEpoch' | 'organizationEpoch'> &
  Partial<Pick<BrowserSession, 'sid' | 'lastCheckedAt'>>

/** Whether the account and its organization may still sign in and nothing ended what was made under them. */
export type IsUsable = (made: MadeUnder) => Promise<boolean>

/** What decides about a session besides its own age. */
export interface SessionChecks {
  lifetimes(): Promise<SessionLifetimes>
  isUsable: IsUsable
}

/**
 * A session that was checked longer ago than this is looked up among all sessions that ever ended. Until then the
 * recent endings suffice: a session that ended after its last check did so at most 12 hours ago, and endings are kept
 * for 24 hours. This holds for an old copy of a record too, because the time of the check stands in the signed record.
 * The other 12 hours are for servers whose clocks differ.
 */
export const RECENT_CHECK_MS = 12 * 60 * 60_000

/** Whether the recent endings cannot rule out that a session has ended. A time of check in the future proves nothing. */
export function needsFullCheck(lastCheckedAt: number | undefined, time: number): boolean {
  if (lastCheckedAt === undefined) return true
  return lastCheckedAt > time || time - lastCheckedAt > RECENT_CHECK_MS
}

/** Those of some sessions that count at a time, the latest authentication first; that time is their last check. */
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
    .map((session) => ({ ...session, lastCheckedAt: time }))
    .sort((one, other) => other.authenticatedAt - one.authenticatedAt)
}
