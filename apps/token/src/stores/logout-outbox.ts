import type { AuditEvent } from '@signet/admin-api/audit/audit-trail'
import type { SigningAlgorithm } from '@signet/protocol/signing-algorithms'

/** One application that has to be told of the end of one session. */
export interface LogoutDelivery {
  readonly id: string
  readonly day: number
  readonly sid: string
  readonly userId: string
  readonly clientId: string
  readonly uri: string
  readonly signingAlg: SigningAlgorithm
  /** Tries before this one. */
  readonly failures: number
}

/** What applications are still to be told. Rows come into it in the transaction that ends their session. */
export interface LogoutOutbox {
  /**
   * Takes deliveries whose time has come. Each goes to one caller, and to another one a minute later when none of the
   * methods below was called for it.
   */
  claim(limit: number, now: Date): Promise<readonly LogoutDelivery[]>
  delivered(delivery: LogoutDelivery): Promise<void>
  /** Counts a failure. */
  postpone(delivery: LogoutDelivery, dueAt: Date): Promise<void>
  /** Counts the last failure; the event is stored with it. */
  giveUp(delivery: LogoutDelivery, event: AuditEvent): Promise<void>
}
