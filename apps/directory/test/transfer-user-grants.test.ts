import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { useIndexes } from '../src/database/import-table.repository.ts'
import { userGrantWriter } from '../src/transfer/user-grants.repository.ts'
import { type DirectoryFixture, directoryFixture } from './directory-fixture.ts'

let fixture: DirectoryFixture
let projectId: string
beforeAll(async () => {
  fixture = await directoryFixture()
  const users = ['alice', 'bob'].map((userName) => ({
    id: userName,
    userName,
    profile: { givenName: 'Given', familyName: 'Family' },
  }))
  await fixture.apply({
    organizations: [
      {
        id: 'org',
        name: 'org',
        primaryDomain: 'org.localhost',
        users,
        projects: [{ name: 'P', roles: ['reader', 'writer', 'owner'].map((key) => ({ key })) }],
      },
    ],
  })
  const [project] = await fixture.rows<{ project_id: string }>(
    'SELECT project_id FROM directory_read.project_v1',
  )
  projectId = project?.project_id ?? ''
})
afterAll(() => fixture?.stop())
beforeEach(() => fixture.rows('DELETE FROM directory.user_grant'))

function write(kind: 'insert' | 'update', roles: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const grants = Object.entries(roles).map(([userId, roleKeys]) => ({
    userId,
    projectId,
    roleKeys: [...roleKeys],
  }))
  const writer = userGrantWriter({ masterKeys: fixture.masterKeys, random: randomBytes })
  return fixture.owner.transaction(async (tx) => {
    await useIndexes(tx)
    const organizationIds = grants.map(() => 'org')
    await writer[kind](tx, grants, {
      jobId: 'job',
      organizationIds,
      acceptedAt: new Date(),
      domainSuffix: 'localhost',
    })
  })
}

async function rolesOf(userId: string): Promise<readonly string[]> {
  const [row] = await fixture.rows<{ role_keys: readonly string[] }>(
    'SELECT role_keys FROM directory_read.user_grant_v1 WHERE user_id = $1',
    [userId],
  )
  return row?.role_keys ?? []
}

it('adds grants with each of their roles once', async () => {
  await write('insert', { alice: ['reader', 'writer', 'reader'], bob: [] })
  expect([await rolesOf('alice'), await rolesOf('bob')]).toEqual([['reader', 'writer'], []])
})

it('replaces the roles of each updated grant by those of its record', async () => {
  await write('insert', { alice: ['reader', 'writer'], bob: ['reader'] })
  await write('update', { alice: ['writer', 'owner'], bob: [] })
  expect([await rolesOf('alice'), await rolesOf('bob')]).toEqual([['owner', 'writer'], []])
})

it('violates the primary key when a parallel import has added the same grant', async () => {
  await write('insert', { alice: ['reader'] })
  await expect(write('insert', { bob: ['reader'], alice: ['owner'] })).rejects.toMatchObject({
    constraint: 'user_grant_pkey',
  })
  expect([await rolesOf('alice'), await rolesOf('bob')]).toEqual([['reader'], []])
})
