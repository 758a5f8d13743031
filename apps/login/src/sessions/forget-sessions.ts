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
  const known = await store.load(browser)
  const left = known.filter((session) => !sids.has(session.sid))
  if (left.length === 0) await store.remove(browser, known)
  else await store.replace(browser, left, keepSeconds(left, await checks.lifetimes(), now().getTime()))
  return left.length === 0
}
