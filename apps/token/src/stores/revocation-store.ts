import type { Queryable } from '@signet/postgres/pool'
import type { RevocationKind } from '@signet/revocation-reader/mirror-keys'

/** One thing that has ended. */
export interface Revocation {
  readonly kind: RevocationKind
  readonly id: string
  /** 1, or for users, clients and organizations the epoch below which everything is dead. */
  readonly value: number
  /** Chooses the shard of the mirror; absent for kinds that concern every shard. */
  readonly subject?: string
}

export interface RecordedRevocation extends Revocation {
  readonly day: number
}

/** The truth about what has ended. */
export interface RevocationStore {
  /**
   * Writes revocations in the caller's transaction; one that exists already only ever rises. Answers those that are to
   * be published: what the mirror holds already is left alone. Of any number of concurrent calls none fails because of
   * another, whatever they have in common.
   */
  record(tx: Queryable, revocations: readonly Revocation[], now: Date): Promise<readonly RecordedRevocation[]>
  /** Remembers that the mirror holds them. */
  markPublished(revocations: readonly RecordedRevocation[]): Promise<void>
  /** Takes rows that nobody published within `olderThanMs`, each row for one replica at a time. */
  withUnpublished(
    olderThanMs: number,
    publish: (revocations: readonly RecordedRevocation[]) => Promise<void>,
  ): Promise<number>
  /** Every revocation that may still end something, for filling a mirror. */
  all(): Promise<readonly Revocation[]>
}
