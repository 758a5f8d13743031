/** One account signed in to one browser. Times are unix milliseconds. */
export interface BrowserSession {
  /** Value of the `sid` claim: random, and unrelated to the cookie. */
  readonly sid: string
  readonly userId: string
  readonly organizationId: string
  readonly authenticatedAt: number
  readonly lastUsedAt: number
  /** When a check began that found it not ended. */
  readonly lastCheckedAt: number
  /** Authentication methods (RFC 8176). */
  readonly amr: readonly string[]
  /** When the second factor was proven, if one was; by default with the password. */
  readonly secondFactorAt?: number | undefined
  /** The epochs it was made under; it is dead once a higher one was published. */
  readonly userEpoch: number
  readonly organizationEpoch: number
}

interface SessionLifetimes {
  readonly idleSeconds: number
  readonly absoluteSeconds: number
}

/** The moment a session ends by itself, in unix milliseconds: idle too long, or too long since the authentication. */
export function endOf(session: BrowserSession, { idleSeconds, absoluteSeconds }: SessionLifetimes): number {
  return Math.min(session.lastUsedAt + idleSeconds * 1000, session.authenticatedAt + absoluteSeconds * 1000)
}

/** Seconds that a browser's record has to be kept: until the last of its sessions ends, at least one. */
export function keepSeconds(
  sessions: readonly BrowserSession[],
  lifetimes: SessionLifetimes,
  now: number,
): number {
  const last = Math.max(now, ...sessions.map((session) => endOf(session, lifetimes)))
  return Math.max(1, Math.ceil((last - now) / 1000))
}

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

/** What takes the place of a browser's sessions. None removes the browser. */
interface SessionsChange {
  readonly sessions: readonly BrowserSession[]
  readonly keepSeconds: number
}

/** Keeps the sessions of each browser. A browser goes by the hash of its session cookie. */
export interface BrowserSessionStore {
  /** The sessions of a browser; none when it is unknown. */
  load(browser: string): Promise<readonly BrowserSession[]>
  create(browser: string, sessions: readonly BrowserSession[], keepSeconds: number): Promise<void>
  /** Removes a browser and returns its sessions. Of concurrent calls only one gets them. */
  take(browser: string): Promise<readonly BrowserSession[]>
  /**
   * Changes the sessions of a known browser and returns what is left. `change` is called again with the new sessions
   * when another writer was faster, and returns undefined to leave them. Throws TemporarilyUnavailableError when other
   * writers are faster again and again.
   */
  update(
    browser: string,
    change: (sessions: readonly BrowserSession[]) => Promise<SessionsChange | undefined>,
  ): Promise<readonly BrowserSession[]>
  /**
   * Every browser that a user is signed in to, and perhaps others; of more than a thousand those that are kept the
   * longest.
   */
  browsersOf(userId: string): Promise<readonly string[]>
}

/** A session to end, whether or not this browser still knows it. */
export interface EndedSession {
  readonly sid: string
  readonly userId: string
}

/** Who ends the session of somebody else. */
export interface Administrator {
  readonly userId: string
  readonly kind: 'human' | 'service_user'
}

/** Who ends sessions, and from where: people their own when no administrator is named. */
interface EndedBy {
  readonly clientAddress: string
  readonly administrator?: Administrator
}

/** Ends sessions and all tokens made under them; when it returns, no replica takes them for active. */
export type EndTokens = (sessions: readonly EndedSession[], by: EndedBy) => Promise<void>
