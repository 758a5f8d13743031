import type { Queryable } from '@signet/platform/postgres/pool'
import { openValue, sealValue } from '@signet/platform/sealing/sealed-value'
import type { CarriedSealing } from '../transfer/carried.repository.ts'
import { changedFields, type ObjectImage, type OpenSealed } from './changed-fields.ts'
import type { ObjectRows, Objects } from './object-rows.repository.ts'
import { OBJECT_TABLES } from './object-tables.ts'
import type { UndoBatchRepository } from './undo-batch.repository.ts'

// The comparison of objects before and after a batch: a dry run makes a plan of it, an import that applies a plan holds it
// to the plan, and every import records what an undo needs.

/** The outcomes of a dry run of a batch. */
export interface BatchPlan {
  /** For `apply` alone: outcomes and the present objects, sealed. */
  readonly sealed: Buffer
  /** The fields that updates would change. */
  readonly changes: readonly { readonly index: number; readonly fields: readonly string[] }[]
}

/** A record whose outcome would not be the planned one. */
export interface Difference {
  readonly index: number
  readonly message: string
}

/** The objects that a batch is about to update, by the index of their record. */
export interface ObjectsBefore {
  readonly indexes: readonly number[]
  readonly images: readonly ObjectImage[]
  /** Of the fingerprints. */
  readonly seed: string
  /** Empty unless the batch makes or applies a plan. */
  readonly fingerprints: readonly (string | null)[]
}

/** A batch of an import whose records obey the rules of the directory. */
interface BatchOfRecords {
  readonly jobId: string
  readonly batch: number
  readonly list: string
  readonly organizationId: string
  readonly records: readonly unknown[]
  readonly dryRun: boolean
  /** Of a dry run of the same batch. */
  readonly plan: Buffer | undefined
  /** How long the batch can be taken back; 0: not at all. */
  readonly undoDays: number
}

export interface ChangeRecorder {
  /** Locks and reads the objects that the records at these indexes are about to change. */
  readBefore(tx: Queryable, batch: BatchOfRecords, indexes: readonly number[]): Promise<ObjectsBefore>
  /** The plan of a batch that a dry run has just written; outcomes have one letter for each record. */
  plan(tx: Queryable, batch: BatchOfRecords, before: ObjectsBefore, outcomes: string): Promise<BatchPlan>
  /** Where the outcomes of a batch are not those of its plan, or the objects that it updates are others than then. */
  differences(batch: BatchOfRecords, before: ObjectsBefore, outcomes: string): readonly Difference[]
  /** Records what the batch created and changed. */
  store(tx: Queryable, batch: BatchOfRecords, before: ObjectsBefore, outcomes: string): Promise<void>
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
  /** Of the objects that are updated, by the index of their record. */
  readonly fingerprints: Readonly<Record<string, string | null>>
}

export const NOTHING_BEFORE: ObjectsBefore = { indexes: [], images: [], seed: '0', fingerprints: [] }

const place = ({ jobId, batch }: BatchOfRecords): string => `plan ${jobId} ${batch}`

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

  const objectsAt = (
    { list, organizationId, records }: BatchOfRecords,
    indexes: readonly number[],
  ): Objects => {
    const keyOf = OBJECT_TABLES.get(list)?.keyOf
    if (keyOf === undefined) throw new RangeError(`${list} is not a list of the format`)
    return { list, organizationId, keys: indexes.map((index) => keyOf(records[index] as never)) }
  }

  function openPlan(batch: BatchOfRecords): OpenedPlan | undefined {
    if (batch.plan === undefined) return undefined
    const plain = openValue(masterKeys, batch.plan, place(batch))
    if (plain === undefined) throw new PlanKeyUnknownError('no master key opens the plan')
    return JSON.parse(plain.toString('utf8'))
  }

  return {
    async readBefore(tx, batch, indexes) {
      if (indexes.length === 0) return NOTHING_BEFORE
      const objects = objectsAt(batch, indexes)
      await rows.lock(tx, objects)
      const images = await rows.images(tx, objects)
      const seed = openPlan(batch)?.seed ?? newSeed()
      const isCompared = batch.dryRun || batch.plan !== undefined
      const fingerprints = isCompared ? await rows.fingerprints(tx, objects, seed) : []
      return { indexes, images, seed, fingerprints }
    },

    async plan(tx, batch, { indexes, images, seed, fingerprints }, outcomes) {
      const after = await rows.images(tx, objectsAt(batch, indexes))
      const open = openerOf(masterKeys, batch.organizationId)
      const present = Object.fromEntries(indexes.map((index, at) => [index, fingerprints[at]]))
      const plan = Buffer.from(JSON.stringify({ outcomes, seed, fingerprints: present }))
      return {
        sealed: sealValue(masterKeys, plan, place(batch), random),
        changes: indexes.flatMap((index, at) =>
          outcomes[index] === 'u'
            ? [{ index, fields: changedFields(batch.list, images[at] ?? {}, after[at] ?? {}, open) }]
            : [],
        ),
      }
    },

    differences(batch, { indexes, fingerprints }, outcomes) {
      const plan = openPlan(batch)
      // A document repeats a membership in each organization, so an earlier batch may have written it.
      if (plan === undefined || batch.list === 'projectMembers') return []
      const present = new Map(indexes.map((index, at) => [index, fingerprints[at]]))
      return [...outcomes].flatMap((outcome, index): readonly Difference[] => {
        const planned = plan.outcomes[index] ?? ''
        if (planned !== outcome) {
          const [was, is] = [ACTIONS[planned] ?? planned, ACTIONS[outcome] ?? outcome]
          return [{ index, message: `it was planned as ${was} and would now be ${is}` }]
        }
        if (outcome !== 'u' || plan.fingerprints[index] === present.get(index)) return []
        return [{ index, message: 'it was changed since the plan was made' }]
      })
    },

    async store(tx, batch, { indexes, images }, outcomes) {
      const { jobId, list, organizationId } = batch
      const written = [...outcomes].flatMap((outcome, index) => (/[cu]/.test(outcome) ? [index] : []))
      if (written.length === 0 || batch.undoDays === 0) return
      const before = new Map(indexes.map((index, at) => [index, images[at]]))
      const seed = newSeed()
      const objects = objectsAt(batch, written)
      const fingerprints = await rows.fingerprints(tx, objects, seed)
      await undoBatches.add(
        tx,
        {
          jobId,
          batch: batch.batch,
          list,
          organizationId,
          seed,
          objects: written.flatMap((index, at) => {
            const [key, fingerprint] = [objects.keys[at], fingerprints[at]]
            if (key === undefined || fingerprint == null) return []
            return [
              {
                index,
                key,
                fingerprint,
                ...(outcomes[index] === 'u' && { before: before.get(index) ?? {} }),
              },
            ]
          }),
        },
        batch.undoDays,
      )
    },
  }
}
