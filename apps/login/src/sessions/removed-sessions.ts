// Sessions that end leave the browsers that hold them.
import {
  type BrowserSession,
  type EndedSession,
  type SessionChecks,
  type SessionRepository,
  type StoredSessions,
  ttlSeconds,
} from './browser-session.ts'

interface RemovalOptions {
  readonly store: SessionRepository
  readonly checks: SessionChecks
  readonly now: () => Date
}

/** Removes sessions of one browser, whose hash names it; returns true when it has none left. `loaded` saves reading them again. */
export async function removeSessions(
  { store, checks, now }: RemovalOptions,
  browser: string,
  sids: ReadonlySet<string>,
  loaded?: StoredSessions,
): Promise<boolean> {
  const without = async (known: readonly BrowserSession[]) => {
    const sessions = known.filter((session) => !sids.has(session.sid))
    if (sessions.length === known.length) return undefined
    return { sessions, ttlSeconds: ttlSeconds(sessions, await checks.lifetimes(), now().getTime()) }
  }
  const left = await store.update(browser, without, loaded)
  return left.length === 0
}

/** Removes ended sessions from all browsers of their users. */
export async function removeEverywhere(
  dependencies: RemovalOptions,
  ended: readonly EndedSession[],
): Promise<void> {
  const sids = new Set(ended.map(({ sid }) => sid))
  for (const userId of new Set(ended.map((session) => session.userId))) {
    const browsers = await dependencies.store.browsersOf(userId)
    await Promise.all(browsers.map((browser) => removeSessions(dependencies, browser, sids)))
  }
}
