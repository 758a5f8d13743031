import type { Queryable } from '@signet/platform/postgres/pool'
import { openValue, sealValue } from '@signet/platform/sealing/sealed-value'
import type { CarriedSealing } from '../carried/carried.repository.ts'
import { changedFields, type ObjectImage, type OpenSealed } from './changed-fields.ts'
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

/** The objects that batches are about to update, by the index of their record. */
export interface ObjectsBefore {
  readonly indexes: readonly number[]
  readonly images: readonly ObjectImage[]
  /** Seed of the fingerprints of each batch. */
  readonly seeds: readonly string[]
  /** Empty unless the batches make or apply plans. */
  readonly fingerprints: readonly (string | null)[]
}

/** Batches of an import whose records obey the rules of the directory. */
interface BatchesOfRecords {
  readonly jobId: string
  readonly list: string
  readonly dryRun: boolean
  /** How long the batches can be taken back; 0: not at all. */
  readonly undoDays: number
  readonly batches: readonly {
    readonly batch: number
    readonly organizationId: string
    /** Number of records of the batch. */
    readonly count: number
    /** Plan of a dry run of the same batch. */
    readonly plan: Buffer | undefined
  }[]
  /** Records of all batches, one batch after the other. Indexes and letters of outcomes are in this order. */
  readonly records: readonly unknown[]
}

export interface ChangeRecorder {
  /** Locks and reads the objects that the records at these indexes are about to change. */
  readBefore(tx: Queryable, batches: BatchesOfRecords, indexes: readonly number[]): Promise<ObjectsBefore>
  /** The fields that differ between the objects before and now, of each record that was updated. */
  changed(
    tx: Queryable,
    batches: BatchesOfRecords,
    before: ObjectsBefore,
    outcomes: string,
  ): Promise<readonly { readonly index: number; readonly fields: readonly string[] }[]>
  /** The plan of each batch, of batches that a dry run has just written. */
  plans(
    tx: Queryable,
    batches: BatchesOfRecords,
    before: ObjectsBefore,
    outcomes: string,
  ): Promise<readonly BatchPlan[]>
  /** Returns where the outcomes of each batch differ from its plan, or its updated objects from those of the plan. */
  differences(
    batches: BatchesOfRecords,
    before: ObjectsBefore,
    outcomes: string,
  ): readonly (readonly Difference[])[]
  /** Records what the batches created and changed. */
  store(tx: Queryable, batches: BatchesOfRecords, before: ObjectsBefore, outcomes: string): Promise<void>
}

interface Dependencies extends CarriedSealing {
  readonly rows: ObjectRows
  readonly undoBatches: UndoBatchRepository
  /** Opens the sealed columns of an organization. */
  readonly openerOf: (masterKeys: readonly Buffer[], organizationId: string) => OpenSealed
}

interface OpenedPlan {
  readonly outcomes: string
  readonly seed: string
  /** Fingerprints of the objects that are updated, by the index of their record. */
  readonly fingerprints: Readonly<Record<string, string | null>>
}

const NOTHING_BEFORE: ObjectsBefore = { indexes: [], images: [], seeds: [], fingerprints: [] }

const place = (jobId: string, batch: number): string => `plan ${jobId} ${batch}`

const ACTIONS: Readonly<Record<string, string>> = {
  c: 'created',
  u: 'updated',
  s: 'skipped',
  f: 'in conflict',
}

/** A plan was sealed under a key that is no master key any more. */
export class PlanKeyUnknownError extends Error {
  override readonly name = 'PlanKeyUnknownError'
}

export function createChangeRecorder({
  rows,
  undoBatches,
  openerOf,
  masterKeys,
  random,
}: Dependencies): ChangeRecorder {
  const newSeed = (): string => String(random(8).readBigInt64BE())

  const objectsAt = (group: BatchesOfRecords, indexes: readonly number[]): Objects => {
    const keyOf = OBJECT_TABLES.get(group.list)?.keyOf
    if (keyOf === undefined) throw new RangeError(`${group.list} is not a list of the format`)
    const owners = perRecord(group, ({ organizationId }) => organizationId)
    return {
      list: group.list,
      organizationIds: indexes.map((index) => owners[index] ?? ''),
      keys: indexes.map((index) => keyOf(group.records[index] as never)),
    }
  }

  function openPlan(
    jobId: string,
    { batch, plan }: BatchesOfRecords['batches'][number],
  ): OpenedPlan | undefined {
    if (plan === undefined) return undefined
    const plain = openValue(masterKeys, plan, place(jobId, batch))
    if (plain === undefined) throw new PlanKeyUnknownError('no master key opens the plan')
    return JSON.parse(plain.toString('utf8'))
  }

  const changed: ChangeRecorder['changed'] = async (tx, group, { indexes, images }, outcomes) => {
    const after = await rows.images(tx, objectsAt(group, indexes))
    const owners = perRecord(group, ({ organizationId }) => organizationId)
    return indexes.flatMap((index, at) => {
      if (outcomes[index] !== 'u') return []
      const open = openerOf(masterKeys, owners[index] ?? '')
      return [{ index, fields: changedFields(group.list, images[at] ?? {}, after[at] ?? {}, open) }]
    })
  }

  return {
    async readBefore(tx, group, indexes) {
      if (indexes.length === 0) return NOTHING_BEFORE
      const objects = objectsAt(group, indexes)
      await rows.lock(tx, objects)
      const images = await rows.images(tx, objects)
      const seed = newSeed()
      const seeds = group.batches.map((batch) => openPlan(group.jobId, batch)?.seed ?? seed)
      const isCompared = group.dryRun || group.batches.some(({ plan }) => plan !== undefined)
      if (!isCompared) return { indexes, images, seeds, fingerprints: [] }
      const seedAt = perRecord(group, (_, at) => seeds[at] ?? seed)
      const chosen = indexes.map((index) => seedAt[index] ?? seed)
      return { indexes, images, seeds, fingerprints: await rows.fingerprints(tx, objects, chosen) }
    },

    changed,

    async plans(tx, group, before, outcomes) {
      const { indexes, seeds, fingerprints } = before
      const changes = await changed(tx, group, before, outcomes)
      const at = new Map(indexes.map((index, at) => [index, at]))
      return rangesOf(group).map(({ batch, from, end }, position) => {
        const own = indexes.filter((index) => index >= from && index < end)
        const present = Object.fromEntries(
          own.map((index) => [index - from, fingerprints[at.get(index) ?? -1]]),
        )
        const letters = outcomes.slice(from, end)
        const content = { outcomes: letters, seed: seeds[position] ?? '0', fingerprints: present }
        const plan = Buffer.from(JSON.stringify(content))
        return {
          sealed: sealValue(masterKeys, plan, place(group.jobId, batch), random),
          changes: changes
            .filter(({ index }) => index >= from && index < end)
            .map(({ index, fields }) => ({ index: index - from, fields })),
        }
      })
    },

    differences(group, { indexes, fingerprints }, outcomes) {
      const present = new Map(indexes.map((index, at) => [index, fingerprints[at]]))
      return rangesOf(group).map(({ from, end, ...batch }) => {
        const plan = openPlan(group.jobId, batch)
        // A document repeats a membership in each organization, so an earlier batch may have written it.
        if (plan === undefined || group.list === 'projectMembers') return []
        return [...outcomes.slice(from, end)].flatMap((outcome, index): readonly Difference[] => {
          const planned = plan.outcomes[index] ?? ''
          if (planned !== outcome) {
            const [was, is] = [ACTIONS[planned] ?? planned, ACTIONS[outcome] ?? outcome]
            return [{ index, message: `it was planned as ${was} and would now be ${is}` }]
          }
          if (outcome !== 'u' || plan.fingerprints[index] === present.get(from + index)) return []
          return [{ index, message: 'it was changed since the plan was made' }]
        })
      })
    },

    async store(tx, group, { indexes, images }, outcomes) {
      const { jobId, list } = group
      const written = [...outcomes].flatMap((outcome, index) => (/[cu]/.test(outcome) ? [index] : []))
      if (written.length === 0 || group.undoDays === 0) return
      const before = new Map(indexes.map((index, at) => [index, images[at]]))
      const seed = newSeed()
      const objects = objectsAt(group, written)
      const fingerprints = await rows.fingerprints(
        tx,
        objects,
        written.map(() => seed),
      )
      const objectAt = new Map(
        written.flatMap((index, at) => {
          const [key, fingerprint] = [objects.keys[at], fingerprints[at]]
          if (key === undefined || fingerprint == null) return []
          const image = outcomes[index] === 'u' && { before: before.get(index) ?? {} }
          return [[index, { key, fingerprint, ...image }] as const]
        }),
      )
      const recorded = rangesOf(group).flatMap(({ batch, organizationId, from, end }) => {
        if (!/[cu]/.test(outcomes.slice(from, end))) return []
        const places = Array.from({ length: end - from }, (_, index) => index)
        const own = places.flatMap((index) => {
          const object = objectAt.get(from + index)
          return object === undefined ? [] : [{ index, ...object }]
        })
        return [{ jobId, batch, list, organizationId, seed, objects: own }]
      })
      await undoBatches.add(tx, recorded, group.undoDays)
    },
  }
}

/** The batches with the places of their records. */
function rangesOf({ batches }: BatchesOfRecords) {
  let end = 0
  return batches.map((batch) => {
    const from = end
    end += batch.count
    return { ...batch, from, end }
  })
}

/** A value of its batch for each record. */
function perRecord(
  { batches }: BatchesOfRecords,
  toValue: (batch: BatchesOfRecords['batches'][number], at: number) => string,
): readonly string[] {
  return batches.flatMap((batch, at) => new Array<string>(batch.count).fill(toValue(batch, at)))
}
