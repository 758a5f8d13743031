import { type RecordKind, underValueRules } from '@signet/file-formats/export/value-rules'
import type { Queryable } from '@signet/platform/postgres/pool'
import type { Conflict } from '../database/import-table.repository.ts'

/** The organizations of records, and the values that all of them share. */
export interface BatchContext {
  /** The import. */
  readonly jobId: string
  /** The organization of each record, by its index. */
  readonly organizationIds: readonly string[]
  /** The time of creation of what says no other. */
  readonly acceptedAt: Date
  /** Below it lies the domain of an organization that brings none. */
  readonly domainSuffix: string
  /** Whether the role or grant of each record counts at once. */
  readonly accepted?: readonly boolean[]
}

/** A part of a record that breaks a rule: it is not written, the rest of the record is. */
export interface LeftOut {
  /** Index of the record in its batch. */
  readonly index: number
  readonly message: string
  /** Type in the report of a part that is an object of its own, such as a domain. */
  readonly type?: string
  readonly id?: string
  /** The member, and its value where that cannot be a secret. */
  readonly member?: string
  readonly value?: string
  /** The client id or user name of the record. */
  readonly record?: string
  /** The record failed because an object that it refers to is not there, or not in the document. */
  readonly isMissing?: true
}

/** The rule that a record breaks which fails as a whole. */
export type BrokenRule = Pick<LeftOut, 'message' | 'isMissing'>

const LONGEST_VALUE = 2_000

/** The text as PostgreSQL takes it in JSON: without NUL and without halves of surrogate pairs. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

/** The member of a record that is not written. `value` is one that cannot be a secret. */
export function memberLeftOut(index: number, { field, rule, value }: Problem): LeftOut {
  return {
    ...{ index, message: `${field} is left out: ${rule}`, member: field },
    ...(value !== undefined && value.length <= LONGEST_VALUE && { value: storable(value) }),
  }
}

/** Records under the rules that the management API and the bootstrap file apply to the same objects. */
export interface RuledRecords<R> {
  readonly records: readonly R[]
  readonly leftOut: readonly LeftOut[]
  /** Rules that records break which are refused as a whole, by index. */
  readonly refused: ReadonlyMap<number, string>
}

/** Writes the records of one list, many in one statement. All calls for a group of batches share one transaction. */
export interface RecordWriter {
  /**
   * A record may be of the same object as one of another organization, or take an id only if that leaves it free: batches
   * are written one after the other.
   */
  readonly inOrder?: true
  /** Leaves out of the records what breaks a rule. Absent: nothing does that the format allows. */
  underRules?(
    tx: Queryable,
    records: readonly unknown[],
    context: BatchContext,
  ): RuledRecords<unknown> | Promise<RuledRecords<unknown>>
  /** The conflicts of records, by index; a record without one is new. */
  findConflicts(
    tx: Queryable,
    records: readonly unknown[],
    context: BatchContext,
  ): Promise<ReadonlyMap<number, Conflict>>
  /** Adds records that are new. Violates a constraint when a parallel transaction added the same. */
  insert(tx: Queryable, records: readonly unknown[], context: BatchContext): Promise<void>
  /** Replaces the existing objects by the records. */
  update(tx: Queryable, records: readonly unknown[], context: BatchContext): Promise<void>
  /** Notes for an administrator about written records. */
  notes?(
    records: readonly unknown[],
    tx: Queryable,
    context: BatchContext,
  ): readonly string[] | Promise<readonly string[]>
}

/** A writer of records of a known type; the list's name is what proves it. */
export interface TypedWriter<R> {
  readonly inOrder?: true
  underRules?(
    tx: Queryable,
    records: readonly R[],
    context: BatchContext,
  ): RuledRecords<R> | Promise<RuledRecords<R>>
  findConflicts(
    tx: Queryable,
    records: readonly R[],
    context: BatchContext,
  ): Promise<ReadonlyMap<number, Conflict>>
  insert(tx: Queryable, records: readonly R[], context: BatchContext): Promise<void>
  update(tx: Queryable, records: readonly R[], context: BatchContext): Promise<void>
  notes?(
    records: readonly R[],
    tx: Queryable,
    context: BatchContext,
  ): readonly string[] | Promise<readonly string[]>
}

/** Rules that a text, or each text of a list, may break, by member. */
export type PartRules = Readonly<Record<string, (value: string) => string | undefined>>

interface Problem {
  readonly field: string
  readonly rule: string
  readonly value?: string
}

/** An object without the members and list entries that break a rule, and what was left out. */
export function leaveOut<T extends object>(
  object: T,
  rules: PartRules,
): { readonly kept: T; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const obeys = (field: string, value: unknown, ruleOf: PartRules[string]): boolean => {
    const rule = typeof value === 'string' ? ruleOf(value) : undefined
    if (rule !== undefined) problems.push({ field, rule, value: String(value) })
    return rule === undefined
  }
  const kept = Object.entries(object).flatMap(([member, value]: [string, unknown]) => {
    const ruleOf = rules[member]
    if (ruleOf === undefined) return [[member, value]]
    if (Array.isArray(value))
      return [[member, value.filter((entry, at) => obeys(`${member}[${at}]`, entry, ruleOf))]]
    return obeys(member, value, ruleOf) ? [[member, value]] : []
  })
  return { kept: problems.length === 0 ? object : (Object.fromEntries(kept) as T), problems }
}

/** The writer of records without the values that the management API and the bootstrap file refuse. */
export function withValueRules(list: RecordKind, writer: RecordWriter): RecordWriter {
  return {
    ...writer,
    async underRules(tx, records, context) {
      const kept = [...records]
      const leftOut: LeftOut[] = []
      const refused = new Map<number, string>()
      for (const [index, given] of records.entries()) {
        const { record, problems } = underValueRules(list, given as object)
        if (record === undefined)
          refused.set(index, problems.map(({ field, rule }) => `${field}: ${rule}`).join('; '))
        else {
          kept[index] = record
          leftOut.push(...problems.map(({ field, rule }) => memberLeftOut(index, { field, rule })))
        }
      }
      const ruled = await writer.underRules?.(tx, kept, context)
      return {
        records: ruled?.records ?? kept,
        leftOut: [...leftOut, ...(ruled?.leftOut ?? [])],
        refused: new Map([...(ruled?.refused ?? []), ...refused]),
      }
    },
  }
}

/** The clocks of two instances differ by less. */
const MOST_SKEW_MS = 300_000

const MEMBERS = ['creationDate', 'changeDate'] as const
type Timed = { readonly [Member in (typeof MEMBERS)[number]]?: string | undefined }

/**
 * The writer of records without times of creation and change that lie in the future. One that is ahead by no more than
 * clocks differ becomes the time of the import; a later one is left out and reported.
 */
export function withPastTimes<R extends Timed>(writer: TypedWriter<R>): TypedWriter<R> {
  return {
    ...writer,
    async underRules(tx, records, context) {
      const ruled = (await writer.underRules?.(tx, records, context)) ?? {
        records,
        leftOut: [],
        refused: new Map(),
      }
      const leftOut: LeftOut[] = [...ruled.leftOut]
      const past = ruled.records.map((record, index) => {
        const ahead = MEMBERS.filter((member) => aheadOf(record[member], context.acceptedAt) > 0)
        if (ahead.length === 0) return record
        const corrected = ahead.map((member) => {
          if (aheadOf(record[member], context.acceptedAt) <= MOST_SKEW_MS) {
            return [member, context.acceptedAt.toISOString()]
          }
          leftOut.push(memberLeftOut(index, { field: member, rule: 'it is in the future' }))
          return [member, undefined]
        })
        return { ...record, ...Object.fromEntries(corrected) }
      })
      return { ...ruled, records: past, leftOut }
    },
  }
}

function aheadOf(time: string | undefined, now: Date): number {
  return time === undefined ? 0 : Date.parse(time) - now.getTime()
}
