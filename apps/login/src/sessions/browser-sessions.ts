// The sessions of one browser. The session cookie is a random value; Redis stores the sessions under its SHA-256.
import { impersonationSid } from '@signet/revocation-reader/endings'
import { hashOf, newRandomValue, type RandomBytes } from './browser.ts'
import {
  type BrowserSession,
  type EndedSession,
  MAX_CLIENTS,
  type SessionChecks,
  type SessionCookie,
  type SessionRepository,
  type SignInOrigin,
  ttlSeconds,
  type UpstreamIdentity,
  usableSessions,
} from './browser-session.ts'
import { removeEverywhere, removeSessions } from './removed-sessions.ts'

/** An account that has just authenticated. */
export interface Authentication {
  readonly userId: string
  readonly organizationId: string
  readonly userEpoch: number
  readonly organizationEpoch: number
  readonly amr: readonly string[]
  /** Time of the password, if it was earlier: for a session that gets a second factor. */
  readonly passwordAt?: number | undefined
  /** Value of BrowserSession. */
  readonly isTimeUnknown?: boolean | undefined
  /** Start as in BrowserSession. */
  readonly startedAt?: number | undefined
  /** Factors as in BrowserSession. */
  readonly factors?: readonly string[] | undefined
  /** Value of BrowserSession. */
  readonly upstream?: UpstreamIdentity | undefined
  /** When a trusted browser proved the second factor; without it the factor is proven now, if `amr` has one. */
  readonly secondFactorAt?: number | undefined
  readonly signedInFrom: SignInOrigin
  /** The application that the person signs in for. */
  readonly clientId?: string | undefined
}

/** An impersonation that the directory has recorded. */
export interface BegunImpersonation
  extends Pick<
    Authentication,
    'userId' | 'organizationId' | 'userEpoch' | 'organizationEpoch' | 'signedInFrom'
  > {
  readonly id: string
  readonly administratorId: string
  readonly reason: string
  readonly endsAt: number
}

export interface BrowserSessions {
  /** The usable sessions of people who signed in themselves, the latest authentication first. */
  live(cookie: string | undefined): Promise<readonly BrowserSession[]>
  /** The usable sessions, those of impersonations among them: for applications, and for the pages about impersonations. */
  answering(cookie: string | undefined): Promise<readonly BrowserSession[]>
  /**
   * Makes the session of an impersonation under a new cookie, and invalidates the previous one. Undefined when the session of the
   * administrator has ended, or another impersonation goes on in this browser.
   */
  impersonate(
    cookie: string,
    begun: BegunImpersonation,
  ): Promise<{ readonly cookie: SessionCookie; readonly session: BrowserSession } | undefined>
  /** All sessions of the cookie, usable or not. */
  all(cookie: string | undefined): Promise<readonly BrowserSession[]>
  /**
   * Makes the session of an authenticated account, under a new cookie, and invalidates the previous cookie. A new sign-in to a
   * live session keeps its `sid`, which is in ID tokens.
   */
  prepare(cookie: string | undefined, authentication: Authentication): Promise<PreparedSession>
  /**
   * Extends the idle timeout of a session that `live` returned, and stores the time of its check and the application that it
   * is used for. Returns the cookie with its new lifetime, and undefined when nothing changed.
   */
  touch(cookie: string, session: BrowserSession, clientId: string): Promise<SessionCookie | undefined>
  /**
   * Stores that the user of a session has authenticated again now; `withFactor`: with a TOTP code or a passkey. Cookie and
   * `auth_time` stay.
   */
  confirm(
    cookie: string,
    sid: string,
    proof: { readonly withFactor: boolean; readonly factor?: string | undefined },
  ): Promise<void>
  /** Forgets the confirmation by a factor that was removed. */
  forgetConfirmation(cookie: string, sid: string): Promise<void>
  /**
   * Gives a session the epochs that its user raised, unless it is gone, and moves all sessions to a new cookie, which it
   * returns; undefined when there are none, because another request moved them or signed them out.
   */
  renew(
    cookie: string,
    sid: string,
    epochs: Pick<BrowserSession, 'userEpoch' | 'organizationEpoch'>,
  ): Promise<SessionCookie | undefined>
  /** Removes the sessions with these ids; returns true when this browser has none left. */
  remove(cookie: string, sids: ReadonlySet<string>): Promise<boolean>
  /** Returns all sessions of a cookie, usable or not, and removes some of them without reading them again. */
  open(cookie: string | undefined): Promise<OpenedSessions>
  /** Removes ended sessions from all browsers of their users. */
  removeEverywhere(ended: readonly EndedSession[]): Promise<void>
}

export interface OpenedSessions {
  readonly sessions: readonly BrowserSession[]
  /** Returns as `remove` of BrowserSessions does; true without a cookie. */
  remove(sids: ReadonlySet<string>): Promise<boolean>
}

/** A session that is not stored yet. */
export interface PreparedSession {
  readonly cookie: SessionCookie
  readonly session: BrowserSession
  /** All sessions of the cookie, this one first. */
  readonly sessions: readonly BrowserSession[]
  store(): Promise<void>
}

interface BrowserSessionsOptions {
  readonly store: SessionRepository
  readonly checks: SessionChecks
  readonly now: () => Date
  readonly random: RandomBytes
}

// The idle timeout may be early by this much. It saves a write for every request of a busy browser.
const TOUCH_AFTER_MS = 60_000

export function createBrowserSessions(dependencies: BrowserSessionsOptions): BrowserSessions {
  const { store, checks, now, random } = dependencies

  return {
    all: (cookie) => all(dependencies, cookie),
    live: async (cookie) => (await live(dependencies, cookie)).filter(isOwn),
    answering: (cookie) => live(dependencies, cookie),
    impersonate: (cookie, begun) => impersonate(dependencies, cookie, begun),
    async prepare(cookie, { passwordAt, clientId, ...authentication }) {
      const time = now().getTime()
      const lifetimes = await checks.lifetimes()
      const before = await takeLive(dependencies, cookie)
      const again = before.find((session) => session.userId === authentication.userId && isOwn(session))
      const sid = again?.sid ?? random(16).toString('base64url')
      const session = {
        ...authentication,
        sid,
        authenticatedAt: passwordAt ?? time,
        lastUsedAt: time,
        lastCheckedAt: time,
        ...(authentication.amr.includes('mfa') && { secondFactorAt: authentication.secondFactorAt ?? time }),
        clientIds: usedFor(again?.clientIds, clientId),
      }
      const sessions = [session, ...before.filter((other) => other !== again)]
      const fresh = newRandomValue(random)
      const keptSeconds = ttlSeconds(sessions, lifetimes, time)
      const made = await cookieOf(dependencies, fresh, sessions, keptSeconds)
      return {
        cookie: made,
        session,
        sessions,
        store: () => store.create(hashOf(fresh), sessions, keptSeconds),
      }
    },
    touch: (cookie, session, clientId) => touch(dependencies, cookie, session, clientId),
    async confirm(cookie, sid, { withFactor: confirmedWithFactor, factor: confirmedFactor }) {
      const confirmedAt = now().getTime()
      await updateOne(dependencies, cookie, sid, { confirmedAt, confirmedWithFactor, confirmedFactor })
    },
    async forgetConfirmation(cookie, sid) {
      await updateOne(dependencies, cookie, sid, { confirmedAt: undefined, confirmedWithFactor: undefined })
    },
    async renew(cookie, sid, epochs) {
      const lifetimes = await checks.lifetimes()
      const taken = await store.take(hashOf(cookie))
      if (taken.length === 0) return undefined
      const sessions = taken.map((session) => (session.sid === sid ? { ...session, ...epochs } : session))
      const fresh = newRandomValue(random)
      const keptSeconds = ttlSeconds(sessions, lifetimes, now().getTime())
      await store.create(hashOf(fresh), sessions, keptSeconds)
      return cookieOf(dependencies, fresh, sessions, keptSeconds)
    },
    remove: (cookie, sids) => removeSessions({ store, checks, now }, hashOf(cookie), sids),
    async open(cookie) {
      if (cookie === undefined) return { sessions: [], remove: async () => true }
      const browser = hashOf(cookie)
      const loaded = await store.load(browser)
      return {
        sessions: loaded.sessions,
        remove: (sids) => removeSessions({ store, checks, now }, browser, sids, loaded),
      }
    },
    removeEverywhere: (ended) => removeEverywhere({ store, checks, now }, ended),
  }
}

/** Whether the person of the session signed in, and no administrator acts as that person. */
const isOwn = ({ impersonation }: BrowserSession): boolean => impersonation === undefined

async function impersonate(
  dependencies: BrowserSessionsOptions,
  cookie: string,
  { id, administratorId, reason, endsAt, ...person }: BegunImpersonation,
): ReturnType<BrowserSessions['impersonate']> {
  const { store, checks, now, random } = dependencies
  const time = now().getTime()
  const lifetimes = await checks.lifetimes()
  const known = await live(dependencies, cookie)
  const administrator = known.find((session) => session.userId === administratorId && isOwn(session))
  if (administrator === undefined || !known.every(isOwn)) return undefined
  const { sid, organizationId, userEpoch, organizationEpoch, amr, secondFactorAt, factors } = administrator
  const session: BrowserSession = {
    ...person,
    sid: impersonationSid(id),
    // The one who authenticated is the administrator; no method of the person was proven.
    authenticatedAt: administrator.authenticatedAt,
    ...(administrator.isTimeUnknown && { isTimeUnknown: true }),
    startedAt: time,
    lastUsedAt: time,
    lastCheckedAt: time,
    amr: [],
    clientIds: [],
    impersonation: {
      ...{ id, administratorId, sid, organizationId, userEpoch, organizationEpoch, reason, endsAt },
      proof: {
        amr: [...amr],
        ...(secondFactorAt !== undefined && { secondFactorAt }),
        ...(factors !== undefined && { factors: [...factors] }),
      },
    },
  }
  const taken = await takeLive(dependencies, cookie)
  // Another request has moved the sessions, or signed them out.
  if (!taken.some((other) => other.sid === sid)) return undefined
  const sessions = [session, ...taken]
  const fresh = newRandomValue(random)
  const keptSeconds = ttlSeconds(sessions, lifetimes, time)
  await store.create(hashOf(fresh), sessions, keptSeconds)
  return { cookie: await cookieOf(dependencies, fresh, sessions, keptSeconds), session }
}

/** Notes the use of a session for an application, and returns the cookie that lives on; undefined where nothing is to be written. */
async function touch(
  dependencies: BrowserSessionsOptions,
  cookie: string,
  session: BrowserSession,
  clientId: string,
): ReturnType<BrowserSessions['touch']> {
  const { store, checks, now } = dependencies
  const time = now().getTime()
  const isCurrent = ({ lastUsedAt, clientIds }: BrowserSession) =>
    time - lastUsedAt < TOUCH_AFTER_MS && clientIds?.includes(clientId)
  if (isCurrent(session)) return undefined
  let keptSeconds: number | undefined
  const left = await store.update(hashOf(cookie), async (all) => {
    const known = all.find(({ sid }) => sid === session.sid)
    keptSeconds = undefined
    if (known === undefined || isCurrent(known)) return undefined
    const lastCheckedAt = Math.max(known.lastCheckedAt, session.lastCheckedAt)
    const clientIds = usedFor(known.clientIds, clientId)
    const used = { ...known, lastUsedAt: time, lastCheckedAt, clientIds }
    const sessions = all.map((other) => (other === known ? used : other))
    keptSeconds = ttlSeconds(sessions, await checks.lifetimes(), time)
    return { sessions, ttlSeconds: keptSeconds }
  })
  return keptSeconds === undefined || left.length === 0
    ? undefined
    : cookieOf(dependencies, cookie, left, keptSeconds)
}

/** Puts an application in front of the list; the one that was used longest ago leaves a full list. */
function usedFor(clientIds: readonly string[] = [], clientId?: string): readonly string[] {
  if (clientId === undefined) return clientIds
  return [clientId, ...clientIds.filter((other) => other !== clientId)].slice(0, MAX_CLIENTS)
}

const all = async ({ store }: BrowserSessionsOptions, cookie: string | undefined) =>
  cookie === undefined ? [] : (await store.load(hashOf(cookie))).sessions

async function live(
  dependencies: BrowserSessionsOptions,
  cookie: string | undefined,
): Promise<readonly BrowserSession[]> {
  if (cookie === undefined) return []
  const { checks, now } = dependencies
  const isUsable = checks.begin()
  const time = now().getTime()
  return usableSessions(await all(dependencies, cookie), { lifetimes: checks.lifetimes, isUsable }, time)
}

/**
 * Takes the live sessions from their cookie. Every check that can fail runs before the removal; if Redis fails after
 * it, the other accounts of this browser have to sign in again.
 */
async function takeLive(
  dependencies: BrowserSessionsOptions,
  cookie: string | undefined,
): Promise<readonly BrowserSession[]> {
  const { store } = dependencies
  if (cookie === undefined) return []
  const usable = await live(dependencies, cookie)
  const taken = new Set((await store.take(hashOf(cookie))).map(({ sid }) => sid))
  return usable.filter(({ sid }) => taken.has(sid))
}

async function updateOne(
  { store, checks, now }: BrowserSessionsOptions,
  cookie: string,
  sid: string,
  change: Partial<BrowserSession>,
): Promise<void> {
  await store.update(hashOf(cookie), async (known) => {
    const sessions = known.map((session) => (session.sid === sid ? { ...session, ...change } : session))
    return { sessions, ttlSeconds: ttlSeconds(sessions, await checks.lifetimes(), now().getTime()) }
  })
}

/** A cookie that lasts as long as the longest of its sessions, and not beyond the browser if one of them may not. */
async function cookieOf(
  { checks }: BrowserSessionsOptions,
  value: string,
  sessions: readonly BrowserSession[],
  keptSeconds: number,
): Promise<SessionCookie> {
  const organizations = [...new Set(sessions.map(({ organizationId }) => organizationId))]
  const ends = await Promise.all(organizations.map((id) => checks.endsWithBrowser(id)))
  return { value, maxAgeSeconds: ends.includes(true) ? undefined : keptSeconds }
}
