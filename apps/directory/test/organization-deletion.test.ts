import { silentLogger } from '@signet/platform/logger/logger'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { watchedTransaction } from '@signet/testing/watched-transaction'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOrganizationDeletion } from '../src/organizations/delete-organizations.service.ts'
import { OrganizationStore } from '../src/organizations/organization.repository.ts'
import {
  createOrganizationDeletionStore,
  MOST_ROWS_AT_ONCE,
} from '../src/organizations/organization-deletion.repository.ts'
import { directoryFixture, pick } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { exampleDirectory } from './operation-call.ts'

type Directory = Awaited<ReturnType<typeof directoryFixture>>

/** An organization with people, a service user, two projects with applications, roles and grants, one to a person elsewhere. */
async function addOrganization({ rows }: Pick<Directory, 'rows'>, id: string, people: number): Promise<void> {
  for (const text of [
    `WITH made AS (INSERT INTO directory.organization (organization_id, name, primary_domain)
                   VALUES ($1, $1, $1::text || '.example'))
     INSERT INTO directory.organization_domain (organization_id, domain, is_verified)
     VALUES ($1, $1::text || '.example', true)`,
    `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name)
     SELECT $1::text || '-person-' || n, $1, 'human', 'person-' || n, 'person-' || n, 'Person' FROM generate_series(1, ${people}) n`,
    `INSERT INTO directory.project (project_id, organization_id, name)
     SELECT $1::text || '-project-' || n, $1, 'Project' FROM generate_series(1, 2) n`,
    `INSERT INTO directory.project_role (project_id, role_key, display_name)
     SELECT $1::text || '-project-' || n, 'reader', 'Reader' FROM generate_series(1, 2) n`,
    `INSERT INTO directory.user_grant (user_id, project_id, user_grant_id)
     SELECT user_id, $1::text || '-project-1', user_id || '-grant' FROM directory.account WHERE organization_id = $1`,
    `INSERT INTO directory.user_grant (user_id, project_id, user_grant_id)
     SELECT user_id, $1::text || '-project-2', $1::text || user_id FROM directory.account WHERE user_id = 'alice'`,
    `INSERT INTO directory.user_grant_role (user_id, project_id, role_key)
     SELECT user_id, project_id, 'reader' FROM directory.user_grant WHERE project_id LIKE $1::text || '-project-%'`,
  ]) {
    await rows(text.replaceAll('$1', `'${id}'`))
  }
}

/** The rows left of an organization, with `ID` in the place of its id. */
async function remainsOf({ rows }: Pick<Directory, 'rows'>, id: string) {
  const [remains] = await rows(
    `SELECT (SELECT json_agg(json_build_array(replace(t.id, $1::text, 'ID'), kind, replace(organization_id, $1::text, 'ID')) ORDER BY t.id, kind)
               FROM directory.tombstone t WHERE organization_id = $1) AS tombstones,
            (SELECT json_agg(json_build_array(kind, replace(e.id, $1::text, 'ID'), owner_kind, replace(organization_id, $1::text, 'ID')) ORDER BY e.id, kind)
               FROM directory.retired_epoch e WHERE e.id LIKE $1::text || '%') AS retired,
            (SELECT count(*) FROM directory.account WHERE organization_id = $1)
              + (SELECT count(*) FROM directory.project WHERE organization_id = $1)
              + (SELECT count(*) FROM directory.user_grant WHERE project_id LIKE $1::text || '-project-%')
              + (SELECT count(*) FROM directory.organization WHERE organization_id = $1) AS rows`,
    [id],
  )
  return remains
}

describe('an organization with more users than one request may delete', () => {
  let management: ManagementFixture
  beforeAll(async () => {
    management = await managementFixture()
    await management.directory.apply(exampleDirectory())
    management.bearers.set('owner', { roles: ['IAM_OWNER'] })
    await addOrganization(management.directory, 'bulk', MOST_ROWS_AT_ONCE + 100)
  })
  afterAll(() => management?.stop())

  it('ends in the call, shows that it is being deleted, takes nothing, and is gone later', async () => {
    const { call, directory, published } = management
    const [first] = await directory.rows<{ id: string }>(
      `SELECT user_id AS id FROM directory_read.account_life_v1 WHERE organization_id = 'bulk' ORDER BY user_id LIMIT 1`,
    )
    await directory.owner.transaction(async (tx) => {
      // The first batch waits for this row.
      await tx.query({
        name: '',
        text: 'SELECT FROM directory.account WHERE user_id = $1 FOR UPDATE',
        values: [first?.id],
      })
      expect((await call('DELETE', '/organizations/bulk')).status).toBe(204)
      expect(published.at(-1)).toEqual(['ORGANIZATION bulk 1'])
      expect((await call('GET', '/organizations/bulk')).body).toMatchObject({ state: 'deleting' })
      expect((await call('GET', '/organizations?state=deleting')).body.items).toHaveLength(1)
      const user = { userName: 'late', profile: { givenName: 'L', familyName: 'L' } }
      for (const [method, path, body] of [
        ['PATCH', '/organizations/bulk', { state: 'active' }],
        ['POST', '/users', { organizationId: 'bulk', ...user }],
        ['POST', '/projects', { organizationId: 'bulk', name: 'Late' }],
      ] as const) {
        expect(await call(method, path, body)).toMatchObject({
          body: { details: [{ id: 'organization_deleting' }] },
        })
      }
      const domain = { id: 'thief', name: 'Thief', primaryDomain: 'bulk.example' }
      expect((await call('POST', '/organizations', domain)).status).toBe(409)
      expect((await call('DELETE', '/organizations/bulk')).status).toBe(204)
      expect(published.at(-1)).toEqual(['ORGANIZATION bulk 1'])
    })
    const status = async () => (await call('GET', '/organizations/bulk')).status
    await expect.poll(status, { timeout: 20_000 }).toBe(404)
    expect(await remainsOf(directory, 'bulk')).toMatchObject({ rows: 0 })
    const events = await directory.audited({ targetId: 'bulk' })
    const deletions = events.filter(({ action }) => action.startsWith('organization.delete'))
    expect(pick(deletions, 'actorKind', 'action')).toEqual([
      { actorKind: 'service', action: 'organization.deleted' },
      { actorKind: 'service_user', action: 'organization.delete' },
      { actorKind: 'service_user', action: 'organization.delete' },
    ])
    expect((await call('DELETE', '/organizations/bulk')).status).toBe(204)
    const again = { id: 'bulk', name: 'Bulk', primaryDomain: 'bulk.example' }
    expect((await call('POST', '/organizations', again)).status).toBe(201)
  })
})

describe('deletion in batches', () => {
  let directory: Directory
  beforeAll(async () => {
    directory = await directoryFixture()
    await directory.apply(exampleDirectory())
  })
  afterAll(() => directory?.stop())

  const begin = (id: string) => new OrganizationStore(directory.owner, 3).delete(id)
  const auditOf = (id: string) => directory.audited({ action: 'organization.deleted', targetId: id })

  it('leaves what a deletion in one statement leaves, wherever it is killed', async () => {
    await addOrganization(directory, 'whole', 7)
    await new OrganizationStore(directory.owner).delete('whole')
    await addOrganization(directory, 'parts', 7)
    await begin('parts')
    let killAt = 0
    let statements = 0
    const killed: Database = {
      ...directory.owner,
      transaction: (work, options) =>
        directory.owner.transaction(async (tx) => {
          const query: Queryable['query'] = async (statement) => {
            statements += 1
            if (statements === killAt) {
              const { rows } = await tx.query<{ pid: number }>({
                name: '',
                text: 'SELECT pg_backend_pid() AS pid',
                values: [],
              })
              // With a time, it returns when the backend is gone.
              await directory.asAdministrator(`SELECT pg_terminate_backend(${rows[0]?.pid}, 10000)`)
            }
            return tx.query(statement)
          }
          return work(watchedTransaction({ query }, tx))
        }, options),
    }
    const deletions = createOrganizationDeletionStore(killed, 3)
    let failures = 0
    for (let isDone = false; !isDone; ) {
      killAt += 1
      statements = 0
      try {
        while (await deletions.deleteBatch('parts'));
        isDone = statements < killAt
      } catch {
        failures += 1
        expect(await auditOf('parts')).toEqual([])
        expect(await deletions.findDeleting()).toEqual(['parts'])
      }
    }
    expect(failures).toBeGreaterThan(5)
    expect(await remainsOf(directory, 'parts')).toEqual(await remainsOf(directory, 'whole'))
    expect(await auditOf('parts')).toHaveLength(1)
  })

  it('runs in two replicas at once, past an organization whose deletion fails', async () => {
    for (const id of ['first', 'second', 'third']) {
      await addOrganization(directory, id, 20)
      await begin(id)
    }
    const deletions = createOrganizationDeletionStore(directory.owner, 3)
    const failing = {
      ...deletions,
      deleteBatch: (id: string) =>
        id === 'first' ? Promise.reject(new Error('not now')) : deletions.deleteBatch(id),
    }
    const replicas = [failing, failing].map((one) =>
      startOrganizationDeletion({ deletions: one, logger: silentLogger }),
    )
    await expect.poll(() => deletions.findDeleting(), { timeout: 20_000 }).toEqual(['first'])
    for (const replica of replicas) await replica.stop()
    for (const id of ['second', 'third']) expect(await auditOf(id)).toHaveLength(1)
    while (await deletions.deleteBatch('first'));
    expect(await deletions.findDeleting()).toEqual([])
  })
})
