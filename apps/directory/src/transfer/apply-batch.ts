import type { AuditActor } from '@signet/admin-api/audit/audit-table'
import type { RecordOf } from '@signet/file-formats/export/lists'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { type PasswordComplexity, passwordProblems } from '../credentials/password-policy.ts'
import {
  type BatchPlan,
  type ChangeRecorder,
  type Difference,
  NOTHING_BEFORE,
  type ObjectsBefore,
} from '../undo/change-recorder.ts'
import type { BatchContext, Conflict, LeftOut, RecordWriter } from './record-writer.ts'

type HumanUser = RecordOf<'humanUsers'>

export interface Batch extends BatchContext {
  readonly jobId: string
  readonly batch: number
  readonly list: string
  readonly records: readonly unknown[]
  readonly onConflict: 'skip' | 'update' | 'fail'
  readonly dryRun: boolean
  readonly planned: readonly PlannedObject[]
  /** Of a dry run of the same batch: the batch is written if its outcomes are the planned ones. */
  readonly plan: Buffer | undefined
  /** How long the batch can be taken back; 0: not at all. */
  readonly undoDays: number
  readonly actor: AuditActor
}

/** A batch whose passwords are hashes; those that break a rule are gone. */
type CheckedBatch = Batch & Pick<HashedUsers, 'refused'>

const NONE: HashedUsers['refused'] = new Map()

/** An object that the document brings before this batch. */
export interface PlannedObject {
  readonly kind: string
  readonly id: string
  readonly ownerId: string
}

export interface BatchOutcome {
  /** One letter for each record: c created, u updated, s skipped, f failed. */
  readonly outcomes: string
  /** Records that failed, and parts that were left out of records that were written. */
  readonly failures: readonly LeftOut[]
  readonly notes: readonly string[]
  /** Of a dry run. */
  readonly plan?: BatchPlan
  /** Where the outcomes are not the planned ones: nothing was written then. */
  readonly differences?: readonly Difference[]
}

export interface AppliedBatchStore {
  /** Makes this transaction the only one that applies the batch, and answers the outcome of one that was before. */
  claim(tx: Queryable, batch: Pick<Batch, 'jobId' | 'batch'>): Promise<BatchOutcome | undefined>
  /** Keeps a batch that was not applied from being applied later, by a call that was slow; returns the outcome of one that was. */
  close(
    tx: Queryable,
    batch: Pick<Batch, 'jobId' | 'batch'>,
    records: number,
  ): Promise<BatchOutcome | undefined>
  /** Stores the outcome, with an audit event, in the transaction of the rows. */
  store(tx: Queryable, batch: Batch, outcome: BatchOutcome): Promise<void>
  /** Lets statements use indexes only: the planner takes tables that are just being filled for empty ones. */
  useIndexes(tx: Queryable): Promise<void>
  /** The organization's own rules for passwords; undefined when it has none, or is not there yet. */
  passwordComplexity(database: Queryable, organizationId: string): Promise<PasswordComplexity | undefined>
  organizationExists(tx: Queryable, organizationId: string): Promise<boolean>
  /** Inserts the placeholders of a dry run, in a transaction that will be rolled back. */
  insertPlaceholders(tx: Queryable, planned: readonly PlannedObject[]): Promise<void>
  /** Runs `work` so that what it did is undone when it fails. */
  savepoint(tx: Queryable, work: () => Promise<void>): Promise<void>
  /** Says in words which rule of the tables a failed statement broke; undefined when it was something else. */
  brokenRule(error: unknown): string | undefined
}

interface Dependencies {
  /** Checks passwords in clear text, which a document of another program may bring, and replaces them by hashes. */
  readonly hashPasswords: (
    users: readonly HumanUser[],
    complexity: PasswordComplexity | undefined,
  ) => Promise<HashedUsers>
  readonly database: Database
  readonly batches: AppliedBatchStore
  readonly changes: ChangeRecorder
  readonly writers: ReadonlyMap<string, RecordWriter>
}

/** How often a batch that lost a race is looked at again as a whole. */
const MOST_TRIES = 3

/** Ends the transaction of a dry run, and of a batch whose plan does not hold. */
class RolledBack extends Error {
  readonly outcome: BatchOutcome
  constructor(outcome: BatchOutcome) {
    super('rolled back on purpose')
    this.outcome = outcome
  }
}

/**
 * Writes a batch and its outcome in one transaction, exactly once: repeated, it answers the stored outcome. A record
 * that cannot be written fails alone.
 */
export function applyBatch({ hashPasswords, database, batches, changes, writers }: Dependencies) {
  return async (given: Batch): Promise<BatchOutcome> => {
    const writer = writers.get(given.list)
    if (writer === undefined) throw new RangeError(`${given.list} is not a list of the format`)
    // Before the transaction, which must not wait for the processor.
    const batch = given.list === 'humanUsers' ? await withoutPasswords(given) : { ...given, refused: NONE }
    for (let tries = 1; ; tries += 1) {
      const mode = tries <= MOST_TRIES ? writeTogether : writeOneByOne
      try {
        return await attempt(batch, writer, mode)
      } catch (error) {
        if (mode === writeOneByOne || batches.brokenRule(error) === undefined) throw error
      }
    }
  }

  async function withoutPasswords(batch: Batch): Promise<CheckedBatch> {
    const complexity = await batches.passwordComplexity(database, batch.organizationId)
    const { users, refused } = await hashPasswords(batch.records as readonly HumanUser[], complexity)
    return { ...batch, records: users, refused }
  }

  async function attempt(
    batch: CheckedBatch,
    writer: RecordWriter,
    write: typeof writeTogether,
  ): Promise<BatchOutcome> {
    try {
      return await database.transaction(
        async (tx) => {
          await batches.useIndexes(tx)
          const known = batch.dryRun ? undefined : await batches.claim(tx, batch)
          if (known !== undefined) return known
          if (batch.dryRun) await batches.insertPlaceholders(tx, batch.planned)
          const { before, records, ...outcome } = await outcomeOf(tx, batch, writer, write)
          const written = { ...batch, records }
          if (batch.dryRun) {
            const plan = await changes.plan(tx, written, before, outcome.outcomes)
            throw new RolledBack({ ...outcome, plan })
          }
          const differences = changes.differences(written, before, outcome.outcomes)
          if (differences.length > 0) throw new RolledBack({ ...outcome, differences })
          await changes.store(tx, written, before, outcome.outcomes)
          await batches.store(tx, batch, outcome)
          return outcome
        },
        { kind: 'background' },
      )
    } catch (error) {
      if (error instanceof RolledBack) return error.outcome
      throw error
    }
  }

  async function outcomeOf(
    tx: Queryable,
    batch: CheckedBatch,
    writer: RecordWriter,
    write: typeof writeTogether,
  ): Promise<BatchOutcome & { readonly before: ObjectsBefore; readonly records: readonly unknown[] }> {
    const { organizationId, list } = batch
    if (list !== 'organization' && !(await batches.organizationExists(tx, organizationId))) {
      const failed = failedAltogether(batch.records.length, 'the organization was not imported')
      return { ...failed, before: NOTHING_BEFORE, records: batch.records }
    }
    const ruled = (await writer.underRules?.(tx, batch.records, batch)) ?? {
      records: batch.records,
      leftOut: [],
      refused: NONE,
    }
    const { records } = ruled
    const checked = { ...batch, records, refused: new Map([...batch.refused, ...ruled.refused]) }
    const conflicts = await writer.findConflicts(tx, records, batch)
    const plan = planOf(checked, conflicts)
    const failures = new Map(plan.failures)
    const before = await changes.readBefore(tx, checked, plan.update)
    await write(tx, { batch: checked, writer, plan, failures })
    const [inserted, updated] = [new Set(plan.insert), new Set(plan.update)]
    const outcomes = records.map((_, index) => {
      if (failures.has(index)) return 'f'
      if (inserted.has(index)) return 'c'
      return updated.has(index) ? 'u' : 's'
    })
    const written = records.filter((_, index) => outcomes[index] === 'c' || outcomes[index] === 'u')
    return {
      outcomes: outcomes.join(''),
      failures: [
        ...[...failures].map(([index, message]) => ({ index, message })),
        ...ruled.leftOut.filter(({ index }) => outcomes[index] === 'c' || outcomes[index] === 'u'),
      ],
      notes: (await writer.notes?.(written, tx, batch)) ?? [],
      before,
      records,
    }
  }

  interface Writing {
    readonly batch: Batch
    readonly writer: RecordWriter
    readonly plan: Plan
    readonly failures: Map<number, string>
  }

  async function writeTogether(tx: Queryable, { batch, writer, plan }: Writing): Promise<void> {
    const at = (indexes: readonly number[]) => indexes.map((index) => batch.records[index])
    if (plan.insert.length > 0) await writer.insert(tx, at(plan.insert), batch)
    if (plan.update.length > 0) await writer.update(tx, at(plan.update), batch)
  }

  /** When a batch violates a constraint that no check predicted: finds the records that do. */
  async function writeOneByOne(tx: Queryable, writing: Writing): Promise<void> {
    const { plan, failures } = writing
    const single = async (index: number, plan: Plan) => {
      try {
        await batches.savepoint(tx, () => writeTogether(tx, { ...writing, plan }))
      } catch (error) {
        const rule = batches.brokenRule(error)
        if (rule === undefined) throw error
        failures.set(index, rule)
      }
    }
    for (const index of plan.insert) await single(index, { insert: [index], update: [], failures: [] })
    for (const index of plan.update) await single(index, { insert: [], update: [index], failures: [] })
  }
}

interface Plan {
  readonly insert: readonly number[]
  readonly update: readonly number[]
  readonly failures: readonly (readonly [number, string])[]
}

function planOf(
  { records, onConflict, refused }: CheckedBatch,
  conflicts: ReadonlyMap<number, Conflict>,
): Plan {
  const insert: number[] = []
  const update: number[] = []
  const failures: [number, string][] = []
  for (const index of records.keys()) {
    const conflict = conflicts.get(index)
    const rule = refused.get(index)
    if (conflict?.kind === 'impossible') failures.push([index, conflict.reason])
    else if (rule !== undefined && (conflict === undefined || onConflict === 'update'))
      failures.push([index, rule])
    else if (conflict === undefined) insert.push(index)
    else if (onConflict === 'update') update.push(index)
    else if (onConflict === 'fail') failures.push([index, 'exists already'])
  }
  return { insert, update, failures }
}

function failedAltogether(records: number, message: string): BatchOutcome {
  const indexes = [...Array(records).keys()]
  return {
    outcomes: 'f'.repeat(records),
    failures: indexes.map((index) => ({ index, message })),
    notes: [],
  }
}

export interface HashedUsers {
  readonly users: readonly HumanUser[]
  /** By index, which rule of the organization a password in clear text breaks. */
  readonly refused: ReadonlyMap<number, string>
}

/**
 * People whose password came in clear text, with its hash instead. One after the other: people who sign in meanwhile
 * wait for one hash at most. Rejects with BusyError when even that is too much.
 */
export async function withHashedPasswords(
  records: readonly HumanUser[],
  complexity: PasswordComplexity | undefined,
  hasher: Pick<PasswordHasher, 'hashPassword'>,
): Promise<HashedUsers> {
  const users: HumanUser[] = []
  const refused = new Map<number, string>()
  for (const [index, record] of records.entries()) {
    const { password, ...user } = record.user
    const [problem] =
      password === undefined || user.hashedPassword !== undefined
        ? []
        : passwordProblems(password, complexity)
    if (problem !== undefined) refused.set(index, `user.password: ${problem.rule}`)
    const needsHash = password !== undefined && user.hashedPassword === undefined && problem === undefined
    const value = needsHash ? await hasher.hashPassword(password) : undefined
    users.push({ ...record, user: { ...user, ...(value !== undefined && { hashedPassword: { value } }) } })
  }
  return { users, refused }
}
