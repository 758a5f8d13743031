import type { Queryable } from '@signet/platform/postgres/pool'
import type { ChangeRecorder } from '../undo/change-recorder.ts'
import type { AppliedBatchStore } from './batch.ts'
import type { BatchGroup, WrittenRecords } from './batch-group.ts'
import type { BatchContext, Conflict, RecordWriter } from './record-writer.ts'

export type WriteMode = 'together' | 'one by one'

interface Dependencies {
  readonly batches: Pick<AppliedBatchStore, 'existingOrganizations' | 'savepoint' | 'brokenRule'>
  readonly changes: Pick<ChangeRecorder, 'readBefore'>
}

/** Writes the records of a group in a transaction. `one by one` finds the records that violate a constraint. */
export function createWriteRecords({ batches, changes }: Dependencies) {
  return async (
    tx: Queryable,
    given: BatchGroup,
    writer: RecordWriter,
    mode: WriteMode,
  ): Promise<WrittenRecords> => {
    const ruled = await writer.underRules?.(tx, given.records, given.context)
    const records = ruled?.records ?? given.records
    const refused = new Map([...given.refused, ...(ruled?.refused ?? [])])
    const group = { ...given, records, refused }
    const conflicts = new Map(await writer.findConflicts(tx, records, group.context))
    for (const [index, conflict] of await withoutOrganization(tx, group)) conflicts.set(index, conflict)
    const plan = planOf(group, conflicts)
    const failures = new Map(plan.failures)
    const before = await changes.readBefore(tx, group, plan.update)
    const writing = { group, writer, plan, failures }
    await (mode === 'together' ? writeTogether(tx, writing) : writeOneByOne(tx, writing))
    const outcomes = lettersOf(group, plan, failures)
    const written = [...outcomes].flatMap((letter, index) => (/[cu]/.test(letter) ? [index] : []))
    const isWritten = new Set(written)
    const [recordsOf, context] = chosen(group, written)
    return {
      group,
      outcomes,
      failures: [
        ...[...failures].map(([index, message]) => ({ index, message })),
        ...(ruled?.leftOut ?? []).filter(({ index }) => isWritten.has(index)),
      ],
      notes: (await writer.notes?.(recordsOf, tx, context)) ?? [],
      before,
    }
  }

  /** The records of organizations that were not imported, and are not there. */
  async function withoutOrganization(
    tx: Queryable,
    { list, context: { organizationIds } }: BatchGroup,
  ): Promise<ReadonlyMap<number, Conflict>> {
    if (list === 'organization') return new Map()
    const existing = await batches.existingOrganizations(tx, [...new Set(organizationIds)])
    const reason = 'the organization was not imported'
    return new Map(
      organizationIds.flatMap((id, index) =>
        existing.has(id) ? [] : [[index, { kind: 'impossible', reason }] as const],
      ),
    )
  }

  interface Writing {
    readonly group: BatchGroup
    readonly writer: RecordWriter
    readonly plan: Plan
    readonly failures: Map<number, string>
  }

  async function writeTogether(tx: Queryable, { group, writer, plan }: Writing): Promise<void> {
    if (plan.insert.length > 0) await writer.insert(tx, ...chosen(group, plan.insert))
    if (plan.update.length > 0) await writer.update(tx, ...chosen(group, plan.update))
  }

  /** When records violate a constraint that no check predicted: finds those that do. */
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

/** Some records of a group, with their organizations. */
function chosen(
  { records, context }: BatchGroup,
  indexes: readonly number[],
): [records: readonly unknown[], context: BatchContext] {
  const organizationIds = indexes.map((index) => context.organizationIds[index] ?? '')
  return [indexes.map((index) => records[index]), { ...context, organizationIds }]
}

interface Plan {
  readonly insert: readonly number[]
  readonly update: readonly number[]
  readonly failures: readonly (readonly [number, string])[]
}

function planOf(
  { records, onConflict, refused }: BatchGroup,
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

function lettersOf({ records }: BatchGroup, plan: Plan, failures: ReadonlyMap<number, string>): string {
  const [inserted, updated] = [new Set(plan.insert), new Set(plan.update)]
  const letters = records.map((_, index) => {
    if (failures.has(index)) return 'f'
    if (inserted.has(index)) return 'c'
    return updated.has(index) ? 'u' : 's'
  })
  return letters.join('')
}
