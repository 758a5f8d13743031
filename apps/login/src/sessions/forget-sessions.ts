import type { EndedSession } from '../logout/end-tokens.ts'
import { keepSeconds } from './browser-session.ts'
import type { BrowserSessionStore } from './browser-session-store.ts'
import type { SessionChecks } from './usable-sessions.ts'

interface Dependencies {
  readonly store: BrowserSessionStore
  readonly checks: SessionChecks
  readonly now: () => Date
}

/** Forgets those sessions of a browser that have these ids; true when none is left in it. */
export async function forgetSessions(
  { store, checks, now }: Dependencies,
  browser: string,
  sids: ReadonlySet<string>,
): Promise<boolean> {
  const left = await store.update(browser, async (known) => {
    const sessions = known.filter((session) => !sids.has(session.sid))
    if (sessions.length === known.length) return undefined
    return { sessions, keepSeconds: keepSeconds(sessions, await checks.lifetimes(), now().getTime()) }
  })
  return left.length === 0
}

/** Forgets ended sessions in every browser that their users are signed in to. */
export async function forgetEverywhere(
  dependencies: Dependencies,
  ended: readonly EndedSession[],
): Promise<void> {
  const sids = new Set(ended.map(({ sid }) => sid))
  for (const userId of new Set(ended.map((session) => session.userId))) {
    const browsers = await dependencies.store.browsersOf(userId)
    await Promise.all(browsers.map((browser) => forgetSessions(dependencies, browser, sids)))
  }
}
