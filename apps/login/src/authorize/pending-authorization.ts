import type { PendingStore } from '../browser/pending.ts'
import type { PasswordProof } from '../sign-in/password-proof.ts'

/** What the person has done for one request so far. */
export interface Progress {
  /** The session that the person signed in to for this very request. */
  readonly signedInSid?: string | undefined
  /** The session that the person chose among those of this browser. */
  readonly chosenSid?: string | undefined
  /** The session whose person has allowed what this very request asks for. */
  readonly consentedSid?: string | undefined
  /** A password that was right, of a sign-in that needs more. */
  readonly passwordProof?: PasswordProof | undefined
}

/** An authorization request that waits for a person. */
interface PendingAuthorization extends Progress {
  readonly browserHash: string
  /** As the client sent them; they are judged anew when the request goes on. */
  readonly parameters: Readonly<Record<string, string>>
}

export type PendingAuthorizations = PendingStore<PendingAuthorization>
