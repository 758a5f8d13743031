import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Epoch } from '../src/epochs/epoch.ts'
import { postgresAppliedBatches, storeUndoOutcomes } from '../src/transfer/applied-batches.repository.ts'
import { createApplyBatches } from '../src/transfer/apply-batch.ts'
import { readAuthorityFacts } from '../src/transfer/authority-facts.repository.ts'
import type { Batch } from '../src/transfer/batch.ts'
import { createUndoBatches, type UndoOutcome } from '../src/transfer/undo-batches.ts'
import { transferWriters } from '../src/transfer-services.ts'
import { createChangeRecorder } from '../src/undo/change-recorder.ts'
import { createClearDeletedUsers, deleteExpiredUndoBatches } from '../src/undo/deleted-users.repository.ts'
import { createOpener, objectRows } from '../src/undo/object-rows.repository.ts'
import { createUndoBatchRepository } from '../src/undo/undo-batch.repository.ts'
import { type DirectoryFixture, directoryFixture } from './directory-fixture.ts'

let fixture: DirectoryFixture
beforeAll(async () => {
  fixture = await directoryFixture()
  const organization = { id: 'acme', name: 'acme', primaryDomain: 'acme.localhost' }
  await fixture.apply({ organizations: [organization] })
})
afterAll(() => fixture?.stop())

const actor = { kind: 'service_user', id: 'migrator' } as const
const sealing = () => ({ masterKeys: fixture.masterKeys, random: randomBytes })
const undoBatches = () => createUndoBatchRepository(sealing())

const applyBatches = () =>
  createApplyBatches({
    hashPasswords: async (users) => ({ users, leftOut: [] }),
    database: fixture.owner,
    batches: postgresAppliedBatches,
    changes: createChangeRecorder({
      rows: objectRows,
      undoBatches: undoBatches(),
      openerOf: createOpener,
      ...sealing(),
    }),
    readAuthorityFacts,
    writers: transferWriters({ ...sealing(), rpId: undefined }),
  })

const batchOf = (jobId: string, more: Partial<Batch> = {}): Batch => ({
  jobId,
  batch: 1,
  list: 'humanUsers',
  organizationId: 'acme',
  records: ['a', 'b'].map((letter) => person(`${jobId}-${letter}`)),
  onConflict: 'update',
  dryRun: false,
  planned: [],
  namedOrganizations: ['acme'],
  plan: undefined,
  undoDays: 30,
  actor,
  acceptedAt: fixture.clock.now(),
  domainSuffix: 'localhost',
  ...more,
})

async function apply(jobId: string, more: Partial<Batch> = {}) {
  const [outcome] = await applyBatches()([batchOf(jobId, more)])
  if (outcome === undefined) throw new Error('the batch has no outcome')
  return outcome
}
const person = (userId: string) => ({
  userId,
  user: { userName: userId, profile: { firstName: 'Given', lastName: userId } },
})

async function undo(jobId: string, importJobId: string, force = false): Promise<UndoOutcome> {
  const [outcome] = await createUndoBatches({
    database: fixture.owner,
    batches: postgresAppliedBatches,
    storeOutcomes: storeUndoOutcomes,
    readAuthorityFacts,
    undoBatches: undoBatches(),
    rows: objectRows,
    publishEndings: async (endings) => {
      if (away) throw new Error('token is away')
      published.push(...endings)
    },
  })({ jobId, importJobId, batches: [{ batch: 1, recordCount: 2 }], force, actor })
  if (outcome === undefined) throw new Error('the batch has no outcome')
  return outcome
}

const published: Epoch[] = []
let away = false

const usersOf = async (jobId: string) =>
  (
    await fixture.rows(
      `SELECT user_id FROM directory_read.account_life_v1 WHERE user_id LIKE '${jobId}-%' ORDER BY 1`,
    )
  ).map(({ user_id }) => user_id)
const recorded = (jobId: string) =>
  fixture.owner
    .transaction((tx) => undoBatches().take(tx, jobId, [1]))
    .then((batches) => batches.get(1)?.objects)

it('takes a batch back exactly once, also of two undos at the same time', async () => {
  await apply('twice')
  const outcomes = await Promise.all([
    undo('undo-1', 'twice'),
    undo('undo-1', 'twice'),
    undo('undo-2', 'twice'),
  ])
  expect(outcomes[0]).toEqual(outcomes[1])
  expect(outcomes.map((one) => one.outcomes).toSorted()).toEqual(
    outcomes[0]?.outcomes === 'dd' ? ['dd', 'dd', 'ss'] : ['dd', 'ss', 'ss'],
  )
  expect(await usersOf('twice')).toEqual([])
})

it('publishes the endings of the users that it deletes, and of no others, before it resolves', async () => {
  await apply('ended')
  await apply('other')
  published.length = 0
  await undo('undo-ended', 'ended')
  expect(published.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual(
    ['a', 'b'].map((letter) => ({ kind: 'user', id: `ended-${letter}`, epoch: 1 })),
  )
})

it('publishes the endings again when the first call ended before it could, and no other endings', async () => {
  await apply('lost')
  away = true
  await expect(undo('undo-lost', 'lost')).rejects.toThrow('token is away')
  expect(await usersOf('lost')).toEqual([])
  away = false
  await apply('meanwhile')
  await undo('undo-meanwhile', 'meanwhile')
  published.length = 0
  expect((await undo('undo-lost', 'lost')).outcomes).toBe('dd')
  expect(published.map(({ id }) => id).toSorted()).toEqual(['lost-a', 'lost-b'])
})

it('keeps what was imported without a record, and says so', async () => {
  await apply('unrecorded', { undoDays: 0 })
  const { outcomes, kept } = await undo('undo-unrecorded', 'unrecorded', true)
  expect(outcomes).toBe('kk')
  expect(kept.map(({ message }) => message)).toEqual(
    Array(2).fill('there is no record of it as it was before the import'),
  )
  expect(await usersOf('unrecorded')).toEqual(['unrecorded-a', 'unrecorded-b'])
})

it('keeps a batch from being applied by a call that comes after its undo', async () => {
  expect((await undo('undo-early', 'late')).outcomes).toBe('ss')
  expect((await apply('late')).outcomes).toBe('ff')
  expect(await usersOf('late')).toEqual([])
})

it('opens an undo record for its own batch only', async () => {
  await apply('sealed')
  await fixture.rows(
    `INSERT INTO directory.undo_batch (job_id, batch, list, organization_id, sealed, expires_at)
     SELECT 'stolen', batch, list, organization_id, sealed, expires_at FROM directory.undo_batch WHERE job_id = 'sealed'`,
  )
  await expect(undo('undo-stolen', 'stolen')).rejects.toThrow('no master key opens the undo record')
  expect(await usersOf('sealed')).toEqual(['sealed-a', 'sealed-b'])
})

it('records nothing of a batch that wrote nothing, or that cannot be taken back', async () => {
  await apply('days', { undoDays: 0 })
  expect(await recorded('days')).toBeUndefined()
  await apply('dry', { dryRun: true })
  expect(await recorded('dry')).toBeUndefined()
})

it('deletes undo records when their time is over', async () => {
  await apply('expired')
  await deleteExpiredUndoBatches(fixture.owner)
  expect(await recorded('expired')).toHaveLength(2)
  await fixture.rows(
    `UPDATE directory.undo_batch SET expires_at = now() - interval '1 s' WHERE job_id = 'expired'`,
  )
  await deleteExpiredUndoBatches(fixture.owner)
  expect(await recorded('expired')).toBeUndefined()
})

it('takes users who were deleted out of undo records, and leaves those who are there again', async () => {
  await apply('cleared')
  const clear = createClearDeletedUsers(fixture.owner, sealing())
  for (const letter of ['a', 'b'])
    await fixture.rows(`DELETE FROM directory.account WHERE user_id = 'cleared-${letter}'`)
  await apply('again', { records: [person('cleared-b')] })
  await clear()
  expect((await recorded('cleared'))?.map(({ key }) => key)).toEqual([['cleared-b']])
  await fixture.rows(`DELETE FROM directory.account WHERE user_id = 'cleared-b'`)
  await clear()
  expect(await recorded('cleared')).toEqual([])
  expect(await recorded('again')).toEqual([])
})

it('refuses to apply a batch under the plan of another one', async () => {
  const { plan } = await apply('planned', { dryRun: true })
  await expect(apply('not-planned', { plan: plan?.sealed })).rejects.toThrow('no master key opens the plan')
  expect((await apply('planned', { plan: plan?.sealed })).outcomes).toBe('cc')
})
