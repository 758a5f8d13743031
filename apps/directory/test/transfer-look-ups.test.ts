import { randomBytes } from 'node:crypto'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { useIndexes } from '../src/database/import-table.repository.ts'
import { humanUserWriter } from '../src/transfer/human-users.repository.ts'
import { type DirectoryFixture, directoryFixture } from './directory-fixture.ts'

const BATCH = 250

let fixture: DirectoryFixture
beforeAll(async () => {
  fixture = await directoryFixture()
  const application = {
    id: 'taken',
    clientId: 'taken',
    name: 'App',
    type: 'native' as const,
    redirectUris: ['app.big:/cb'],
  }
  const organization = (id: string, more: object = {}) => ({
    id,
    name: id,
    primaryDomain: `${id}.localhost`,
    ...more,
  })
  await fixture.apply({
    organizations: [
      organization('big', { projects: [{ name: 'P', applications: [application] }] }),
      organization('open', { domainPolicy: { userLoginMustBeDomain: false } }),
      organization('other', { domainPolicy: { userLoginMustBeDomain: false } }),
    ],
  })
})
afterAll(() => fixture?.stop())

const user = (userId: string, userName = userId) => ({
  userId,
  user: { userName, profile: { firstName: 'Given', lastName: 'Family' } },
})
const writer = () => humanUserWriter({ masterKeys: fixture.masterKeys, random: randomBytes, rpId: undefined })
const context = (organizationId: string, users: readonly unknown[]) => ({
  jobId: 'job',
  organizationIds: users.map(() => organizationId),
  acceptedAt: new Date(),
  domainSuffix: 'localhost',
})

function add(organizationId: string, ...users: readonly ReturnType<typeof user>[]): Promise<void> {
  return fixture.owner.transaction(async (tx) => {
    await useIndexes(tx)
    await writer().insert(tx, users, context(organizationId, users))
  })
}

/** Applies a batch of new users, and answers how many rows of users it read to find out that they are new. */
function rowsRead(database: Database, batch: number): Promise<number> {
  const users = Array.from({ length: BATCH }, (_, index) => user(`user-${batch * BATCH + index}`))
  return database.transaction(async (tx) => {
    await useIndexes(tx)
    const before = await readSoFar(tx)
    expect(await writer().findConflicts(tx, users, context('big', users))).toEqual(new Map())
    const after = await readSoFar(tx)
    await writer().insert(tx, users, context('big', users))
    return after - before
  })
}

/** Returns the number of users that this connection read, in transactions before as well. */
async function readSoFar(tx: Queryable): Promise<number> {
  const { rows } = await tx.query<{ read: number }>({
    name: '',
    text: `SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables
            WHERE schemaname = 'directory' AND relname = 'account'`,
  })
  return rows[0]?.read ?? Number.NaN
}

it('a batch of an import does not read the users that are there already', async () => {
  const read: number[] = []
  for (let batch = 0; batch < 16; batch += 1) read.push(await rowsRead(fixture.owner, batch))
  // A table of a few pages may be read whole.
  expect(read.slice(8)).toEqual(Array.from({ length: 8 }, () => 0))
})

it('ids of many users are claimed at once; one that an application has refuses all of them', async () => {
  await expect(add('big', user('first'), user('taken'), user('last'))).rejects.toMatchObject({
    constraint: 'principal_pkey',
    message: expect.stringContaining('the id taken belongs to another'),
  })
  expect(
    await fixture.rows(`SELECT FROM directory.principal WHERE principal_id IN ('first', 'last')`),
  ).toEqual([])
  await add('big', user('first'), user('last'))
  expect(
    await fixture.rows(`SELECT owner_kind, owner_id FROM directory.principal WHERE principal_id = 'last'`),
  ).toEqual([{ owner_kind: 'account', owner_id: 'last' }])
})

it('user names of organizations that sign in without a domain are unique among all of these', async () => {
  await add('open', user('one', 'shared'), user('two', 'single'))
  await add('big', user('three', 'shared'))
  await expect(add('other', user('four', 'shared'))).rejects.toMatchObject({
    constraint: 'account_global_user_name',
  })
})

it.each([
  ['a'.repeat(200), true],
  ['Az09._~@+-', true],
  ['a'.repeat(201), false],
  ['', false],
  ['a b', false],
  ['a\n', false],
  ['ä', false],
])('%j is an id: %s', async (id, valid) => {
  const read = fixture.rows('SELECT $1::text::directory.object_id', [id]).then(
    () => true,
    ({ constraint }: { constraint?: string }) => constraint !== 'object_id_syntax',
  )
  expect(await read).toBe(valid)
})

/** The ids that an account or application holds. */
function idsOf(owner: string): Promise<readonly unknown[]> {
  return fixture.rows('SELECT principal_id FROM directory.principal WHERE owner_id = $1', [owner])
}

it('an account that is deleted gives back its id, and the client id it had besides', async () => {
  await add('big', user('leaving'))
  await fixture.rows(
    `INSERT INTO directory.service_user (user_id, client_id) VALUES ('leaving', 'leaving-client')`,
  )
  expect(await idsOf('leaving')).toHaveLength(2)
  await fixture.rows(`DELETE FROM directory.account WHERE user_id = 'leaving'`)
  expect(await idsOf('leaving')).toEqual([])
})

it('an application that is deleted gives back an id that is its client id too', async () => {
  expect(await idsOf('taken')).toHaveLength(1)
  await fixture.rows(`DELETE FROM directory.application WHERE application_id = 'taken'`)
  expect(await idsOf('taken')).toEqual([])
})
