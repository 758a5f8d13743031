import type { AuditEvent } from '@signet/admin-api/audit/audit-trail'
import type { KeyLife } from './key-life.ts'
import type { PublicJwk } from './key-material.ts'

/** A key as it is stored: its life, its public half in the clear, its secret sealed while it is needed. */
export interface StoredKey extends KeyLife {
  readonly publicJwk: PublicJwk | undefined
  readonly sealedSecret: string | undefined
}

export interface KeySnapshot {
  /** Rises with every change of any key. */
  readonly revision: number
  readonly keys: readonly StoredKey[]
}

/** Applied in this order, so that a line never has two active keys: an active one may be deleted at once. */
export interface KeyChanges {
  readonly forget: readonly string[]
  readonly change: readonly KeyLife[]
  readonly create: readonly StoredKey[]
  /** Stored with the changes or not at all. */
  readonly events: readonly AuditEvent[]
}

export interface ResealedSecret {
  readonly kid: string
  readonly sealedSecret: string
}

/** The fields that a replica polls. */
export interface KeyPulse {
  readonly revision: number
  /** Revoked keys of which the token service does not know yet, or not for sure. */
  readonly unpublished: readonly string[]
}

export interface KeyStore {
  pulse(): Promise<KeyPulse>
  read(): Promise<KeySnapshot>
  /** Keys that the token service has published as revoked and that are not revoked here. */
  revokedElsewhere(): Promise<readonly string[]>
  /**
   * Runs `decide` on the keys as they are now and writes what it answers, all or nothing. Of any number of
   * concurrent calls one leads at a time; the others return at once, or take their turn when they `wait`.
   */
  lead(
    decide: (keys: readonly StoredKey[]) => Promise<KeyChanges>,
    options: { readonly wait: boolean },
  ): Promise<'led' | 'led elsewhere'>
  /** Replaces sealed secrets under the lead, all or nothing; the keys themselves stay as they are. */
  reseal(
    decide: (keys: readonly StoredKey[]) => Promise<readonly ResealedSecret[]>,
    event: (count: number) => AuditEvent,
  ): Promise<void>
  /** Notes that nothing made with these keys counts any more, anywhere. */
  markPublished(kids: readonly string[]): Promise<void>
}
