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

export interface SessionLifetimes {
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
