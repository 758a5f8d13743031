import { hashOf, newRandomValue, type RandomBytes } from '../browser/browser.ts'
import { type BrowserSession, keepSeconds } from './browser-session.ts'
import type { BrowserSessionStore } from './browser-session-store.ts'
import { forgetSessions } from './forget-sessions.ts'
import { type SessionChecks, usableSessions } from './usable-sessions.ts'

/** Who has just proven to be who. */
export interface Authentication {
  readonly userId: string
  readonly organizationId: string
  readonly userEpoch: number
  readonly organizationEpoch: number
  readonly amr: readonly string[]
  /** When the password was right, where that was before now: a session that gets a second factor. */
  readonly passwordAt?: number | undefined
}

export interface BrowserSessions {
  /** The sessions that count now, the latest authentication first. */
  live(cookie: string | undefined): Promise<readonly BrowserSession[]>
  /** Every session under the cookie, ended or not. */
  all(cookie: string | undefined): Promise<readonly BrowserSession[]>
  /**
   * Adds an authenticated account under a new cookie; the cookie that the browser had before is worth nothing
   * afterwards. Signing in again to a live session keeps its `sid`, which ID tokens already carry.
   */
  signIn(
    cookie: string | undefined,
    authentication: Authentication,
  ): Promise<{ cookie: string; session: BrowserSession }>
  /** Moves the idle end of a session. */
  touch(cookie: string, session: BrowserSession): Promise<void>
  /** Forgets the sessions with these ids; true when none is left in this browser. */
  forget(cookie: string, sids: ReadonlySet<string>): Promise<boolean>
}

export interface BrowserSessionsOptions {
  readonly store: BrowserSessionStore
  readonly checks: SessionChecks
  readonly now: () => Date
  readonly random: RandomBytes
}

// The idle end may be early by this much; it saves a write for every request of a busy browser.
const TOUCH_AFTER_MS = 60_000

export function createBrowserSessions({
  store,
  checks,
  now,
  random,
}: BrowserSessionsOptions): BrowserSessions {
  const all = async (cookie: string | undefined) =>
    cookie === undefined ? [] : await store.load(hashOf(cookie))
  const live = async (cookie: string | undefined) =>
    usableSessions(await all(cookie), checks, now().getTime())

  return {
    all,
    live,
    async signIn(cookie, { passwordAt, ...authentication }) {
      const time = now().getTime()
      const before = await live(cookie)
      const again = before.find((session) => session.userId === authentication.userId)
      const sid = again?.sid ?? random(16).toString('base64url')
      const session = {
        ...authentication,
        sid,
        authenticatedAt: passwordAt ?? time,
        lastUsedAt: time,
        ...(authentication.amr.includes('mfa') && { secondFactorAt: time }),
      }
      const sessions = [session, ...before.filter((other) => other !== again)]
      const fresh = newRandomValue(random)
      await store.create(hashOf(fresh), sessions, keepSeconds(sessions, await checks.lifetimes(), time))
      if (cookie !== undefined) await store.remove(hashOf(cookie), sessions)
      return { cookie: fresh, session }
    },
    async touch(cookie, session) {
      const time = now().getTime()
      if (time - session.lastUsedAt < TOUCH_AFTER_MS) return
      const browser = hashOf(cookie)
      const sessions = (await store.load(browser)).map((known) =>
        known.sid === session.sid ? { ...known, lastUsedAt: time } : known,
      )
      await store.replace(browser, sessions, keepSeconds(sessions, await checks.lifetimes(), time))
    },
    forget: (cookie, sids) => forgetSessions({ store, checks, now }, hashOf(cookie), sids),
  }
}
