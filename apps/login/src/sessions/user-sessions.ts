import {
  type Administrator,
  type BrowserSession,
  type EndSessions,
  endOf,
  type SessionChecks,
  type SessionRepository,
  usableSessions,
} from './browser-session.ts'
import { removeEverywhere } from './browser-sessions.ts'

/** A usable session, with its expiry if it is not used again (unix milliseconds). */
interface UserSession extends BrowserSession {
  readonly expiresAt: number
}

interface UserSessionEnding {
  readonly userId: string
  readonly sid: string
  /** The administrator who ends the session; absent when the user ends it. */
  readonly administrator?: Administrator
  readonly clientAddress: string
}

/** The sessions of one user in all browsers, for the user and administrators. */
export interface UserSessions {
  /** The usable sessions, ordered by sid. */
  list(userId: string): Promise<readonly UserSession[]>
  /**
   * Ends the session and revokes its tokens. Returns `not_found` when the user has no such session. A session whose
   * revocation could not be published stays, so that the call can be repeated.
   */
  end(ending: UserSessionEnding): Promise<'ended' | 'not_found'>
  /** Ends the sessions that `chosen` names, with their tokens. */
  endAll(
    ending: Omit<UserSessionEnding, 'sid' | 'administrator'>,
    chosen: (session: BrowserSession) => boolean,
  ): Promise<void>
}

interface UserSessionsDependencies {
  readonly store: SessionRepository
  readonly checks: SessionChecks
  readonly endSessions: EndSessions
  readonly now: () => Date
}

export function createUserSessions(dependencies: UserSessionsDependencies): UserSessions {
  const { store, checks, endSessions, now } = dependencies

  async function known(userId: string) {
    const browsers = await store.browsersOf(userId)
    const loaded = await Promise.all(browsers.map((browser) => store.load(browser)))
    const sessions = loaded.flatMap(({ sessions: ofBrowser }) => ofBrowser)
    const own = sessions.filter((session) => session.userId === userId)
    // Without the session of its administrator that of an impersonation does not count.
    const administrators = new Set(own.flatMap(({ impersonation }) => impersonation?.sid ?? []))
    return { own, beside: sessions.filter(({ sid, userId: id }) => id !== userId && administrators.has(sid)) }
  }

  return {
    async list(userId) {
      const { own, beside } = await known(userId)
      const [usable, lifetimes] = await Promise.all([
        usableSessions([...own, ...beside], checks, now().getTime()),
        checks.lifetimes(),
      ])
      return usable
        .filter((session) => session.userId === userId)
        .map((session) => ({ ...session, expiresAt: endOf(session, lifetimes) }))
        .sort((one, other) => (one.sid < other.sid ? -1 : 1))
    },
    async end({ userId, sid, administrator, clientAddress }) {
      if (!(await known(userId)).own.some((session) => session.sid === sid)) return 'not_found'
      // Revokes the tokens first: if that fails, the session can still be ended by another call.
      await endSessions([{ sid, userId }], { ...(administrator && { administrator }), clientAddress })
      await removeEverywhere({ store, checks, now }, [{ sid, userId }])
      return 'ended'
    },
    async endAll({ userId, clientAddress }, chosen) {
      const ended = (await known(userId)).own.filter(chosen).map(({ sid }) => ({ sid, userId }))
      if (ended.length === 0) return
      await endSessions(ended, { clientAddress })
      await removeEverywhere({ store, checks, now }, ended)
    },
  }
}
