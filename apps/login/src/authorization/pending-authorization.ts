import type { PendingStore } from '../browser/pending.ts'

/** An authorization request that waits for a sign-in. */
interface PendingAuthorization {
  readonly browserHash: string
  /** As the client sent them; they are judged anew when the request goes on. */
  readonly parameters: Readonly<Record<string, string>>
  /** Set by a sign-in for this request. */
  readonly signedInSid?: string | undefined
}

export type PendingAuthorizations = PendingStore<PendingAuthorization>
