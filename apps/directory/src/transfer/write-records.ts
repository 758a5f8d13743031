import type { OrganizationHeader } from '@signet/file-formats/export/organization-header'
import type { Queryable } from '@signet/platform/postgres/pool'
import type { Conflict } from '../database/import-table.repository.ts'
import { type BatchRecord, isWritten, type ObjectBefore, placesOf } from '../undo/batch-record.ts'
import type { ChangeRecorder } from '../undo/change-recorder.ts'
import type { AuthorityFacts, Ownership, ReadAuthorityFacts } from './authority-facts.repository.ts'
import type { AppliedBatchStore } from './batch.ts'
import type { BatchGroup, WrittenRecords } from './batch-group.ts'
import type { Crossing } from './crossing.ts'
import { withinAuthority } from './document-authority.ts'
import { type AllowedRecords, notNamedRule } from './document-rules.ts'
import { headersWithinAuthority } from './organization-authority.ts'
import {
  type BatchContext,
  type BrokenRule,
  type LeftOut,
  type RecordWriter,
  storable,
} from './record-writer.ts'

export type WriteMode = 'together' | 'one by one'

/** A group whose records are under the rules of their list. */
interface RuledGroup extends BatchGroup {
  /** Rules that records break which are refused as a whole, by index. */
  readonly refused: ReadonlyMap<number, string>
}

interface Dependencies {
  readonly batches: Pick<AppliedBatchStore, 'savepoint' | 'brokenRule'>
  readonly changes: Pick<ChangeRecorder, 'readBefore' | 'changed'>
  readonly readAuthorityFacts: ReadAuthorityFacts
}

interface Writing {
  readonly group: BatchGroup
  readonly writer: RecordWriter
  readonly plan: Plan
  readonly failures: Map<number, BrokenRule>
}

/** Writes the records of a group in a transaction. `one by one` finds the records that violate a constraint. */
export function createWriteRecords(dependencies: Dependencies) {
  const { changes, readAuthorityFacts } = dependencies
  return async (
    tx: Queryable,
    given: BatchGroup,
    writer: RecordWriter,
    mode: WriteMode,
  ): Promise<WrittenRecords> => {
    const facts = readAuthorityFacts(tx, { jobId: given.jobId, named: given.namedOrganizations })
    const ruled = await underRules(tx, given, { writer, facts })
    const conflicts = new Map(await writer.findConflicts(tx, ruled.records, given.context))
    // After the conflicts: an organization that another import has committed meanwhile is found here as well.
    const ownership = await facts.findOwnership([...new Set(given.context.organizationIds)].sort())
    for (const [index, conflict] of outsideDocument(ruled, conflicts, ownership))
      conflicts.set(index, conflict)
    const wanted = planOf(ruled, conflicts)
    const { insert, update } = wanted
    const { list, context } = ruled
    const { organizationIds } = context
    const allowed = await withinAuthority(facts, {
      list,
      records: ruled.records,
      organizationIds,
      insert,
      update,
      ownership,
    })
    const plan = withoutRefused(wanted, allowed)
    const accepted = ruled.records.map((_, index) => !allowed.pending.has(index))
    const group = { ...ruled, records: allowed.records, context: { ...context, accepted } }
    const failures = new Map(plan.failures)
    const before = await changes.readBefore(tx, group, plan.update)
    const writing = { group, writer, plan, failures }
    await (mode === 'together' ? writeTogether(tx, writing) : writeOneByOne(dependencies, tx, writing))
    const records = batchRecords(group, { plan, failures, before })
    const written = records.flatMap((record, index) => (isWritten(record) ? [index] : []))
    const places = new Set(written)
    const [recordsOf, contextOf] = chosen(group, written)
    const crossings = withoutUnchanged(allowed.crossings, before).filter(({ index }) => places.has(index))
    return {
      group,
      records,
      failures: [
        ...[...failures].map(([index, rule]) => ({ index, ...rule })),
        ...[...ruled.leftOut, ...allowed.leftOut].filter(({ index }) => places.has(index)),
      ].map((failure) => ({ ...failure, ...nameOf(group.records[failure.index]) })),
      notes: [
        ...(group.list === 'organization' ? await changedOrganizations(dependencies, tx, records) : []),
        ...((await writer.notes?.(recordsOf, tx, contextOf)) ?? []),
        ...allowed.notes,
        ...crossings.flatMap(({ note }) => note ?? []),
      ],
      crossings,
    }
  }
}

/** The group with its records under the rules of their list. */
async function underRules(
  tx: Queryable,
  given: BatchGroup,
  { writer, facts }: { readonly writer: RecordWriter; readonly facts: AuthorityFacts },
): Promise<RuledGroup> {
  const headers = given.list === 'organization' ? (given.records as readonly OrganizationHeader[]) : undefined
  const own = headers && (await headersWithinAuthority(facts, headers))
  const records = own?.records ?? given.records
  const ruled = await writer.underRules?.(tx, records, given.context)
  return {
    ...given,
    records: ruled?.records ?? records,
    refused: new Map([...(own?.refused ?? []), ...(ruled?.refused ?? [])]),
    leftOut: [...given.leftOut, ...(own?.leftOut ?? []), ...(ruled?.leftOut ?? [])],
  }
}

/** Notes with the changed fields of organizations, which come first in the job. */
async function changedOrganizations(
  { changes }: Dependencies,
  tx: Queryable,
  records: readonly BatchRecord[],
): Promise<readonly string[]> {
  const changed = await changes.changed(tx, 'organization', records)
  return changed
    .filter(({ fields }) => fields.length > 0)
    .map(
      ({ record: { organizationId }, fields }) =>
        `organization ${organizationId}: changes ${fields.join(', ')}`,
    )
}

async function writeTogether(tx: Queryable, { group, writer, plan }: Writing): Promise<void> {
  if (plan.insert.length > 0) await writer.insert(tx, ...chosen(group, plan.insert))
  if (plan.update.length > 0) await writer.update(tx, ...chosen(group, plan.update))
}

/** When records violate a constraint that no check predicted: finds those that do. */
async function writeOneByOne({ batches }: Dependencies, tx: Queryable, writing: Writing): Promise<void> {
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

/** The name that people know a record by: the client id of an application, a user name. */
function nameOf(record: unknown): Pick<LeftOut, 'record'> {
  const { app, appId, user } = record as {
    readonly app?: { readonly clientId?: string }
    readonly appId?: string
    readonly user?: { readonly userName?: string }
  }
  const name = app === undefined ? user?.userName : (app.clientId ?? appId)
  return name === undefined ? {} : { record: storable(name) }
}

/** The records of organizations that were not imported, or into which the document does not write. */
function outsideDocument(
  { list, context: { organizationIds } }: BatchGroup,
  conflicts: ReadonlyMap<number, Conflict>,
  ownership: ReadonlyMap<string, Ownership>,
): ReadonlyMap<number, Conflict> {
  return new Map(
    organizationIds.flatMap((id, index) => {
      const owned = ownership.get(id)
      if (list === 'organization' && !conflicts.has(index)) return []
      if (owned !== undefined && owned !== 'other') return []
      const reason = owned === undefined ? 'the organization was not imported' : notNamedRule(id)
      return [[index, { kind: list === 'organization' ? 'impossible' : 'missing', reason }] as const]
    }),
  )
}

/** Removes updates that leave the roles of their record as they are, or whose link was there. */
function withoutUnchanged(
  crossings: readonly Crossing[],
  objects: ReadonlyMap<number, ObjectBefore>,
): readonly Crossing[] {
  return crossings.filter(({ index, roles, action }) => {
    const image = objects.get(index)?.image
    if (action === 'identity_link.create') return (image?.identity_link ?? []).length === 0
    if (image === undefined || roles === undefined) return true
    const before = new Set([
      ...(image.member ?? []).map(({ role }) => role),
      ...(image.user_grant_role ?? []).map(({ role_key }) => role_key),
    ])
    return before.size !== new Set(roles).size || roles.some((role) => !before.has(role))
  })
}

/** Returns the chosen records of a group, with their organizations. */
function chosen(
  { records, context }: BatchGroup,
  indexes: readonly number[],
): [records: readonly unknown[], context: BatchContext] {
  const organizationIds = indexes.map((index) => context.organizationIds[index] ?? '')
  const accepted = indexes.map((index) => context.accepted?.[index] ?? true)
  return [indexes.map((index) => records[index]), { ...context, organizationIds, accepted }]
}

interface Plan {
  readonly insert: readonly number[]
  readonly update: readonly number[]
  readonly failures: readonly (readonly [number, BrokenRule])[]
}

function planOf(
  { records, onConflict, refused }: RuledGroup,
  conflicts: ReadonlyMap<number, Conflict>,
): Plan {
  const insert: number[] = []
  const update: number[] = []
  const failures: [number, BrokenRule][] = []
  for (const index of records.keys()) {
    const conflict = conflicts.get(index)
    const rule = refused.get(index)
    if (conflict !== undefined && conflict.kind !== 'present') failures.push([index, brokenRule(conflict)])
    else if (rule !== undefined && (conflict === undefined || onConflict === 'update'))
      failures.push([index, { message: rule }])
    else if (conflict === undefined) insert.push(index)
    else if (onConflict === 'update') update.push(index)
    else if (onConflict === 'fail') failures.push([index, { message: 'exists already' }])
  }
  return { insert, update, failures }
}

function brokenRule({ kind, reason }: Exclude<Conflict, { readonly kind: 'present' }>): BrokenRule {
  return kind === 'missing' ? { message: reason, isMissing: true } : { message: reason }
}

function withoutRefused(
  { insert, update, failures }: Plan,
  { refused, missing }: Pick<AllowedRecords, 'refused' | 'missing'>,
): Plan {
  if (refused.size + missing.size === 0) return { insert, update, failures }
  const isWanted = (index: number) => !refused.has(index) && !missing.has(index)
  return {
    insert: insert.filter(isWanted),
    update: update.filter(isWanted),
    failures: [
      ...failures,
      ...[...refused].map(([index, message]) => [index, { message }] as const),
      ...[...missing].map(([index, message]) => [index, { message, isMissing: true }] as const),
    ],
  }
}

/** The records of a group, with what became of them. */
function batchRecords(
  group: BatchGroup,
  {
    plan,
    failures,
    before,
  }: {
    readonly plan: Plan
    readonly failures: ReadonlyMap<number, BrokenRule>
    readonly before: ReadonlyMap<number, ObjectBefore>
  },
): readonly BatchRecord[] {
  const [inserted, updated] = [new Set(plan.insert), new Set(plan.update)]
  const outcomeAt = (index: number): BatchRecord['outcome'] => {
    if (failures.has(index)) return 'failed'
    if (inserted.has(index)) return 'created'
    return updated.has(index) ? 'updated' : 'skipped'
  }
  return placesOf(group).map((place, index) => ({
    ...place,
    record: group.records[index],
    outcome: outcomeAt(index),
    before: before.get(index),
  }))
}
