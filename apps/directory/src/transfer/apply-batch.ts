import type { RecordOf } from '@signet/file-formats/export/lists'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import type { PasswordComplexity } from '../accounts/account.ts'
import type { ChangeRecorder } from '../undo/change-recorder.ts'
import type { ReadAuthorityFacts } from './authority-facts.repository.ts'
import type { AppliedBatch, AppliedBatchStore, Batch, BatchOutcome } from './batch.ts'
import { type CheckedBatch, groupOf, outcomesOf, placeholdersOf, type WrittenRecords } from './batch-group.ts'
import type { HashedUsers } from './hashed-users.ts'
import type { RecordWriter } from './record-writer.ts'
import { createWriteRecords, type WriteMode } from './write-records.ts'

type HumanUser = RecordOf<'humanUsers'>

export class UnknownListError extends Error {
  constructor(list: string) {
    super(`list must be one of the export format, not ${JSON.stringify(list.slice(0, 40))}`)
    this.name = 'UnknownListError'
  }
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
  readonly readAuthorityFacts: ReadAuthorityFacts
  readonly writers: ReadonlyMap<string, RecordWriter>
}

/** The dependencies of one call, with the writer of its list. */
interface Application extends Omit<Dependencies, 'writers'> {
  readonly writer: RecordWriter
  readonly writeRecords: ReturnType<typeof createWriteRecords>
}

/** How often a batch that lost a race is looked at again as a whole. */
const MOST_TRIES = 3

/** Ends the transaction of a dry run, and of batches of which a plan does not hold. */
class RolledBack extends Error {
  readonly applied: readonly AppliedBatch[]
  constructor(applied: readonly AppliedBatch[]) {
    super('rolled back on purpose')
    this.applied = applied
  }
}

/**
 * Writes batches of one list of a job, with equal options and in the order of their numbers, each with its outcome in one
 * transaction and exactly once: repeated, it returns the stored outcome. Batches share a transaction unless one of them
 * breaks a rule of the tables, so many small ones cost little more than a large one. A record that cannot be written fails
 * alone. Returns the outcomes in the order of the batches, and ends with the first batch whose plan does not hold: those
 * behind it are not written. A dry run makes the plan of each batch, or compares the batch with the plan that it has.
 */
export function createApplyBatches({ writers, ...dependencies }: Dependencies) {
  const writeRecords = createWriteRecords(dependencies)

  return async (given: readonly Batch[]): Promise<readonly BatchOutcome[]> => {
    const list = given[0]?.list ?? ''
    const writer = writers.get(list)
    if (writer === undefined) throw new UnknownListError(list)
    const application = { ...dependencies, writer, writeRecords }
    // Before the transaction, which must not wait for the processor.
    const checked =
      list === 'humanUsers' ? await withoutPasswords(application, given) : given.map(withNothingLeftOut)
    return await applyAll(application, checked)
  }
}

/** Halves the batches until the one that breaks a rule is alone. */
async function applyAll(
  application: Application,
  given: readonly CheckedBatch[],
): Promise<readonly BatchOutcome[]> {
  const { batches } = application
  if (given.length === 1) return await applyOne(application, given)
  const outcomes = await attempt(application, given, 'together').catch((error: unknown) => {
    if (batches.brokenRule(error) === undefined) throw error
    return undefined
  })
  if (outcomes?.every(({ differences }) => differences === undefined)) return outcomes
  const middle = Math.ceil(given.length / 2)
  const first = await applyAll(application, given.slice(0, middle))
  if (first.at(-1)?.differences !== undefined) return first
  return [...first, ...(await applyAll(application, given.slice(middle)))]
}

async function applyOne(
  application: Application,
  single: readonly CheckedBatch[],
): Promise<readonly BatchOutcome[]> {
  const { batches } = application
  for (let tries = 1; ; tries += 1) {
    const mode = tries <= MOST_TRIES ? 'together' : 'one by one'
    try {
      return await attempt(application, single, mode)
    } catch (error) {
      if (mode === 'one by one' || batches.brokenRule(error) === undefined) throw error
    }
  }
}

async function withoutPasswords(
  { batches, database, hashPasswords }: Application,
  given: readonly Batch[],
): Promise<readonly CheckedBatch[]> {
  const isInClearText = ({ user }: HumanUser) => user.password !== undefined
  const found = given.filter(({ records }) => (records as readonly HumanUser[]).some(isInClearText))
  if (found.length === 0) return given.map(withNothingLeftOut)
  const ids = [...new Set(found.map(({ organizationId }) => organizationId))]
  const complexities = await batches.passwordComplexities(database, ids)
  const checked: CheckedBatch[] = []
  for (const batch of given) {
    const users = batch.records as readonly HumanUser[]
    if (!users.some(isInClearText)) checked.push(withNothingLeftOut(batch))
    else {
      const hashed = await hashPasswords(users, complexities.get(batch.organizationId))
      checked.push({ ...batch, records: hashed.users, leftOut: hashed.leftOut })
    }
  }
  return checked
}

async function attempt(
  application: Application,
  given: readonly CheckedBatch[],
  mode: WriteMode,
): Promise<readonly BatchOutcome[]> {
  const { database, batches } = application
  const [{ jobId = '', dryRun = false } = {}] = given
  const numbers = given.map(({ batch }) => batch)
  const outcomes = new Map<number, BatchOutcome>()
  const keep = (applied: readonly AppliedBatch[]) => {
    for (const { batch, outcome } of applied) outcomes.set(batch.batch, outcome)
  }
  try {
    await database.transaction(
      async (tx) => {
        await batches.useIndexes(tx)
        if (!dryRun) {
          for (const [number, known] of await batches.claim(tx, jobId, numbers)) outcomes.set(number, known)
        }
        const open = given.filter(({ batch }) => !outcomes.has(batch))
        if (open.length > 0) keep(await write(application, tx, open, mode))
      },
      { kind: 'background' },
    )
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
    keep(error.applied)
  }
  return numbers.flatMap((number) => outcomes.get(number) ?? [])
}

/** Rejects with RolledBack when nothing of it may stay. */
async function write(
  application: Application,
  tx: Queryable,
  open: readonly CheckedBatch[],
  mode: WriteMode,
): Promise<readonly AppliedBatch[]> {
  const { batches, writer, writeRecords } = application
  const isDryRun = open.some(({ dryRun }) => dryRun)
  if (isDryRun) await batches.insertPlaceholders(tx, open[0]?.jobId ?? '', placeholdersOf(open))
  const applied: AppliedBatch[] = []
  for (const together of writer.inOrder ? open.map((batch) => [batch]) : [open]) {
    const written = await writeRecords(tx, groupOf(together), writer, mode)
    applied.push(...(await withComparison(application, tx, together, written)))
  }
  if (isDryRun || applied.some(({ outcome }) => outcome.differences !== undefined))
    throw new RolledBack(applied)
  await batches.store(tx, applied)
  return applied
}

async function withComparison(
  { changes }: Application,
  tx: Queryable,
  together: readonly CheckedBatch[],
  written: WrittenRecords,
): Promise<readonly AppliedBatch[]> {
  const { group, records } = written
  const applied = outcomesOf(together, written)
  const isCompared = group.batches.some(({ plan }) => plan !== undefined)
  if (group.dryRun && !isCompared) {
    const plans = await changes.plans(tx, group, records)
    return applied.map(({ outcome, ...rest }, at) => {
      const plan = plans[at]
      return { ...rest, outcome: { ...outcome, ...(plan && { plan }) } }
    })
  }
  const differences = changes.differences(group, records)
  const isWritten = !group.dryRun && differences.every(({ length }) => length === 0)
  if (isWritten) await changes.store(tx, group, records)
  return applied.map((one, at) =>
    differences[at]?.length ? { ...one, outcome: { ...one.outcome, differences: differences[at] } } : one,
  )
}

const withNothingLeftOut = (batch: Batch): CheckedBatch => ({ ...batch, leftOut: [] })
