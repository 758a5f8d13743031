import type { Queryable } from '@signet/platform/postgres/pool'

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

/** A part of a record that breaks a rule: it is not written, the rest of the record is. */
export interface LeftOut {
  /** Of the record in its batch. */
  readonly index: number
  readonly message: string
  /** What the report calls it when it is an object of its own, such as a domain. */
  readonly type?: string
  readonly id?: string
}

/** Records under the rules that the management API and the bootstrap file apply to the same objects. */
export interface RuledRecords<R> {
  readonly records: readonly R[]
  readonly leftOut: readonly LeftOut[]
  /** By index, the rule that a record breaks which nothing is left of. */
  readonly refused: ReadonlyMap<number, string>
}

/** Writes the records of one list, many in one statement. All calls of a batch share one transaction. */
export interface RecordWriter {
  /** Leaves out of the records what breaks a rule. Absent: nothing does that the format allows. */
  underRules?(
    tx: Queryable,
    records: readonly unknown[],
    context: BatchContext,
  ): RuledRecords<unknown> | Promise<RuledRecords<unknown>>
  /** By index, for those records only that are not simply new. */
  fates(tx: Queryable, records: readonly unknown[], context: BatchContext): Promise<ReadonlyMap<number, Fate>>
  /** Adds records that are new. Violates a constraint when somebody was faster. */
  insert(tx: Queryable, records: readonly unknown[], context: BatchContext): Promise<void>
  /** Makes what is there what the records say. */
  update(tx: Queryable, records: readonly unknown[], context: BatchContext): Promise<void>
  /** What an administrator should know of records that were written. */
  notes?(
    records: readonly unknown[],
    tx: Queryable,
    context: BatchContext,
  ): readonly string[] | Promise<readonly string[]>
}

/** A writer of records of a known type; the list's name is what proves it. */
export interface TypedWriter<R> {
  underRules?(
    tx: Queryable,
    records: readonly R[],
    context: BatchContext,
  ): RuledRecords<R> | Promise<RuledRecords<R>>
  fates(tx: Queryable, records: readonly R[], context: BatchContext): Promise<ReadonlyMap<number, Fate>>
  insert(tx: Queryable, records: readonly R[], context: BatchContext): Promise<void>
  update(tx: Queryable, records: readonly R[], context: BatchContext): Promise<void>
  notes?(
    records: readonly R[],
    tx: Queryable,
    context: BatchContext,
  ): readonly string[] | Promise<readonly string[]>
}
