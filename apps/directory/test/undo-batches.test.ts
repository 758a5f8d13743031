import { randomBytes } from 'node:crypto'
import type { Database } from '@signet/platform/postgres/pool'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresAppliedBatches, storeUndoOutcomes } from '../src/transfer/applied-batches.repository.ts'
import { readAuthorityFacts } from '../src/transfer/authority-facts.repository.ts'
import { createUndoBatches } from '../src/transfer/undo-batches.ts'
import { objectRows } from '../src/undo/object-rows.repository.ts'
import { createUndoBatchRepository } from '../src/undo/undo-batch.repository.ts'
import { actor, batchFixture, counted, ORGANIZATIONS, person } from './batch-fixture.ts'
import { type DirectoryFixture, directoryFixture } from './directory-fixture.ts'

let fixture: DirectoryFixture
let { apply, batchOf, everywhere, owners } = {} as ReturnType<typeof batchFixture>
beforeAll(async () => {
  fixture = await directoryFixture()
  ;({ apply, batchOf, everywhere, owners } = batchFixture(fixture))
  await fixture.apply({
    organizations: ORGANIZATIONS.map((id) => ({ id, name: id, primaryDomain: `${id}.localhost` })),
  })
})
afterAll(() => fixture?.stop())

function undo(
  importJobId: string,
  batches: readonly number[],
  recordCount: number,
  database: Database = fixture.owner,
) {
  return createUndoBatches({
    database,
    batches: postgresAppliedBatches,
    storeOutcomes: storeUndoOutcomes,
    readAuthorityFacts,
    undoBatches: createUndoBatchRepository({ masterKeys: fixture.masterKeys, random: randomBytes }),
    rows: objectRows,
    publishEndings: async () => undefined,
  })({
    ...{ jobId: `undo-${importJobId}`, importJobId, force: false, actor },
    batches: batches.map((batch) => ({ batch, recordCount })),
  })
}

const namesOf = async (jobId: string) =>
  (
    await fixture.rows(
      `SELECT user_id || ' ' || name AS named FROM directory_read.account_claims_v1 WHERE user_id LIKE $1 || '-%' ORDER BY 1`,
      [jobId],
    )
  ).map(({ named }) => named)

describe('batches of many organizations', () => {
  it('are taken back together, in the order of the call', async () => {
    await apply(everywhere('taken'))
    const update = [person('taken-four-a', 'Changed'), person('taken-four-c')]
    await apply([
      batchOf('taken-2', 0, 'two', [person('taken-two-a', 'Changed'), person('taken-two-b')]),
      batchOf('taken-2', 1, 'four', update),
    ])
    const { count, database } = counted(fixture.owner)
    const outcomes = await undo('taken-2', [1, 0], 2, database)
    expect(outcomes).toEqual([
      { outcomes: 'rd', kept: [] },
      { outcomes: 'rr', kept: [] },
    ])
    expect(count.transactions).toBe(1)
    expect(await namesOf('taken-two')).toEqual(['taken-two-a taken-two-a', 'taken-two-b taken-two-b'])
    expect(await namesOf('taken-four')).toEqual(['taken-four-a taken-four-a', 'taken-four-b taken-four-b'])
    expect(await undo('taken-2', [0, 1], 2), 'repeated').toEqual(outcomes.toReversed())
    expect((await undo('taken', [4, 3, 2, 1, 0], 2)).map((one) => one.outcomes)).toEqual(
      new Array(5).fill('dd'),
    )
    expect(await owners('taken')).toEqual([])
    const events = (await fixture.audited({ action: 'undo.batch' }))
      .filter(({ details }) => details.import_job_id === 'taken')
      .map(({ organizationId, details: { batch, deleted } }) => ({ organizationId, batch, deleted }))
    expect(events.toSorted((a, b) => Number(a.batch) - Number(b.batch))).toEqual(
      ORGANIZATIONS.map((organizationId, batch) => ({ organizationId, batch, deleted: 2 })),
    )
  })

  it('take as many statements for five as for one to be taken back', async () => {
    const counts: number[] = []
    for (const [name, some] of [
      ['many', [4, 3, 2, 1, 0]],
      ['single', [0]],
    ] as const) {
      await apply(everywhere(`back-${name}`))
      const { count, database } = counted(fixture.owner)
      await undo(`back-${name}`, some, 2, database)
      counts.push(count.statements)
    }
    expect(counts[0]).toBe(counts[1])
  })

  it('keep the objects that were changed or break a rule, and take the others back', async () => {
    await apply(everywhere('kept'))
    await fixture.rows(`UPDATE directory.account SET display_name = 'Since' WHERE user_id = 'kept-two-a'`)
    // No deletion of this one is allowed by the tables.
    await fixture.rows(`CREATE TABLE directory.kept_rule (user_id text REFERENCES directory.account)`)
    await fixture.rows(`INSERT INTO directory.kept_rule VALUES ('kept-four-b')`)
    const outcomes = await undo('kept', [4, 3, 2, 1, 0], 2)
    await fixture.rows('DROP TABLE directory.kept_rule')
    expect(outcomes.map((one) => one.outcomes)).toEqual(['dd', 'dk', 'dd', 'kd', 'dd'])
    expect(outcomes[1]?.kept).toEqual([{ index: 1, message: expect.stringContaining('kept_rule') }])
    expect(outcomes[3]?.kept).toEqual([{ index: 0, message: 'it was changed since the import' }])
    expect(await owners('kept')).toEqual(['four kept-four-b', 'two kept-two-a'])
  })

  it('give a membership that several of them changed back what it was before', async () => {
    await apply([batchOf('again-m', 0, 'one', [person('again-m-a')])])
    const project = { projectId: 'again-m-p', project: { name: 'P' } }
    await apply([batchOf('again-m', 1, 'one', [project], { list: 'projects' })])
    const member = (role: string) => ({ userId: 'again-m-a', projectId: 'again-m-p', roles: [role] })
    const more = { list: 'projectMembers' }
    await apply([
      batchOf('again-m', 2, 'one', [member('PROJECT_OWNER')], more),
      batchOf('again-m', 3, 'two', [member('PROJECT_OWNER_VIEWER')], more),
      batchOf('again-m', 4, 'three', [member('PROJECT_OWNER')], more),
    ])
    const outcomes = await undo('again-m', [4, 3, 2], 1)
    expect(outcomes.map((one) => one.outcomes)).toEqual(['r', 'r', 'd'])
  })
})
