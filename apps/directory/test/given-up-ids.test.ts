import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  const document = sampleDocument()
  document.organizations.push({ id: 'other', name: 'Other', primaryDomain: 'other.localhost' })
  await management.directory.apply(document)
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
  management.bearers.set('acme', { roles: ['ORG_OWNER acme'] })
  management.bearers.set('other', { roles: ['ORG_OWNER other'] })
  management.bearers.set('manager', { roles: ['ORG_USER_MANAGER other'] })
  management.bearers.set('project', { roles: ['PROJECT_OWNER portal'] })
})
afterAll(() => management?.stop())

const call: ManagementFixture['call'] = (...given) => management.call(...given)
const profile = { givenName: 'G', familyName: 'F' }
const person = (organizationId: string, id: string) => ({
  id,
  organizationId,
  userName: `name-${id}`,
  profile,
})
const serviceUser = (organizationId: string, id: string) => ({ id, organizationId, userName: `name-${id}` })
const RULE = 'only the same kind of object in the same organization may have it again'

async function tombstones(id: string) {
  const text = `SELECT kind, organization_id AS "organizationId" FROM directory.tombstone WHERE id = $1 ORDER BY kind`
  return management.directory.rows(text, [id])
}

describe('ids that callers choose', () => {
  const CHOOSING: readonly (readonly [bearer: string, path: string, body: object, field: string])[] = [
    ['acme', '/users', { organizationId: 'acme', userName: 'n1', profile }, 'id'],
    ['acme', '/service-users', { organizationId: 'acme', userName: 'n2' }, 'id'],
    ['acme', '/service-users', { organizationId: 'acme', userName: 'n3' }, 'clientId'],
    ['manager', '/users', { organizationId: 'other', userName: 'n4', profile }, 'id'],
    ['acme', '/projects', { organizationId: 'acme', name: 'n' }, 'id'],
    ['project', '/applications', { projectId: 'portal', name: 'n', type: 'native' }, 'id'],
    ['project', '/applications', { projectId: 'portal', name: 'n', type: 'native' }, 'clientId'],
    ['project', '/projects/portal/user-grants', { userId: 'migrator-id', roles: ['admin'] }, 'id'],
  ]

  it.each(CHOOSING)(
    'are refused below IAM_OWNER, whether they are taken or free: %s %s',
    async (...given) => {
      const [bearer, path, body, field] = given
      for (const id of ['alice', 'web', 'portal', 'nobody-has-it']) {
        const answer = await call('POST', path, { ...body, [field]: id }, bearer)
        const message = `needs role IAM_OWNER: only with it ${field} can be chosen; leave it out and one is generated`
        expect(answer).toMatchObject({ status: 403, body: { code: 7, message } })
      }
      expect((await call('POST', path, body, bearer)).status).toBe(201)
    },
  )

  it('are refused in changes below IAM_OWNER; the same value is none', async () => {
    for (const path of ['/users/migrator-id', '/applications/web']) {
      expect((await call('PATCH', path, { clientId: 'alice' }, 'acme')).status).toBe(403)
      expect((await call('PATCH', path, { clientId: 'free' }, 'acme')).status).toBe(403)
    }
    expect((await call('PATCH', '/users/migrator-id', { clientId: 'migrator' }, 'acme')).status).toBe(200)
    expect((await call('PATCH', '/applications/web', { clientId: 'web' }, 'acme')).status).toBe(200)
  })
})

describe('ids of deleted objects', () => {
  const KINDS: readonly (readonly [
    kind: string,
    collection: string,
    body: (organizationId: string, id: string) => object,
  ])[] = [
    ['human', '/users', person],
    ['service_user', '/service-users', serviceUser],
    ['project', '/projects', (organizationId, id) => ({ organizationId, id, name: id })],
  ]

  it.each(KINDS)(
    'are kept for the same kind in the same organization: %s',
    async (kind, collection, body) => {
      const id = `gone-${kind}`
      const item = `${collection === '/service-users' ? '/users' : collection}/${id}`
      expect((await call('POST', collection, body('acme', id))).status).toBe(201)
      expect((await call('DELETE', item, undefined, 'acme')).status).toBe(204)
      expect(await tombstones(id)).toEqual([{ kind, organizationId: 'acme' }])
      const refused = await call('POST', collection, body('other', id))
      expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining(RULE) } })
      expect((await call('POST', collection, body('acme', id), 'acme')).status).toBe(403)
      expect((await call('POST', collection, body('acme', id))).status).toBe(201)
      expect((await call('DELETE', item)).status).toBe(204)
      expect(await tombstones(id)).toEqual([{ kind, organizationId: 'acme' }])
    },
  )

  it('do not become the id of another kind', async () => {
    await call('POST', '/users', person('acme', 'was-human'))
    await call('DELETE', '/users/was-human')
    expect((await call('POST', '/service-users', serviceUser('acme', 'was-human'))).status).toBe(409)
    const client = { projectId: 'portal', name: 'n', type: 'native', clientId: 'was-human' }
    expect((await call('POST', '/applications', client)).status).toBe(409)
    const clientId = { ...serviceUser('acme', 'fresh'), clientId: 'was-human' }
    expect((await call('POST', '/service-users', clientId)).status).toBe(409)
    expect((await call('PATCH', '/users/migrator-id', { clientId: 'was-human' })).status).toBe(409)
    expect((await call('PATCH', '/applications/web', { clientId: 'was-human' })).status).toBe(409)
  })

  it('are kept for clients too, also when their project or organization was deleted', async () => {
    const inOther = (id: string, projectId: string) => ({
      id,
      clientId: `${id}-client`,
      projectId,
      name: id,
      type: 'native',
    })
    for (const organizationId of ['acme', 'other']) {
      await call('POST', '/projects', { id: `p-${organizationId}`, organizationId, name: 'P' })
    }
    await call('POST', '/applications', inOther('app-1', 'p-other'))
    await call('DELETE', '/applications/app-1')
    await call('POST', '/applications', inOther('app-2', 'p-other'))
    await call('DELETE', '/projects/p-other')
    await call('POST', '/organizations', { id: 'doomed', name: 'Doomed', primaryDomain: 'doomed.localhost' })
    await call('POST', '/projects', { id: 'p-doomed', organizationId: 'doomed', name: 'P' })
    await call('POST', '/applications', inOther('app-3', 'p-doomed'))
    await call('POST', '/service-users', { ...serviceUser('doomed', 'su'), clientId: 'su-client' })
    await call('DELETE', '/organizations/doomed')
    for (const [id, organizationId] of [
      ['app-1', 'other'],
      ['app-2', 'other'],
      ['app-3', 'doomed'],
    ] as const) {
      expect(await tombstones(id)).toEqual([{ kind: 'application', organizationId }])
      expect(await tombstones(`${id}-client`)).toEqual([{ kind: 'client', organizationId }])
      expect((await call('POST', '/applications', inOther(id, 'p-acme'))).status).toBe(409)
      const freshId = { ...inOther(id, 'p-acme'), id: `fresh-${id}` }
      expect((await call('POST', '/applications', freshId)).status).toBe(409)
    }
    for (const id of ['su', 'su-client']) {
      expect(await tombstones(id)).toEqual([{ kind: 'service_user', organizationId: 'doomed' }])
    }
    expect(await tombstones('p-doomed')).toEqual([{ kind: 'project', organizationId: 'doomed' }])
    expect(await tombstones('doomed')).toEqual([{ kind: 'organization', organizationId: 'doomed' }])
    // The organization may come back, with what it had.
    await call('POST', '/organizations', { id: 'doomed', name: 'Doomed', primaryDomain: 'doomed.localhost' })
    expect(
      (await call('POST', '/projects', { id: 'p-doomed', organizationId: 'doomed', name: 'P' })).status,
    ).toBe(201)
    expect((await call('POST', '/applications', inOther('app-3', 'p-doomed'))).status).toBe(201)
  })

  it('are kept when a client gets another clientId', async () => {
    const body = { projectId: 'portal', name: 'n', type: 'native', clientId: 'first-name' }
    const { id } = (await call('POST', '/applications', body)).body
    expect((await call('PATCH', `/applications/${id}`, { clientId: 'second-name' })).status).toBe(200)
    expect(await tombstones('first-name')).toEqual([{ kind: 'client', organizationId: 'acme' }])
    await call('POST', '/projects', { id: 'elsewhere', organizationId: 'other', name: 'P' })
    expect((await call('POST', '/applications', { ...body, projectId: 'elsewhere' })).status).toBe(409)
    expect((await call('PATCH', `/applications/${id}`, { clientId: 'first-name' })).status).toBe(200)
  })

  it('do not become the clientId of a service user that a manager makes under that name', async () => {
    const named = { organizationId: 'acme', userName: 'nightly' }
    const first = await call('POST', '/service-users', named)
    expect(first.body).toMatchObject({ clientId: 'nightly' })
    await call('DELETE', `/users/${first.body.id}`)
    for (const [organizationId, bearer] of [
      ['acme', 'acme'],
      ['other', 'manager'],
    ] as const) {
      const { status, body } = await call('POST', '/service-users', { ...named, organizationId }, bearer)
      expect([status, body.clientId]).toEqual([201, expect.stringMatching(/^[a-z2-7]{26}$/)])
      await call('DELETE', `/users/${body.id}`)
    }
    expect((await call('POST', '/service-users', named)).body).toMatchObject({ clientId: 'nightly' })
  })

  it('are accepted from a bootstrap file of the same organization, and from no other', async () => {
    const document = sampleDocument()
    const user = { id: 'from-file', userName: 'from-file', profile }
    document.organizations[0]?.users?.push(user)
    await management.directory.apply(document)
    await call('DELETE', '/users/from-file')
    const moved = sampleDocument()
    moved.organizations.push({ id: 'other', name: 'Other', primaryDomain: 'other.localhost', users: [user] })
    await expect(management.directory.apply(moved)).rejects.toThrow(RULE)
    document.organizations[0]?.users?.splice(-1, 1, { ...user, userName: 'renamed' })
    await management.directory.apply(document)
    expect((await call('GET', '/users/from-file')).body).toMatchObject({ userName: 'renamed' })
  })

  it('are refused to one of two concurrent requests for the id of an object that is being deleted', async () => {
    await call('POST', '/users', person('acme', 'raced'))
    const [deleted, ...made] = await Promise.all([
      call('DELETE', '/users/raced'),
      ...Array.from({ length: 8 }, () => call('POST', '/users', person('other', 'raced'))),
    ])
    expect(deleted.status).toBe(204)
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 409))
  })
})

describe('a client of one organization and a project of another', () => {
  const project = (id: string, organizationId: string) => ({ id, organizationId, name: id })
  const both = 'a project and a client of different organizations may not have the same id'

  it('do not share an id when a manager names a service user like the project', async () => {
    const named = { organizationId: 'other', userName: 'portal' }
    const { status, body } = await call('POST', '/service-users', named, 'manager')
    expect([status, body.clientId]).toEqual([201, 'portal@other.localhost'])
    const own = await call('POST', '/service-users', { ...named, organizationId: 'acme' }, 'acme')
    expect([own.status, own.body.clientId], 'of its own organization it may').toEqual([201, 'portal'])
  })

  it('do not share an id that an IAM_OWNER chooses, in either order', async () => {
    const refused = { status: 409, body: { message: expect.stringContaining(both) } }
    const service = { organizationId: 'other', userName: 'chosen', clientId: 'portal' }
    await call(
      'DELETE',
      `/users/${(await call('GET', '/users?userName=portal&organizationId=acme')).body.items[0].id}`,
    )
    expect(await call('POST', '/service-users', service)).toMatchObject(refused)
    expect((await call('POST', '/projects', project('p-other', 'other'))).status).toBe(201)
    const application = { projectId: 'p-other', name: 'n', type: 'native' }
    expect(await call('POST', '/applications', { ...application, clientId: 'portal' })).toMatchObject(refused)
    const { body } = await call('POST', '/applications', application)
    expect(await call('PATCH', `/applications/${body.id}`, { clientId: 'portal' })).toMatchObject(refused)
    await call('POST', '/service-users', { organizationId: 'other', userName: 'waiting' }, 'manager')
    expect(await call('POST', '/projects', project('waiting', 'acme'))).toMatchObject(refused)
    expect((await call('POST', '/projects', project('waiting', 'other'))).status).toBe(201)
  })
})
