import type { AuditActor } from '@signet/admin-api/audit/audit-table'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import type { Epoch, PublishEndings } from '../epochs/epoch.ts'
import type { AppliedBatchStore } from '../transfer/batch.ts'
import type { FoundDependents, ObjectRows, Objects } from './object-rows.repository.ts'
import type { UndoBatch, UndoBatchRepository, WrittenObject } from './undo-batch.repository.ts'

export interface UndoOrder {
  /** The job of the undo. */
  readonly jobId: string
  readonly importJobId: string
  readonly batch: number
  readonly recordCount: number
  /** Also takes back objects that were changed since. */
  readonly force: boolean
  readonly actor: AuditActor
}

export interface UndoOutcome {
  /** One letter for each record: d deleted, r restored, k kept, s nothing to take back. */
  readonly outcomes: string
  readonly kept: readonly { readonly index: number; readonly message: string }[]
}

/** Stores the outcome of a batch of an undo, with an audit event. */
export type StoreUndoOutcome = (
  tx: Queryable,
  order: UndoOrder,
  undone: UndoOutcome & Pick<UndoBatch, 'list' | 'organizationId'>,
) => Promise<void>

interface Dependencies {
  readonly database: Database
  readonly batches: Pick<AppliedBatchStore, 'claim' | 'close' | 'savepoint' | 'brokenRule'>
  readonly storeOutcome: StoreUndoOutcome
  readonly undoBatches: UndoBatchRepository
  readonly rows: ObjectRows
  readonly publishEndings: PublishEndings
}

const CHANGED = 'it was changed since the import'
const NOT_RECORDED = 'there is no record of it as it was before the import'

/** The outcome for a batch that was written without a record, by a version before undos. */
function unrecorded(imported: string): UndoOutcome {
  const outcomes = imported.replaceAll(/[cu]/g, 'k').replaceAll(/[^k]/g, 's')
  const kept = [...outcomes].flatMap((letter, index) =>
    letter === 'k' ? [{ index, message: NOT_RECORDED }] : [],
  )
  return { outcomes, kept }
}

/**
 * Takes back what a batch of an import wrote, exactly once: deletes what it created, and gives what it updated its rows from
 * before. An object that was changed since, or that others depend on, is kept with a reason, and can be taken back
 * later; `force` takes it back too, unless other users, projects or applications would go with it. It touches nothing else.
 * When it resolves, the sessions and tokens of what it deleted have ended.
 */
export function undoBatch(dependencies: Dependencies) {
  const { database, batches, storeOutcome, undoBatches, rows, publishEndings } = dependencies
  return async (order: UndoOrder): Promise<UndoOutcome> => {
    const { endings, ...outcome } = await database.transaction((tx) => attempt(tx, order), {
      kind: 'background',
    })
    await publishEndings(endings)
    return outcome
  }

  async function attempt(
    tx: Queryable,
    order: UndoOrder,
  ): Promise<UndoOutcome & { readonly endings: readonly Epoch[] }> {
    const { jobId, batch, importJobId, recordCount } = order
    const known = (await batches.claim(tx, jobId, [batch])).get(batch)
    if (known !== undefined) {
      // The first call may have ended before these were published.
      const endings = await undoBatches.endingsOf(tx, jobId, batch)
      return { outcomes: known.outcomes, kept: known.failures, endings }
    }
    const imported = await batches.close(tx, { jobId: importJobId, batch }, recordCount)
    const recorded = await undoBatches.take(tx, importJobId, batch)
    if (recorded === undefined) {
      const { outcomes, kept } = unrecorded(imported?.outcomes ?? 's'.repeat(recordCount))
      return { outcomes, kept, endings: [] }
    }
    const letters = new Array<string>(recordCount).fill('s')
    const kept = new Map<number, string>()
    for (const { object, letter, reason } of await takeBack(tx, order, recorded)) {
      letters[object.index] = letter
      if (reason !== undefined) kept.set(object.index, reason)
    }
    await undoBatches.replace(tx, {
      ...recorded,
      objects: recorded.objects.filter(({ index }) => kept.has(index)),
    })
    const outcome = {
      outcomes: letters.join(''),
      kept: [...kept].map(([index, message]) => ({ index, message })),
    }
    const { list, organizationId } = recorded
    await storeOutcome(tx, order, { ...outcome, list, organizationId })
    return { ...outcome, endings: await undoBatches.endings(tx) }
  }

  interface TakenBack {
    readonly object: WrittenObject
    readonly letter: 'd' | 'r' | 'k' | 's'
    readonly reason?: string
  }

  async function takeBack(
    tx: Queryable,
    { force }: UndoOrder,
    recorded: UndoBatch,
  ): Promise<readonly TakenBack[]> {
    const { objects } = recorded
    const all = objectsOf(recorded, objects)
    await rows.lock(tx, all)
    const present = await rows.fingerprints(
      tx,
      all,
      objects.map(() => recorded.seed),
    )
    const dependents = new Map<number, FoundDependents[]>()
    for (const found of await rows.dependents(tx, all)) {
      dependents.set(found.index, [...(dependents.get(found.index) ?? []), found])
    }
    const decided = objects.map((object, at): TakenBack => {
      const isCreated = object.before === undefined
      if (present[at] === null) return { object, letter: 's' }
      if (present[at] !== object.fingerprint && !force) return { object, letter: 'k', reason: CHANGED }
      const inTheWay = isCreated
        ? (dependents.get(at) ?? []).filter(({ areObjects }) => areObjects || !force)
        : []
      if (inTheWay.length > 0) return { object, letter: 'k', reason: dependentsReason(inTheWay) }
      return { object, letter: isCreated ? 'd' : 'r' }
    })
    return await write(tx, recorded, decided)
  }

  /** Together; if that breaks a rule of the tables, one by one, to keep the objects that do. */
  async function write(
    tx: Queryable,
    recorded: UndoBatch,
    decided: readonly TakenBack[],
  ): Promise<readonly TakenBack[]> {
    const isWritten = ({ letter }: TakenBack) => letter === 'd' || letter === 'r'
    const together = await broken(tx, recorded, decided.filter(isWritten))
    if (together === undefined) return decided
    const written: TakenBack[] = []
    for (const one of decided) {
      const reason = isWritten(one) ? await broken(tx, recorded, [one]) : undefined
      written.push(reason === undefined ? one : { object: one.object, letter: 'k', reason })
    }
    return written
  }

  /** The rule that a write broke; nothing is written then. */
  async function broken(
    tx: Queryable,
    recorded: UndoBatch,
    taken: readonly TakenBack[],
  ): Promise<string | undefined> {
    const those = (letter: TakenBack['letter']) =>
      taken.filter((one) => one.letter === letter).map(({ object }) => object)
    const [deleted, restored] = [those('d'), those('r')]
    try {
      await batches.savepoint(tx, async () => {
        await rows.remove(tx, objectsOf(recorded, deleted))
        await rows.restore(
          tx,
          objectsOf(recorded, restored),
          restored.map(({ before = {} }) => before),
        )
      })
      return undefined
    } catch (error) {
      const rule = batches.brokenRule(error)
      if (rule === undefined) throw error
      return rule
    }
  }
}

function objectsOf({ list, organizationId }: UndoBatch, objects: readonly WrittenObject[]): Objects {
  return { list, organizationIds: objects.map(() => organizationId), keys: objects.map(({ key }) => key) }
}

function dependentsReason(found: readonly FoundDependents[]): string {
  const parts = found.map(({ count, name }) => `${count} ${name}`)
  return `it has ${parts.join(', ')} that this undo does not delete`
}
