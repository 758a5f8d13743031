import type { BrowserSession } from './browser-session.ts'

/** What takes the place of a browser's sessions. None removes the browser. */
export interface SessionsChange {
  readonly sessions: readonly BrowserSession[]
  readonly keepSeconds: number
}

/** Keeps the sessions of each browser. A browser goes by the hash of its session cookie. */
export interface BrowserSessionStore {
  /** The sessions of a browser; none when it is unknown. */
  load(browser: string): Promise<readonly BrowserSession[]>
  create(browser: string, sessions: readonly BrowserSession[], keepSeconds: number): Promise<void>
  /** Removes a browser and returns its sessions. Of concurrent calls only one gets them. */
  take(browser: string): Promise<readonly BrowserSession[]>
  /**
   * Changes the sessions of a known browser and returns what is left. `change` is called again with the new sessions
   * when another writer was faster, and returns undefined to leave them. Throws TemporarilyUnavailableError when other
   * writers are faster again and again.
   */
  update(
    browser: string,
    change: (sessions: readonly BrowserSession[]) => Promise<SessionsChange | undefined>,
  ): Promise<readonly BrowserSession[]>
  /**
   * Every browser that a user is signed in to, and perhaps others; of more than a thousand those that are kept the
   * longest.
   */
  browsersOf(userId: string): Promise<readonly string[]>
}
