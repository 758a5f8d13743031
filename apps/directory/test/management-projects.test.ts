import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { exampleDirectory } from './operation-call.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  await management.directory.apply(exampleDirectory())
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
})
afterAll(() => management?.stop())
beforeEach(async () => {
  management.beforePublished(async () => undefined)
  management.published.splice(0)
})

const rows = (sql: string) => management.directory.rows(sql)

describe('projects', () => {
  it('are made with the defaults of the bootstrap file, listed by organization and changed', async () => {
    const made = await management.call('POST', '/projects', { organizationId: 'acme', name: 'Shop' })
    expect(made).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^[a-z2-7]{26}$/),
        projectRoleAssertion: false,
        projectRoleCheck: false,
        hasProjectCheck: false,
        createdAt: management.directory.clock.now().toISOString(),
      },
    })
    const path = `/projects/${made.body.id}`
    const changed = await management.call('PATCH', path, { has_project_check: true })
    expect(changed).toMatchObject({ status: 200, body: { name: 'Shop', hasProjectCheck: true } })
    expect((await management.call('GET', path)).body).toEqual(changed.body)
    const list = async (query: string) =>
      (await management.call('GET', `/projects?${query}`)).body.items.map(
        ({ name }: { name: string }) => name,
      )
    expect((await list('organizationId=acme')).sort()).toEqual(['Portal', 'Shop'])
    expect(await list('organizationId=acme&name=Shop')).toEqual(['Shop'])
    expect(await list('organizationId=other')).toEqual([])
    expect((await management.call('DELETE', path)).status).toBe(204)
    expect((await management.call('DELETE', path)).status).toBe(404)
  })

  it.each([
    [{ id: 'portal', organizationId: 'acme', name: 'X' }, 409, 'id: is the id of another project'],
    [{ organizationId: 'nothing', name: 'X' }, 400, 'organizationId: must be the id of an organization'],
    [{ organizationId: 'acme' }, 400, 'name: is required'],
  ])('%o is refused', async (body, status, message) => {
    const answer = await management.call('POST', '/projects', body)
    expect([answer.status, answer.body.message]).toEqual([status, message])
  })

  it('of two callers who changed the same representation, the second gets 412 (RFC 9110 section 13.1.1)', async () => {
    const etag = (await management.call('GET', '/projects/portal')).headers.get('etag') ?? ''
    const change = (name: string) =>
      management.call('PATCH', '/projects/portal', { name }, 'owner', { 'if-match': etag })
    expect([(await change('First')).status, (await change('Second')).status]).toEqual([200, 412])
  })

  it('deleting one ends the tokens of its applications, also when it is repeated by its administrators', async () => {
    await management.call('POST', '/projects', { id: 'doomed', organizationId: 'acme', name: 'Doomed' })
    await rows(
      `INSERT INTO directory.application
         (application_id, client_id, project_id, name, type, auth_method, response_types, grant_types, token_epoch)
       SELECT id, 'client-' || id, 'doomed', id, 'web', 'none', '{}', '{}', 4 FROM unnest(ARRAY['a', 'b']) AS id`,
    )
    management.bearers.set('acme-owner', { roles: ['ORG_OWNER acme'] })
    management.bearers.set('other-owner', { roles: ['ORG_OWNER other'] })
    let left: unknown
    management.beforePublished(async () => {
      left = await rows("SELECT FROM directory_read.project_v1 WHERE project_id = 'doomed'")
    })
    const ended = ['CLIENT client-a 5', 'CLIENT client-b 5']
    const remove = (bearer: string) => management.call('DELETE', '/projects/doomed', undefined, bearer)
    expect((await remove('acme-owner')).status).toBe(204)
    expect([left, management.published]).toEqual([[], [ended]])
    expect((await remove('acme-owner')).status).toBe(204)
    expect((await remove('other-owner')).status).toBe(403)
    expect(management.published).toEqual([ended, ended])
  })
})

describe('roles of a project', () => {
  const path = '/projects/portal/roles'

  it('are added, renamed, listed and removed, from their users too', async () => {
    const added = await management.call('POST', path, { key: 'night shift/1' })
    expect(added).toMatchObject({
      status: 201,
      body: { key: 'night shift/1', displayName: 'night shift/1', group: null },
    })
    const item = `${path}/${encodeURIComponent('night shift/1')}`
    const changed = await management.call('PATCH', item, { displayName: 'Nights', group: 'shifts' })
    expect(changed.body).toEqual({ key: 'night shift/1', displayName: 'Nights', group: 'shifts' })
    expect((await management.call('GET', item)).body).toEqual(changed.body)
    expect((await management.call('GET', `${path}?limit=1`)).body).toMatchObject({
      items: [{ key: 'admin' }],
    })
    await rows("INSERT INTO directory.user_grant_role VALUES ('alice', 'portal', 'night shift/1')")
    expect((await management.call('DELETE', item)).status).toBe(204)
    expect(await rows("SELECT role_keys FROM directory_read.user_grant_v1 WHERE user_id = 'alice'")).toEqual([
      { role_keys: ['admin'] },
    ])
    expect((await management.call('GET', item)).status).toBe(404)
    const [event] = await management.directory.audited({ action: 'project_role.delete' })
    expect(event).toMatchObject({
      targetKind: 'project',
      targetId: 'portal',
      details: { role: 'night shift/1' },
    })
  })

  it.each([
    ['POST', path, { key: 'admin' }, 409, 'key: is the key of another role of this project'],
    ['POST', '/projects/nothing/roles', { key: 'x' }, 404, 'there is no project with this id'],
    ['PATCH', `${path}/nobody`, { group: 'x' }, 404, 'the project has no such role'],
    [
      ...(['GET', `${path}/a%00b`, undefined, 400] as const),
      'roleKey: must have 1 to 200 characters, none of them U+0000',
    ],
  ])('%s %s %o is refused', async (method, at, body, status, message) => {
    const answer = await management.call(method, at, body)
    expect([answer.status, answer.body.message]).toEqual([status, message])
  })
})
