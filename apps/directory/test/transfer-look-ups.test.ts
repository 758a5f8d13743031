import { randomBytes } from 'node:crypto'
import type { Database, Queryable } from '@signet/postgres/pool'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { useIndexes } from '../src/stores/transfer-statements.ts'
import { humanUserWriter } from '../src/stores/transfer-user-writer.ts'
import { type DirectoryFixture, directoryFixture } from './directory-fixture.ts'

const BATCH = 250

let fixture: DirectoryFixture
beforeAll(async () => {
  fixture = await directoryFixture()
  await fixture.apply({ organizations: [{ id: 'big', name: 'Big', primaryDomain: 'big.localhost' }] })
})
afterAll(() => fixture?.stop())

/** Applies a batch of new users, and answers how many rows of users it read to find out that they are new. */
function rowsRead(database: Database, batch: number): Promise<number> {
  const writer = humanUserWriter({ masterKeys: fixture.masterKeys, random: randomBytes })
  const users = Array.from({ length: BATCH }, (_, index) => {
    const userName = `user-${batch * BATCH + index}`
    return { userId: userName, user: { userName, profile: { firstName: 'Given', lastName: 'Family' } } }
  })
  const context = { organizationId: 'big', acceptedAt: new Date(), domainSuffix: 'localhost' }
  return database.transaction(async (tx) => {
    await useIndexes(tx)
    const before = await readSoFar(tx)
    expect(await writer.fates(tx, users, context)).toEqual(new Map())
    const after = await readSoFar(tx)
    await writer.insert(tx, users, context)
    return after - before
  })
}

/** By this connection, in transactions before as well. */
async function readSoFar(tx: Queryable): Promise<number> {
  const { rows } = await tx.query<{ read: number }>({
    name: '',
    text: `SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables
            WHERE schemaname = 'directory' AND relname = 'account'`,
  })
  return rows[0]?.read ?? Number.NaN
}

it('DESIGN section 8: a batch of an import does not read the users that are there already', async () => {
  const read: number[] = []
  for (let batch = 0; batch < 16; batch += 1) read.push(await rowsRead(fixture.owner, batch))
  // A table of a few pages may be read whole.
  expect(read.slice(8)).toEqual(Array.from({ length: 8 }, () => 0))
})
