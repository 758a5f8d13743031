import type { BrowserSession } from './browser-session.ts'

/** Keeps the sessions of each browser. A browser goes by the hash of its session cookie. */
export interface BrowserSessionStore {
  /** The sessions of a browser; none when it is unknown. */
  load(browser: string): Promise<readonly BrowserSession[]>
  create(browser: string, sessions: readonly BrowserSession[], keepSeconds: number): Promise<void>
  /** Writes only where the browser is still known, so that a late write never brings back a removed one. */
  replace(browser: string, sessions: readonly BrowserSession[], keepSeconds: number): Promise<void>
  /** Forgets a browser that had these sessions. */
  remove(browser: string, sessions: readonly BrowserSession[]): Promise<void>
  /**
   * Every browser that a user is signed in to, and perhaps others; of more than a thousand those that are kept the
   * longest.
   */
  browsersOf(userId: string): Promise<readonly string[]>
}
