import type { BrowserSession } from './browser-session.ts'

/** Keeps the sessions of each browser under its session cookie. */
export interface BrowserSessionStore {
  /** The sessions under a cookie; none when it is unknown. */
  load(cookie: string): Promise<readonly BrowserSession[]>
  create(cookie: string, sessions: readonly BrowserSession[], keepSeconds: number): Promise<void>
  /** Writes only where the cookie is still known, so that a late write never brings back a removed browser. */
  replace(cookie: string, sessions: readonly BrowserSession[], keepSeconds: number): Promise<void>
  remove(cookie: string): Promise<void>
}
