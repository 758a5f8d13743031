import type { AuditActor } from '@signet/admin-api/audit/audit-table'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import type { Epoch, PublishEndings } from '../epochs/epoch.ts'
import type { FoundDependents, ObjectRows, Objects } from '../undo/object-rows.repository.ts'
import type { UndoBatch, UndoBatchRepository, WrittenObject } from '../undo/undo-batch.repository.ts'
import { findAccountsBeyond } from './account-authority.ts'
import type { ReadAuthorityFacts } from './authority-facts.repository.ts'
import type { AppliedBatchStore, ImportedBatch } from './batch.ts'

export interface UndoOrder {
  /** The job of the undo. */
  readonly jobId: string
  readonly importJobId: string
  /** Batches in the order in which they are undone; each once. */
  readonly batches: readonly ImportedBatch[]
  /** Whether objects that were changed since are undone, too. */
  readonly force: boolean
  readonly actor: AuditActor
}

export interface UndoOutcome {
  /** Outcomes, a letter for each record: d deleted, r restored, k kept, s nothing to undo. */
  readonly outcomes: string
  readonly kept: readonly { readonly index: number; readonly message: string }[]
}

/** Stores the outcomes of batches of an undo, with an audit event for each. */
export type StoreUndoOutcomes = (
  tx: Queryable,
  order: UndoOrder,
  undone: readonly (UndoOutcome & Pick<UndoBatch, 'batch' | 'list' | 'organizationId' | 'objects'>)[],
) => Promise<void>

interface Dependencies {
  readonly database: Database
  readonly batches: Pick<AppliedBatchStore, 'claim' | 'close' | 'savepoint' | 'brokenRule'>
  readonly storeOutcomes: StoreUndoOutcomes
  readonly readAuthorityFacts: ReadAuthorityFacts
  readonly undoBatches: UndoBatchRepository
  readonly rows: ObjectRows
  readonly publishEndings: PublishEndings
}

/** The lists whose records change an account or its credentials; the first part of their keys is its id. */
const CHANGES_ACCOUNTS: ReadonlySet<string> = new Set([
  'humanUsers',
  'machineUsers',
  'machineKeys',
  'machineTrustedIssuers',
  'userMetadata',
])

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

/** The letter of each outcome of an undo in `directory.applied_batch` and between services. */
const UNDO_LETTERS = { deleted: 'd', restored: 'r', kept: 'k', nothing: 's' } as const

/** An object of a batch, and what becomes of it. */
interface TakenBack {
  readonly of: UndoBatch
  readonly object: WrittenObject
  readonly outcome: keyof typeof UNDO_LETTERS
  readonly reason?: string
}

/**
 * Takes back what batches of an import wrote, in one transaction and exactly once: deletes what they created, and gives what
 * they updated its rows from before. An object that was changed since, or that others depend on, is kept with a reason, and
 * can be taken back later; `force` takes it back too, unless other users, projects or applications would go with it. It
 * touches nothing else. When it resolves, with the outcomes in the order of the batches, the sessions and tokens of what it
 * deleted have ended.
 */
export function createUndoBatches(dependencies: Dependencies) {
  const { database, publishEndings } = dependencies
  return async (order: UndoOrder): Promise<readonly UndoOutcome[]> => {
    const { endings, outcomes } = await database.transaction((tx) => attempt(dependencies, tx, order), {
      kind: 'background',
    })
    await publishEndings(endings)
    return order.batches.flatMap(({ batch }) => outcomes.get(batch) ?? [])
  }
}

async function attempt(dependencies: Dependencies, tx: Queryable, order: UndoOrder) {
  const { batches, undoBatches, storeOutcomes } = dependencies
  const { jobId, importJobId } = order
  const outcomes = new Map<number, UndoOutcome>()
  const known = await batches.claim(tx, jobId, numbersOf(order.batches))
  for (const [batch, { outcomes: letters, failures }] of known)
    outcomes.set(batch, { outcomes: letters, kept: failures })
  // The first call may have ended before these were published.
  const endings: Epoch[] =
    known.size === 0 ? [] : [...(await undoBatches.endingsOf(tx, jobId, [...known.keys()]))]
  const open = order.batches.filter(({ batch }) => !known.has(batch))
  if (open.length === 0) return { outcomes, endings }

  const imported = await batches.close(tx, importJobId, open)
  const recorded = await undoBatches.take(tx, importJobId, numbersOf(open))
  for (const { batch, recordCount } of open) {
    if (!recorded.has(batch))
      outcomes.set(batch, unrecorded(imported.get(batch)?.outcomes ?? 's'.repeat(recordCount)))
  }
  const taken: TakenBack[] = []
  for (const group of groupsOf(open.flatMap(({ batch }) => recorded.get(batch) ?? [])))
    taken.push(...(await takeBack(dependencies, tx, order, group)))
  const undone = open.flatMap(({ batch, recordCount }) => {
    const of = recorded.get(batch)
    return of === undefined ? [] : [{ ...of, ...outcomeOf(recordCount, taken, of) }]
  })
  for (const { batch, outcomes: letters, kept } of undone) outcomes.set(batch, { outcomes: letters, kept })
  await undoBatches.replace(
    tx,
    undone.map(({ kept, objects, ...batch }) => {
      const places = new Set(kept.map(({ index }) => index))
      return { ...batch, objects: objects.filter(({ index }) => places.has(index)) }
    }),
  )
  await storeOutcomes(tx, order, undone)
  return { outcomes, endings: [...endings, ...(await undoBatches.endings(tx))] }
}

/** Undoes batches of one list, no two of which wrote one object. */
async function takeBack(
  dependencies: Dependencies,
  tx: Queryable,
  { force, importJobId }: UndoOrder,
  group: readonly UndoBatch[],
): Promise<readonly TakenBack[]> {
  const { rows, readAuthorityFacts } = dependencies
  const written = group.flatMap((of) => of.objects.map((object) => ({ of, object })))
  if (written.length === 0) return []
  const all = objectsOf(written)
  await rows.lock(tx, all)
  const present = await rows.fingerprints(
    tx,
    all,
    written.map(({ of }) => of.seed),
  )
  const dependents = new Map<number, FoundDependents[]>()
  for (const found of await rows.dependents(tx, all)) {
    dependents.set(found.index, [...(dependents.get(found.index) ?? []), found])
  }
  // Without force it does no more than the document could.
  const named = [...new Set(group.map(({ organizationId }) => organizationId))]
  const ofAccounts = !force && CHANGES_ACCOUNTS.has(group[0]?.list ?? '') ? written : []
  const beyond = await findAccountsBeyond(
    readAuthorityFacts(tx, { jobId: importJobId, named }),
    ofAccounts.map(({ object: { key } }) => key[0]),
  )
  const decided = written.map(({ of, object }, at): TakenBack => {
    const isCreated = object.before === undefined
    if (present[at] === null) return { of, object, outcome: 'nothing' }
    const rule = ofAccounts.length === 0 ? undefined : beyond.get(object.key[0])
    if (rule !== undefined) return { of, object, outcome: 'kept', reason: rule }
    if (present[at] !== object.fingerprint && !force) return { of, object, outcome: 'kept', reason: CHANGED }
    const inTheWay = isCreated
      ? (dependents.get(at) ?? []).filter(({ areObjects }) => areObjects || !force)
      : []
    if (inTheWay.length > 0) return { of, object, outcome: 'kept', reason: dependentsReason(inTheWay) }
    return { of, object, outcome: isCreated ? 'deleted' : 'restored' }
  })
  return await write(dependencies, tx, decided)
}

/** Halves the objects until the one that breaks a rule of the tables is alone, and keeps that one. */
async function write(
  dependencies: Dependencies,
  tx: Queryable,
  decided: readonly TakenBack[],
): Promise<readonly TakenBack[]> {
  const reason = await broken(dependencies, tx, decided)
  if (reason === undefined) return decided
  if (decided.length === 1) return decided.map((one) => ({ ...one, outcome: 'kept', reason }))
  const middle = Math.ceil(decided.length / 2)
  return [
    ...(await write(dependencies, tx, decided.slice(0, middle))),
    ...(await write(dependencies, tx, decided.slice(middle))),
  ]
}

/** The rule that a write broke; nothing is written then. */
async function broken(
  { batches, rows }: Dependencies,
  tx: Queryable,
  taken: readonly TakenBack[],
): Promise<string | undefined> {
  const those = (outcome: TakenBack['outcome']) => taken.filter((one) => one.outcome === outcome)
  const [deleted, restored] = [those('deleted'), those('restored')]
  try {
    await batches.savepoint(tx, async () => {
      await rows.remove(tx, objectsOf(deleted))
      await rows.restore(
        tx,
        objectsOf(restored),
        restored.map(({ object: { before = {} } }) => before),
      )
    })
    return undefined
  } catch (error) {
    const rule = batches.brokenRule(error)
    if (rule === undefined) throw error
    return rule.message
  }
}

const numbersOf = (batches: readonly ImportedBatch[]) => batches.map(({ batch }) => batch)

/**
 * Batches that follow one another with one list, which are taken back together. Several batches may have updated one member
 * of a project, which a document repeats in each organization: these are alone.
 */
function groupsOf(batches: readonly UndoBatch[]): readonly (readonly UndoBatch[])[] {
  const groups: UndoBatch[][] = []
  for (const batch of batches) {
    const last = groups.at(-1)
    if (last?.[0]?.list === batch.list && batch.list !== 'projectMembers') last.push(batch)
    else groups.push([batch])
  }
  return groups
}

function outcomeOf(recordCount: number, taken: readonly TakenBack[], batch: UndoBatch): UndoOutcome {
  const letters = new Array<string>(recordCount).fill(UNDO_LETTERS.nothing)
  const kept: { index: number; message: string }[] = []
  for (const { of, object, outcome, reason } of taken) {
    if (of !== batch) continue
    letters[object.index] = UNDO_LETTERS[outcome]
    if (reason !== undefined) kept.push({ index: object.index, message: reason })
  }
  return { outcomes: letters.join(''), kept }
}

/** All of one list. */
function objectsOf(written: readonly Pick<TakenBack, 'of' | 'object'>[]): Objects {
  return {
    list: written[0]?.of.list ?? '',
    organizationIds: written.map(({ of }) => of.organizationId),
    keys: written.map(({ object }) => object.key),
  }
}

function dependentsReason(found: readonly FoundDependents[]): string {
  const parts = found.map(({ count, name }) => `${count} ${name}`)
  return `it has ${parts.join(', ')} that this undo does not delete`
}
