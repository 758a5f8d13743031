import { type BrowserSession, endOf, type SessionLifetimes } from './browser-session.ts'

/** What a sign-in, or the beginning of one, was made under. */
type MadeUnder = Pick<BrowserSession, 'userId' | 'organizationId' | 'userEpoch' | 'organizationEpoch'> & {
  readonly sid?: string
}

/** Whether the account and its organization may still sign in and nothing ended what was made under them. */
export type IsUsable = (made: MadeUnder) => Promise<boolean>

/** What decides about a session besides its own age. */
export interface SessionChecks {
  lifetimes(): Promise<SessionLifetimes>
  isUsable: IsUsable
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
