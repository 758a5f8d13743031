import type { Impersonation } from './impersonation.ts'
import type { UserAgent } from './user-agent.ts'

/** Account that is signed in to a browser. Times are Unix milliseconds. */
export interface BrowserSession {
  /** Value of the `sid` claim: random, and unrelated to the cookie. */
  readonly sid: string
  readonly userId: string
  readonly organizationId: string
  readonly authenticatedAt: number
  /** Whether the identity provider did not say when the user authenticated, so that it may be long ago. */
  readonly isTimeUnknown?: boolean | undefined
  /** Start of a session whose user authenticated at an identity provider some time before; by default `authenticatedAt`. */
  readonly startedAt?: number | undefined
  readonly lastUsedAt: number
  /** Start of the last check that found the session not ended. */
  readonly lastCheckedAt: number
  /** Authentication methods (RFC 8176). */
  readonly amr: readonly string[]
  /**
   * Time of the second factor; by default the time of the password. Without `mfa` in `amr`: an earlier time, at which the
   * factor was proven in this trusted browser.
   */
  readonly secondFactorAt?: number | undefined
  /** When the user last authenticated again on a page of this service, without a new sign-in. */
  readonly confirmedAt?: number | undefined
  /** Whether that authentication included a TOTP code or a passkey. */
  readonly confirmedWithFactor?: boolean | undefined
  /**
   * The stored factors that `amr` comes from: `totp`, `recovery_codes`, `passkey:` and its id. Absent in records of the previous
   * release.
   */
  readonly factors?: readonly string[] | undefined
  /** The factor of `confirmedAt`. */
  readonly confirmedFactor?: string | undefined
  /** The sign-in at an identity provider that the session began by, as that provider names it. */
  readonly upstream?: UpstreamIdentity | undefined
  /** Browser and network address of the sign-in. Absent in records of the previous release. */
  readonly signedInFrom?: SignInOrigin | undefined
  /** The `client_id`s of the applications that the session was used for, the latest first; at most `MAX_CLIENTS`. */
  readonly clientIds?: readonly string[] | undefined
  /** Present when an administrator acts as the person. The session has no methods of the person, and ends with that of the administrator. */
  readonly impersonation?: Impersonation | undefined
  /** Epochs of account and organization at the sign-in; a higher one revokes the session. */
  readonly userEpoch: number
  readonly organizationEpoch: number
}

/** A sign-in at an identity provider, as its logout tokens name it. */
export interface UpstreamIdentity {
  readonly providerId: string
  readonly issuer: string
  /** `sub` of the ID token. */
  readonly subject: string
  /** `sid` of the ID token; absent: the provider gives none. */
  readonly sessionId?: string | undefined
  /** The format of a subject that is a NameID of SAML. */
  readonly nameIdFormat?: string | undefined
  /** When the provider asserted the person here, in Unix milliseconds. */
  readonly assertedAt: number
}

/** Browser and network address of a sign-in, for lists of sessions. It decides nothing. */
export interface SignInOrigin extends UserAgent {
  readonly clientAddress: string
}

export const MAX_CLIENTS = 20

interface SessionLifetimes {
  readonly idleSeconds: number
  readonly absoluteSeconds: number
}

/** The expiry of a session in unix milliseconds: idle timeout or absolute timeout. */
export function endOf(session: BrowserSession, { idleSeconds, absoluteSeconds }: SessionLifetimes): number {
  const startedAt = session.startedAt ?? session.authenticatedAt
  const end = Math.min(session.lastUsedAt + idleSeconds * 1000, startedAt + absoluteSeconds * 1000)
  return session.impersonation === undefined ? end : Math.min(end, session.impersonation.endsAt)
}

/** Time after an authentication in which a user may change how the account is signed in to. */
const CONFIRMED_MS = 10 * 60_000

/**
 * How the user authenticated within the last ten minutes before `now` (unix milliseconds): `factor` when that included a
 * TOTP code or a passkey, `password` when it did not, undefined when it is longer ago.
 */
export function recentProof(
  {
    amr,
    authenticatedAt,
    isTimeUnknown = false,
    confirmedAt = 0,
    confirmedWithFactor = false,
  }: BrowserSession,
  now: number,
): 'factor' | 'password' | undefined {
  const isRecent = (at: number) => now - at <= CONFIRMED_MS
  const hasFactor = amr.includes('mfa') || amr.includes('pop')
  const provenAt = isTimeUnknown ? 0 : authenticatedAt
  if ((hasFactor && isRecent(provenAt)) || (confirmedWithFactor && isRecent(confirmedAt))) {
    return 'factor'
  }
  return isRecent(Math.max(provenAt, confirmedAt)) ? 'password' : undefined
}

/** A stored factor, as a session names it. */
export const passkeyFactor = (passkeyId: string) => `passkey:${passkeyId}`

/** Whether a session exists because of a factor. A record of the previous release counts by its methods. */
export function restsOn({ factors, amr }: Pick<BrowserSession, 'factors' | 'amr'>, factor: string): boolean {
  if (factors !== undefined) return factors.includes(factor)
  return amr.includes(factor.startsWith('passkey:') ? 'pop' : 'otp')
}

/** Time to live of the record of a browser: until its last session expires, at least one second. */
export function ttlSeconds(
  sessions: readonly BrowserSession[],
  lifetimes: SessionLifetimes,
  now: number,
): number {
  const last = Math.max(now, ...sessions.map((session) => endOf(session, lifetimes)))
  return Math.max(1, Math.ceil((last - now) / 1000))
}

/** The account and epochs of a session, or of an incomplete sign-in. */
type MadeUnder = Pick<BrowserSession, 'userId' | 'organizationId' | 'userEpoch' | 'organizationEpoch'> &
  Partial<Pick<BrowserSession, 'sid' | 'lastCheckedAt' | 'impersonation'>>

/** Whether account and organization are active and no revocation covers the session. */
export type IsUsable = (made: MadeUnder) => Promise<boolean>

/** Checks of a session besides its own age. */
export interface SessionChecks {
  lifetimes(): Promise<SessionLifetimes>
  isUsable: IsUsable
  /** Begins the check of sessions that are not loaded yet, so that one wait serves both: answers as `isUsable` called now. */
  begin(): IsUsable
  /** Whether the login policy of an organization ends the sessions of its users with their browser. */
  endsWithBrowser(organizationId: string): Promise<boolean>
}

/** The session cookie of a browser. */
export interface SessionCookie {
  readonly value: string
  /** Undefined: until the browser is closed. */
  readonly maxAgeSeconds: number | undefined
}

/**
 * A session checked longer ago is looked up in the table of ended sessions. Until then the revocation log suffices: it
 * keeps an entry for 24 hours, and a session that ended after its last check did so at most 12 hours ago. This also
 * holds for an old copy of a record, because the time of the check is in the signed record. The other 12 hours allow
 * for clock differences between servers.
 */
export const RECENT_CHECK_MS = 12 * 60 * 60_000

/** Whether the revocation log is not enough for this session. A check in the future proves nothing. */
export function needsFullCheck(lastCheckedAt: number | undefined, time: number): boolean {
  if (lastCheckedAt === undefined) return true
  return lastCheckedAt > time || time - lastCheckedAt > RECENT_CHECK_MS
}

/** Returns the usable sessions, the latest authentication first, with `lastCheckedAt` set to `time`. */
export async function usableSessions(
  known: readonly BrowserSession[],
  checks: Pick<SessionChecks, 'lifetimes' | 'isUsable'>,
  time: number,
): Promise<readonly BrowserSession[]> {
  if (known.length === 0) return []
  const lifetimes = await checks.lifetimes()
  const unexpired = known.filter((session) => endOf(session, lifetimes) > time)
  const usable = await Promise.all(unexpired.map((session) => checks.isUsable(session)))
  const live = unexpired.filter((_, index) => usable[index])
  return live
    .filter((session) => hasAdministrator(session, live))
    .map((session) => ({ ...session, lastCheckedAt: time }))
    .sort((one, other) => other.authenticatedAt - one.authenticatedAt)
}

/** Whether the session of the administrator is live in the same browser, where the session is one of an impersonation. */
function hasAdministrator({ impersonation }: BrowserSession, live: readonly BrowserSession[]): boolean {
  if (impersonation === undefined) return true
  const { sid, administratorId } = impersonation
  return live.some(
    (other) => other.sid === sid && other.userId === administratorId && other.impersonation === undefined,
  )
}

/** The new sessions of a browser. An empty list deletes the record. */
interface SessionsChange {
  readonly sessions: readonly BrowserSession[]
  readonly ttlSeconds: number
}

/** The sessions of a browser, with the text that holds them; null: there is none. */
export interface StoredSessions {
  readonly sessions: readonly BrowserSession[]
  readonly text: string | null
}

/** Stores the sessions of each browser under the hash of its session cookie. */
export interface SessionRepository {
  /** Returns an empty list for an unknown browser. */
  load(browser: string): Promise<StoredSessions>
  create(browser: string, sessions: readonly BrowserSession[], ttlSeconds: number): Promise<void>
  /** Deletes a browser and returns its sessions. Of concurrent calls only one returns them. */
  take(browser: string): Promise<readonly BrowserSession[]>
  /**
   * Changes the sessions of a known browser and returns the remaining ones. After a concurrent write it calls `change`
   * again with the new sessions, several times, and then throws TemporarilyUnavailableError. `change` returns undefined
   * to leave the sessions unchanged. It begins with `loaded` where that is given.
   */
  update(
    browser: string,
    change: (sessions: readonly BrowserSession[]) => Promise<SessionsChange | undefined>,
    loaded?: StoredSessions,
  ): Promise<readonly BrowserSession[]>
  /** The browsers that a user is signed in to; it may contain others. At most 1000, those with the latest expiry. */
  browsersOf(userId: string): Promise<readonly string[]>
  /** The browsers that may have a session under a key of `upstreamKeys`. */
  browsersOfUpstream(key: string): Promise<readonly string[]>
}

/** A session to end, in this browser or another one. */
export interface EndedSession {
  readonly sid: string
  readonly userId: string
}

/** An administrator who ends the session of another user. */
export interface Administrator {
  readonly userId: string
  readonly kind: 'human' | 'service_user'
}

/** The origin of a sign-out; without an administrator the user signs out. */
interface EndedBy {
  readonly clientAddress: string
  readonly administrator?: Administrator
}

/** Ends sessions and revokes their tokens. When it resolves, every replica rejects them. */
export type EndSessions = (sessions: readonly EndedSession[], by: EndedBy) => Promise<void>

/** The sessions among these in which an administrator acts as another person by one of the sessions with these ids. */
export const actingBy = (
  sessions: readonly BrowserSession[],
  sids: ReadonlySet<string>,
): readonly BrowserSession[] => sessions.filter(({ impersonation }) => sids.has(impersonation?.sid ?? ''))

/** Ends sessions of impersonations, each in the name of its administrator. */
export async function endImpersonated(
  endSessions: EndSessions,
  ended: readonly BrowserSession[],
  clientAddress: string,
): Promise<void> {
  for (const { sid, userId, impersonation } of ended) {
    if (impersonation === undefined) continue
    const administrator = { userId: impersonation.administratorId, kind: 'human' } as const
    await endSessions([{ sid, userId }], { clientAddress, administrator })
  }
}
