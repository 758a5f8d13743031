import type { AuditEvent } from '@signet/audit-trail/audit-event'
import type { EndedBy } from '../audit/session-events.ts'
import type { PublishedEpoch } from '../revocation/published-epoch.ts'
import type { RecordedRevocation, Revocation } from './revocation-store.ts'

export interface EndedSession {
  readonly sid: string
  readonly userId: string
}

/** Ends grants, records the revocations and the events that go with it, each call in one transaction. */
export interface EndingStore {
  /** Ends one refresh family and every access token made under its grant. */
  endGrant(
    grant: { readonly grantId: string; readonly userId: string },
    why: { readonly reason: string; readonly event: AuditEvent },
    now: Date,
  ): Promise<readonly RecordedRevocation[]>
  /** Ends every grant that a user gave an application. */
  endGrantsOfClient(
    holder: { readonly userId: string; readonly clientId: string },
    event: AuditEvent,
    now: Date,
  ): Promise<readonly RecordedRevocation[]>
  /**
   * Ends sessions with every grant under them and queues their applications to be told. After it committed no
   * redemption under them succeeds.
   */
  endSessions(
    sessions: readonly EndedSession[],
    now: Date,
    by: EndedBy,
  ): Promise<readonly RecordedRevocation[]>
  /** Records that everything below epochs has ended; the applications of a user's sessions are queued to be told. */
  endByEpochs(epochs: readonly PublishedEpoch[], now: Date): Promise<readonly RecordedRevocation[]>
  /**
   * Queues the applications of all sessions to be told that rest on a lower epoch of an application or an organization.
   * What an end left unqueued that was interrupted, the next call for the same epochs queues.
   */
  queueLogouts(epochs: readonly PublishedEpoch[], now: Date): Promise<void>
  /** Records the end of what is no grant and no session: single tokens and keys. */
  record(
    revocations: readonly Revocation[],
    now: Date,
    event?: AuditEvent,
  ): Promise<readonly RecordedRevocation[]>
}
