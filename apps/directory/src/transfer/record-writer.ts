import type { Queryable } from '@signet/postgres/pool'

/** What a whole batch has in common. */
export interface BatchContext {
  readonly organizationId: string
  /** The time of creation of what says no other. */
  readonly acceptedAt: Date
  /** Below it lies the domain of an organization that brings none. */
  readonly domainSuffix: string
}

/** What stands in the way of a new record: the same object is there already, or something that makes it impossible. */
export type Fate = { readonly fate: 'present' } | { readonly fate: 'impossible'; readonly reason: string }

/** Writes the records of one list, many in one statement. All calls of a batch share one transaction. */
export interface RecordWriter {
  /** By index, for those records only that are not simply new. */
  fates(tx: Queryable, records: readonly unknown[], context: BatchContext): Promise<ReadonlyMap<number, Fate>>
  /** Adds records that are new. Violates a constraint when somebody was faster. */
  insert(tx: Queryable, records: readonly unknown[], context: BatchContext): Promise<void>
  /** Makes what is there what the records say. */
  update(tx: Queryable, records: readonly unknown[], context: BatchContext): Promise<void>
  /** What an administrator should know of records that were written. */
  notes?(records: readonly unknown[]): readonly string[]
}

/** A writer of records of a known type; the list's name is what proves it. */
export interface TypedWriter<R> {
  fates(tx: Queryable, records: readonly R[], context: BatchContext): Promise<ReadonlyMap<number, Fate>>
  insert(tx: Queryable, records: readonly R[], context: BatchContext): Promise<void>
  update(tx: Queryable, records: readonly R[], context: BatchContext): Promise<void>
  notes?(records: readonly R[]): readonly string[]
}
