import type { Queryable } from '@signet/platform/postgres/pool'
import { openValue, sealValue } from '@signet/platform/sealing/sealed-value'
import type { CarriedSealing } from '../carried/carried.repository.ts'
import {
  type Batches,
  type BatchRecord,
  isWritten,
  lettersOf,
  type ObjectBefore,
  outcomeOfLetter,
  placesOf,
  type RecordOutcome,
  recordsByBatch,
} from './batch-record.ts'
import { changedFields, type OpenSealed } from './changed-fields.ts'
import type { ObjectRows, Objects } from './object-rows.repository.ts'
import { OBJECT_TABLES } from './object-tables.ts'
import type { UndoBatchRepository } from './undo-batch.repository.ts'

// The comparison of objects before and after a batch: a dry run makes a plan of it, an import that applies a plan holds it
// to the plan, and every import records what an undo needs.

/** The outcomes of a dry run of a batch. */
export interface BatchPlan {
  /** Sealed outcomes and present objects, for `apply` alone. */
  readonly sealed: Buffer
  /** The fields that updates would change. */
  readonly changes: readonly { readonly index: number; readonly fields: readonly string[] }[]
}

/** A record whose outcome would not be the planned one. */
export interface Difference {
  readonly index: number
  readonly message: string
}

/** Batches of an import whose records obey the rules of the directory. */
interface BatchesOfRecords {
  readonly jobId: string
  readonly list: string
  readonly dryRun: boolean
  /** How long the batches can be taken back; 0: not at all. */
  readonly undoDays: number
  readonly batches: readonly (Batches['batches'][number] & {
    /** Plan of a dry run of the same batch. */
    readonly plan: Buffer | undefined
  })[]
}

/** An updated record, and the fields that differ between its object before and now. */
interface ChangedRecord {
  readonly record: BatchRecord
  readonly fields: readonly string[]
}

export interface ChangeRecorder {
  /** Locks and reads the objects that the records at these indexes are about to change, by index. */
  readBefore(
    tx: Queryable,
    batches: BatchesOfRecords & { readonly records: readonly unknown[] },
    indexes: readonly number[],
  ): Promise<ReadonlyMap<number, ObjectBefore>>
  /** Returns the records that were updated, with the fields that changed. */
  changed(tx: Queryable, list: string, records: readonly BatchRecord[]): Promise<readonly ChangedRecord[]>
  /** The plan of each batch, of batches that a dry run has just written. */
  plans(
    tx: Queryable,
    batches: BatchesOfRecords,
    records: readonly BatchRecord[],
  ): Promise<readonly BatchPlan[]>
  /** Returns where the outcomes of each batch differ from its plan, or its updated objects from those of the plan. */
  differences(batches: BatchesOfRecords, records: readonly BatchRecord[]): readonly (readonly Difference[])[]
  /** Records what the batches created and changed. */
  store(tx: Queryable, batches: BatchesOfRecords, records: readonly BatchRecord[]): Promise<void>
}

interface Dependencies extends CarriedSealing {
  readonly rows: ObjectRows
  readonly undoBatches: UndoBatchRepository
  /** Opens the sealed columns of an organization. */
  readonly openerOf: (masterKeys: readonly Buffer[], organizationId: string) => OpenSealed
}

interface OpenedPlan {
  /** Outcomes of the records, a letter for each. */
  readonly outcomes: string
  readonly seed: string
  /** Fingerprints of the objects that are updated, by the index of their record. */
  readonly fingerprints: Readonly<Record<string, string | null>>
}

const place = (jobId: string, batch: number): string => `plan ${jobId} ${batch}`

const ACTIONS: Readonly<Record<RecordOutcome, string>> = {
  created: 'created',
  updated: 'updated',
  skipped: 'skipped',
  failed: 'in conflict',
}

/** A plan was sealed under a key that is no master key any more. */
export class PlanKeyUnknownError extends Error {
  override readonly name = 'PlanKeyUnknownError'
}

export function createChangeRecorder(dependencies: Dependencies): ChangeRecorder {
  return {
    readBefore: (tx, group, indexes) => readBefore(dependencies, tx, group, indexes),
    changed: (tx, list, records) => changed(dependencies, tx, list, records),
    plans: (tx, group, records) => plans(dependencies, tx, group, records),
    differences: (group, records) => differences(dependencies, group, records),
    store: (tx, group, records) => store(dependencies, tx, group, records),
  }
}

async function readBefore(
  dependencies: Dependencies,
  tx: Queryable,
  group: BatchesOfRecords & { readonly records: readonly unknown[] },
  indexes: readonly number[],
): Promise<ReadonlyMap<number, ObjectBefore>> {
  const { rows } = dependencies
  if (indexes.length === 0) return new Map()
  const places = placesOf(group)
  const chosen = indexes.map((index) => ({
    batch: places[index]?.batch,
    organizationId: places[index]?.organizationId ?? '',
    record: group.records[index],
  }))
  const objects = objectsOf(group.list, chosen)
  await rows.lock(tx, objects)
  const images = await rows.images(tx, objects)
  const newOne = newSeed(dependencies)
  const planned = new Map(
    group.batches.map((batch) => [batch.batch, openPlan(dependencies, group.jobId, batch)?.seed ?? newOne]),
  )
  const seeds = chosen.map(({ batch }) => planned.get(batch ?? -1) ?? newOne)
  const isCompared = group.dryRun || group.batches.some(({ plan }) => plan !== undefined)
  const fingerprints = isCompared ? await rows.fingerprints(tx, objects, seeds) : []
  return new Map(
    indexes.map((index, at) => [
      index,
      { image: images[at] ?? {}, seed: seeds[at] ?? newOne, fingerprint: fingerprints[at] },
    ]),
  )
}

async function plans(
  dependencies: Dependencies,
  tx: Queryable,
  group: BatchesOfRecords,
  records: readonly BatchRecord[],
): Promise<readonly BatchPlan[]> {
  const { masterKeys, random } = dependencies
  const changes = await changed(dependencies, tx, group.list, records)
  const fieldsOf = new Map(changes.map(({ record, fields }) => [record, fields]))
  return recordsByBatch(group, records).map(({ batch, records: own }) => {
    const present = own.flatMap(({ index, before }) => (before === undefined ? [] : [{ index, ...before }]))
    const content: OpenedPlan = {
      outcomes: lettersOf(own),
      seed: present[0]?.seed ?? '0',
      fingerprints: Object.fromEntries(present.map(({ index, fingerprint }) => [index, fingerprint ?? null])),
    }
    const plan = Buffer.from(JSON.stringify(content))
    return {
      sealed: sealValue(masterKeys, plan, place(group.jobId, batch), random),
      changes: own.flatMap((record) => {
        const fields = fieldsOf.get(record)
        return fields === undefined ? [] : [{ index: record.index, fields }]
      }),
    }
  })
}

function differences(
  dependencies: Dependencies,
  group: BatchesOfRecords,
  records: readonly BatchRecord[],
): readonly (readonly Difference[])[] {
  return recordsByBatch(group, records).map(({ records: own, ...batch }) => {
    const plan = openPlan(dependencies, group.jobId, batch)
    // A document repeats a membership in each organization, so an earlier batch may have written it.
    if (plan === undefined || group.list === 'projectMembers') return []
    return own.flatMap(({ index, outcome, before }): readonly Difference[] => {
      const planned = outcomeOfLetter(plan.outcomes[index] ?? '')
      if (planned !== outcome) {
        const was = planned === undefined ? 'absent' : ACTIONS[planned]
        return [{ index, message: `it was planned as ${was} and would now be ${ACTIONS[outcome]}` }]
      }
      if (outcome !== 'updated' || plan.fingerprints[index] === (before?.fingerprint ?? null)) return []
      return [{ index, message: 'it was changed since the plan was made' }]
    })
  })
}

async function store(
  dependencies: Dependencies,
  tx: Queryable,
  group: BatchesOfRecords,
  records: readonly BatchRecord[],
): Promise<void> {
  const { rows, undoBatches } = dependencies
  const { jobId, list } = group
  const written = records.filter(isWritten)
  if (written.length === 0 || group.undoDays === 0) return
  const seed = newSeed(dependencies)
  const objects = objectsOf(list, written)
  const fingerprints = await rows.fingerprints(
    tx,
    objects,
    written.map(() => seed),
  )
  const objectOf = new Map(
    written.flatMap((record, at) => {
      const [key, fingerprint] = [objects.keys[at], fingerprints[at]]
      if (key === undefined || fingerprint == null) return []
      const image = record.outcome === 'updated' && { before: record.before?.image ?? {} }
      return [[record, { key, fingerprint, ...image }] as const]
    }),
  )
  const recorded = recordsByBatch(group, records).flatMap(({ batch, organizationId, records: own }) => {
    if (!own.some(isWritten)) return []
    const objectsOfBatch = own.flatMap((record) => {
      const object = objectOf.get(record)
      return object === undefined ? [] : [{ index: record.index, ...object }]
    })
    return [{ jobId, batch, list, organizationId, seed, objects: objectsOfBatch }]
  })
  await undoBatches.add(tx, recorded, group.undoDays)
}

const newSeed = ({ random }: Dependencies): string => String(random(8).readBigInt64BE())

function openPlan(
  { masterKeys }: Dependencies,
  jobId: string,
  { batch, plan }: BatchesOfRecords['batches'][number],
): OpenedPlan | undefined {
  if (plan === undefined) return undefined
  const plain = openValue(masterKeys, plan, place(jobId, batch))
  if (plain === undefined) throw new PlanKeyUnknownError('no master key opens the plan')
  return JSON.parse(plain.toString('utf8'))
}

async function changed(
  { rows, openerOf, masterKeys }: Dependencies,
  tx: Queryable,
  list: string,
  records: readonly BatchRecord[],
): Promise<readonly ChangedRecord[]> {
  const updated = records.filter(({ outcome }) => outcome === 'updated')
  if (updated.length === 0) return []
  const after = await rows.images(tx, objectsOf(list, updated))
  return updated.map((record, at) => {
    const open = openerOf(masterKeys, record.organizationId)
    return { record, fields: changedFields(list, record.before?.image ?? {}, after[at] ?? {}, open) }
  })
}

/** The objects of records of one list. */
function objectsOf(
  list: string,
  records: readonly Pick<BatchRecord, 'organizationId' | 'record'>[],
): Objects {
  const keyOf = OBJECT_TABLES.get(list)?.keyOf
  if (keyOf === undefined) throw new RangeError(`${list} is not a list of the format`)
  return {
    list,
    organizationIds: records.map(({ organizationId }) => organizationId),
    keys: records.map(({ record }) => keyOf(record as never)),
  }
}
