import {
  type Administrator,
  actingBy,
  type BrowserSession,
  type EndSessions,
  endOf,
  type SessionChecks,
  type SessionRepository,
  usableSessions,
} from './browser-session.ts'
import { removeEverywhere } from './removed-sessions.ts'

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
  /** Ends the session in the same way, also one that no browser is known to have. */
  endNamed(ending: UserSessionEnding): Promise<void>
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
    const beside = sessions.filter(({ sid, userId: id }) => id !== userId && administrators.has(sid))
    const acting = sessions.filter(({ impersonation }) => impersonation?.administratorId === userId)
    return { own, beside, acting }
  }

  /**
   * Ends sessions of a user, and those in which the user acts as another person by them: they would not count, and this tells their
   * applications too.
   */
  async function endWithActing(
    { userId, clientAddress, administrator }: Omit<UserSessionEnding, 'sid'>,
    sids: ReadonlySet<string>,
    acting: readonly BrowserSession[],
  ): Promise<void> {
    const ended = [...sids].map((sid) => ({ sid, userId }))
    const resting = actingBy(acting, sids)
    await endSessions(ended, { ...(administrator && { administrator }), clientAddress })
    if (resting.length > 0) {
      const by = administrator ?? ({ userId, kind: 'human' } as const)
      await endSessions(
        resting.map((session) => ({ sid: session.sid, userId: session.userId })),
        { administrator: by, clientAddress },
      )
    }
    await removeEverywhere({ store, checks, now }, [...ended, ...resting])
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
    async end({ sid, ...ending }) {
      const { own, acting } = await known(ending.userId)
      if (!own.some((session) => session.sid === sid)) return 'not_found'
      // Revokes the tokens first: if that fails, the session can still be ended by another call.
      await endWithActing(ending, new Set([sid]), acting)
      return 'ended'
    },
    async endNamed({ sid, ...ending }) {
      const { acting } = await known(ending.userId)
      await endWithActing(ending, new Set([sid]), acting)
    },
    async endAll(ending, chosen) {
      const { own, acting } = await known(ending.userId)
      const sids = new Set(own.filter(chosen).map(({ sid }) => sid))
      if (sids.size > 0) await endWithActing(ending, sids, acting)
    },
  }
}
