import type { PendingStore } from '../browser/pending.ts'

/** A session to end, whether or not this browser still knows it. */
export interface EndedSession {
  readonly sid: string
  readonly userId: string
}

/** A sign-out that waits for the person's word. */
export interface PendingLogout {
  readonly browserHash: string
  /** Name of the application that asked. */
  readonly application?: string | undefined
  readonly target?: string | undefined
  /** The languages that the application wishes the question in. */
  readonly uiLocales?: string | undefined
  /** The session that the hint named, if it did. */
  readonly hinted?: EndedSession | undefined
}

export type PendingLogouts = PendingStore<PendingLogout>
