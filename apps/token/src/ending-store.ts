import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Ending, EndingKind } from '@signet/revocation-reader/endings'
import type { EndedBy } from './audit-events.ts'

export interface EndedSession {
  readonly sid: string
  readonly userId: string
}

/** Ends grants, records the endings and the events that go with it, each call in one transaction. Each returns the endings
 * that the caller publishes, also those that stood before. */
export interface EndingStore {
  /** Ends one refresh family and every access token made under its grant. */
  endGrant(
    grant: { readonly grantId: string },
    why: { readonly reason: string; readonly event: AuditEvent },
    now: Date,
  ): Promise<readonly Ending[]>
  /**
   * Ends a refresh family of one client, as `endGrant` does, and adds its user to the event. Without the family, with one of another
   * client and with one for whose tokens others were exchanged it writes nothing and returns no endings.
   */
  endGrantOfClient(
    grant: { readonly grantId: string; readonly clientId: string },
    why: { readonly reason: string; readonly event: AuditEvent },
    now: Date,
  ): Promise<readonly Ending[]>
  /** Ends every grant that a user gave an application. */
  endGrantsOfClient(
    holder: { readonly userId: string; readonly clientId: string },
    event: AuditEvent,
    now: Date,
  ): Promise<readonly Ending[]>
  /**
   * Ends sessions with every grant under them and queues the logout tokens of their applications. After the
   * commit no redemption under them succeeds.
   */
  endSessions(sessions: readonly EndedSession[], now: Date, by: EndedBy): Promise<readonly Ending[]>
  /**
   * Ends what the directory has ended: users, clients and organizations below an epoch, personal access tokens. The
   * applications of the sessions of a user and of an impersonation are queued to be notified.
   */
  endByDirectory(endings: readonly DirectoryEnding[], now: Date): Promise<readonly Ending[]>
  /**
   * Queues logout tokens to the applications of all sessions that rest on a lower epoch of an application or
   * an organization. The next call for the same endings queues the rest of an interrupted one.
   */
  queueLogouts(endings: readonly DirectoryEnding[], now: Date): Promise<void>
  /**
   * Ends one access token and the refresh families that were exchanged for it; `expiresAt` in seconds since 1970. Without an event only
   * for a token that left this service for no client.
   */
  endAccessToken(
    token: { readonly id: string; readonly expiresAt: number },
    event: AuditEvent | undefined,
    now: Date,
  ): Promise<readonly Ending[]>
  /** Revokes a key for ever. */
  endKey(kid: string): Promise<Ending>
}

/** An ending that the directory makes: of a user, a client, an organization or a personal access token. */
export interface DirectoryEnding {
  readonly kind: Extract<EndingKind, 'u' | 'c' | 'o' | 'p'>
  /** Id of a personal access token as `personalTokenId` makes it. */
  readonly id: string
  /** The epoch below which everything is dead; 1 for a personal access token. */
  readonly epoch: number
}
