import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { exampleDirectory } from './operation-call.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  const document = exampleDirectory()
  const profile = { givenName: 'E', familyName: 'F' }
  const users = [{ id: 'eve', userName: 'eve', profile }]
  document.organizations.push({ id: 'other', name: 'Other', primaryDomain: 'other.localhost', users })
  const serviceUsers = [
    { id: 'root', userName: 'root', clientSecret: 'a-secret-of-root-1', roles: ['IAM_OWNER' as const] },
  ]
  document.organizations.push({
    id: 'keeper',
    name: 'Keeper',
    primaryDomain: 'keeper.localhost',
    serviceUsers,
  })
  await management.directory.apply(document)
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
  management.bearers.set('acme-owner', { roles: ['ORG_OWNER acme'] })
  management.bearers.set('portal-owner', { roles: ['PROJECT_OWNER portal'] })
  management.bearers.set('other-owner', { roles: ['ORG_OWNER other'] })
  management.bearers.set('partner-owner', { roles: ['ORG_OWNER partner'] })
})
afterAll(() => management?.stop())

const call = (...args: Parameters<ManagementFixture['call']>) => management.call(...args)

/** Whether other services see that the project is granted to the organization. */
async function published(organizationId: string): Promise<boolean> {
  const rows = await management.directory.rows(
    'SELECT FROM directory_read.project_grant_v1 WHERE granted_organization_id = $1',
    [organizationId],
  )
  return rows.length > 0
}

describe('members', () => {
  it.each([
    ['/members', 'IAM_OWNER', 'IAM_OWNER_VIEWER', null],
    ['/organizations/acme/members', 'ORG_USER_MANAGER', 'ORG_OWNER', 'acme'],
    ['/projects/portal/members', 'PROJECT_OWNER_VIEWER', 'PROJECT_OWNER', 'portal'],
  ])(
    '%s: roles are given, replaced, listed and taken away, as token reads them',
    async (path, one, two, place) => {
      const held = () =>
        management.directory.rows(
          "SELECT role FROM directory_read.member_v1 WHERE user_id = 'bob' AND object_id IS NOT DISTINCT FROM $1 ORDER BY role",
          [place],
        )
      expect((await call('GET', `${path}/bob`)).status).toBe(404)
      const both = [one, two].sort()
      expect(await call('PUT', `${path}/bob`, { roles: [two, one, two] })).toMatchObject({
        status: 200,
        body: { userId: 'bob', roles: both, pendingRoles: [] },
      })
      expect(await held()).toEqual(both.map((role) => ({ role })))
      expect((await call('PUT', `${path}/bob`, { roles: [one] })).body.roles).toEqual([one])
      expect(await held()).toEqual([{ role: one }])
      expect((await call('GET', path)).body.items).toContainEqual({
        userId: 'bob',
        userName: 'bob',
        displayName: 'B B',
        roles: [one],
        pendingRoles: [],
      })
      expect((await call('DELETE', `${path}/bob`)).status).toBe(204)
      expect(await held()).toEqual([])
      expect((await call('DELETE', `${path}/bob`)).status).toBe(404)
    },
  )

  it('are listed in pages, one item for a user with several roles', async () => {
    await call('PUT', '/organizations/acme/members/bob', { roles: ['ORG_OWNER', 'ORG_OWNER_VIEWER'] })
    const first = await call('GET', '/organizations/acme/members?limit=1')
    expect(first.body).toMatchObject({ items: [{ userId: 'alice' }], nextCursor: expect.any(String) })
    const next = await call('GET', `/organizations/acme/members?limit=1&cursor=${first.body.nextCursor}`)
    expect(next.body).toEqual({
      items: [
        {
          ...{ userId: 'bob', userName: 'bob', displayName: 'B B' },
          roles: ['ORG_OWNER', 'ORG_OWNER_VIEWER'],
          pendingRoles: [],
        },
      ],
    })
  })

  it.each([
    ['/organizations/acme/members/bob', ['ORG_ADMIN_IMPERSONATOR'], 'makes an impersonator'],
    ['/organizations/acme/members/eve', ['ORG_OWNER_VIEWER'], 'lets in somebody from elsewhere'],
    ['/organizations/acme/members/nobody', ['ORG_OWNER_VIEWER'], 'learns that there is no such user'],
    ['/projects/portal/members/eve', ['PROJECT_OWNER'], 'lets in somebody from elsewhere'],
  ])('%s %o: only IAM_OWNER %s', async (path, roles) => {
    const refused = await call('PUT', path, { roles }, 'acme-owner')
    expect(refused).toMatchObject({ status: 403, body: { details: [{ roles: ['IAM_OWNER'] }] } })
    expect((await call('PUT', path, { roles })).status).toBe(path.endsWith('nobody') ? 400 : 200)
  })

  it('keeps roles that the owner of the organization could not give when they change the others', async () => {
    await call('PUT', '/organizations/acme/members/bob', { roles: ['ORG_ADMIN_IMPERSONATOR', 'ORG_OWNER'] })
    const kept = await call(
      'PUT',
      '/organizations/acme/members/bob',
      { roles: ['ORG_ADMIN_IMPERSONATOR'] },
      'acme-owner',
    )
    expect(kept).toMatchObject({ status: 200, body: { roles: ['ORG_ADMIN_IMPERSONATOR'] } })
  })

  it.each([
    ['/members/bob', { roles: ['ORG_OWNER'] }, 'roles[0]: '],
    ['/members/bob', { roles: [] }, 'roles: must name a role'],
    ['/organizations/nothing/members/bob', { roles: ['ORG_OWNER'] }, 'organizationId: must be the id of an'],
    ['/members/nobody', { roles: ['IAM_OWNER'] }, 'userId: must be the id of a user'],
  ])('%s %o returns the field and the rule', async (path, body, message) => {
    const answer = await call('PUT', path, body)
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain(message)
  })
})

describe('roles in another organization', () => {
  const counting = async (userId: string) =>
    (
      await management.directory.rows<{ role: string }>(
        'SELECT role FROM directory_read.member_v1 WHERE user_id = $1 ORDER BY role',
        [userId],
      )
    ).map(({ role }) => role)
  const hire = async (noun: string, id: string) => {
    const details = noun === 'users' ? { profile: { givenName: 'N', familyName: 'N' } } : {}
    expect(
      (await call('POST', `/${noun}`, { id, organizationId: 'other', userName: id, ...details })).status,
    ).toBe(201)
  }

  it('do not count for a person who has not accepted them, and do not protect the account from its organization', async () => {
    await hire('users', 'felix')
    const given = await call('PUT', '/organizations/acme/members/felix', { roles: ['ORG_OWNER'] })
    expect(given.body).toEqual({ userId: 'felix', roles: ['ORG_OWNER'], pendingRoles: ['ORG_OWNER'] })
    expect(await counting('felix')).toEqual([])
    const offers = await call('GET', '/users/felix/offered-roles', undefined, 'other-owner')
    expect(offers.body.items).toEqual([
      { organizationId: 'acme', organizationName: 'ACME', roles: ['ORG_OWNER'] },
    ])
    const answer = { objectId: 'acme', roles: ['ORG_OWNER'] }
    // The person decides, not an administrator.
    expect((await call('POST', '/users/felix/offered-roles/accept', answer, 'other-owner')).status).toBe(400)
    const password = { password: 'Correct-horse-9' }
    expect((await call('POST', '/users/felix/password', password, 'other-owner')).status).toBe(204)
    await management.directory.rows("UPDATE directory.member SET accepted = true WHERE user_id = 'felix'")
    expect(await counting('felix')).toEqual(['ORG_OWNER'])
    expect((await call('POST', '/users/felix/password', password, 'other-owner')).status).toBe(403)
    expect((await call('POST', '/users/felix/sign-out', undefined, 'other-owner')).status).toBe(204)
    // An accepted role stays when another one is added.
    const both = ['ORG_OWNER', 'ORG_USER_MANAGER']
    expect((await call('PUT', '/organizations/acme/members/felix', { roles: both })).body).toMatchObject({
      roles: both,
      pendingRoles: ['ORG_USER_MANAGER'],
    })
  })

  it('count at once in the instance and in the home organization', async () => {
    await hire('users', 'gloria')
    for (const [path, role] of [
      ['/members/gloria', 'IAM_OWNER_VIEWER'],
      ['/organizations/other/members/gloria', 'ORG_OWNER'],
    ] as const) {
      expect((await call('PUT', path, { roles: [role] })).body.pendingRoles).toEqual([])
    }
    expect(await counting('gloria')).toEqual(['IAM_OWNER_VIEWER', 'ORG_OWNER'])
  })

  it('are accepted for a service user by an owner of its organization', async () => {
    await hire('service-users', 'robot')
    const accept = (objectId: string, bearer: string) =>
      call('POST', '/users/robot/offered-roles/accept', { objectId, roles: ['PROJECT_OWNER'] }, bearer)
    await call('PUT', '/projects/portal/members/robot', { roles: ['PROJECT_OWNER', 'PROJECT_OWNER_VIEWER'] })
    expect((await accept('portal', 'acme-owner')).status).toBe(403)
    expect((await accept('acme', 'other-owner')).status).toBe(404)
    expect((await accept('portal', 'other-owner')).status).toBe(204)
    expect(await counting('robot')).toEqual(['PROJECT_OWNER'])
    const refused = { objectId: 'portal', roles: ['PROJECT_OWNER', 'PROJECT_OWNER_VIEWER'] }
    expect((await call('POST', '/users/robot/offered-roles/refuse', refused, 'other-owner')).status).toBe(204)
    // Refusing does not remove a role that counts already.
    expect((await call('GET', '/projects/portal/members/robot')).body).toMatchObject({
      roles: ['PROJECT_OWNER'],
      pendingRoles: [],
    })
  })
})

describe('user grants', () => {
  const path = '/projects/portal/user-grants'

  it('are given, changed and taken away, as tokens read them; the audit log names the roles', async () => {
    const roles = async () =>
      (
        await management.directory.rows(
          "SELECT role_keys FROM directory_read.user_grant_v1 WHERE user_id = 'bob'",
        )
      )[0]?.role_keys
    await call('POST', '/projects/portal/roles', { key: 'editor' })
    const made = await call('POST', path, { userId: 'bob', roles: ['admin'] }, 'portal-owner')
    expect(made).toMatchObject({
      status: 201,
      body: { projectId: 'portal', userId: 'bob', roles: ['admin'] },
    })
    const item = `${path}/${made.body.id}`
    expect(await roles()).toEqual(['admin'])
    expect((await call('PATCH', item, { roles: ['editor', 'admin'] })).body.roles).toEqual([
      'admin',
      'editor',
    ])
    expect(await roles()).toEqual(['admin', 'editor'])
    expect((await call('GET', `${path}?userId=bob`)).body.items.map(({ id }: { id: string }) => id)).toEqual([
      made.body.id,
    ])
    await call('POST', '/projects', { id: 'depot', organizationId: 'other', name: 'Depot' })
    const there = await call('POST', '/projects/depot/user-grants', { userId: 'bob', roles: [] })
    const all = await call('GET', '/users/bob/grants', undefined, 'acme-owner')
    expect(all.body.items).toHaveLength(2)
    const bob = { userName: 'bob', displayName: 'B B' }
    // The caller may not read the project of the other organization.
    expect(all.body.items).toEqual(
      expect.arrayContaining([
        { ...(await call('GET', item)).body, ...bob, projectName: 'Portal' },
        { ...there.body, ...bob },
      ]),
    )
    expect((await call('GET', '/users/bob/grants?limit=1')).body.nextCursor).toEqual(expect.any(String))
    expect((await call('GET', '/users/nobody/grants')).status).toBe(404)
    await call('DELETE', '/projects/depot')
    expect(await call('POST', path, { userId: 'bob', roles: [] })).toMatchObject({
      status: 409,
      body: { message: 'userId: has a grant in this project already' },
    })
    expect((await call('DELETE', item)).status).toBe(204)
    expect([await roles(), (await call('GET', item)).status]).toEqual([undefined, 404])
    const [event] = await management.directory.audited({ action: 'user_grant.delete', result: 'success' })
    expect(event).toMatchObject({
      details: { user_id: 'bob', roles: ['admin', 'editor'], project_id: 'portal' },
    })
  })

  it('for people of other organizations: those that the project is granted to, or by IAM_OWNER', async () => {
    const grant = (bearer: string) => call('POST', path, { userId: 'eve', roles: ['admin'] }, bearer)
    expect((await grant('portal-owner')).status).toBe(403)
    const granted = await call(
      'POST',
      '/projects/portal/project-grants',
      { organizationId: 'other' },
      'portal-owner',
    )
    expect(granted).toMatchObject({ status: 201, body: { organizationId: 'other', accepted: false } })
    // Until the organization accepts it, its people look like people that do not exist.
    const unknown = { userId: 'nobody', roles: ['admin'] }
    const refused = await call('POST', path, unknown, 'portal-owner')
    expect([(await grant('portal-owner')).body, refused.status]).toEqual([refused.body, 403])
    const received = '/organizations/other/granted-projects'
    expect((await call('GET', received, undefined, 'other-owner')).body.items).toEqual([
      { projectId: 'portal', name: 'Portal', organizationId: 'acme', accepted: false },
    ])
    expect(await published('other')).toBe(false)
    expect((await call('POST', `${received}/portal/accept`, undefined, 'acme-owner')).status).toBe(403)
    expect((await call('POST', `${received}/portal/accept`, undefined, 'other-owner')).status).toBe(204)
    expect(await published('other')).toBe(true)
    expect((await grant('portal-owner')).status).toBe(201)
  })

  it('of a project counts once its organization accepts the grant, until one of both ends it', async () => {
    const grants = '/projects/portal/project-grants'
    const received = '/organizations/partner/granted-projects/portal'
    for (const end of [
      () => call('DELETE', received, undefined, 'partner-owner'),
      () => call('DELETE', `${grants}/partner`, undefined, 'portal-owner'),
    ]) {
      expect((await call('POST', `${received}/accept`, undefined, 'partner-owner')).status).toBe(404)
      await call('POST', grants, { organizationId: 'partner' }, 'portal-owner')
      await call('POST', `${received}/accept`, undefined, 'partner-owner')
      expect(await published('partner')).toBe(true)
      expect((await end()).status).toBe(204)
      expect(await published('partner')).toBe(false)
    }
    // Refused before it ever counted.
    await call('POST', grants, { organizationId: 'partner' }, 'portal-owner')
    expect((await call('DELETE', received, undefined, 'partner-owner')).status).toBe(204)
    expect((await call('DELETE', received, undefined, 'partner-owner')).status).toBe(404)
  })

  it.each([
    [
      path,
      { userId: 'bob', roles: ['nothing', 'admin'] },
      400,
      'roles[0]: must be the key of a role of the project: create the role first, or read its list of roles',
    ],
    [path, { userId: 'nobody', roles: [] }, 400, 'userId: must be the id of a user'],
    ['/projects/nothing/user-grants', { userId: 'bob', roles: [] }, 404, 'there is no project with this id'],
  ])('%s %o is refused', async (at, body, status, message) => {
    const answer = await call('POST', at, body)
    expect([answer.status, answer.body.message]).toEqual([status, message])
  })
})

it('project grants are listed and taken away, and given once to an organization that exists', async () => {
  const path = '/projects/portal/project-grants'
  const grant = (organizationId: string) => call('POST', path, { organizationId })
  expect((await grant('acme')).status).toBe(201)
  expect((await grant('acme')).body.message).toBe('organizationId: has the project already')
  expect((await grant('nothing')).body.message).toBe('organizationId: must be the id of an organization')
  expect((await call('GET', path)).body.items).toContainEqual({
    organizationId: 'acme',
    organizationName: 'ACME',
    accepted: true,
  })
  expect((await call('DELETE', `${path}/acme`)).status).toBe(204)
  expect((await call('DELETE', `${path}/acme`)).status).toBe(404)
  const rows = await management.directory.rows(
    "SELECT FROM directory_read.project_grant_v1 WHERE granted_organization_id = 'acme'",
  )
  expect(rows).toEqual([])
})

describe('D: the last IAM_OWNER', () => {
  const own = (userId: string) => call('PUT', `/members/${userId}`, { roles: ['IAM_OWNER'] })
  const refused = { status: 400, body: { code: 9, details: [{ id: 'last_iam_owner' }] } }
  const owners = () =>
    management.directory.rows<{ user_id: string }>(
      "SELECT user_id FROM directory_read.member_v1 WHERE object_id IS NULL AND role = 'IAM_OWNER' ORDER BY user_id",
    )
  let hired = 0

  /**
   * A new service user in an organization of its own, who can sign in unless a test needs another credential.
   */
  async function hire({ secret = true } = {}) {
    hired += 1
    const [organizationId, id] = [`hiring-${hired}`, `hired-${hired}`]
    const primaryDomain = `${organizationId}.localhost`
    await call('POST', '/organizations', { id: organizationId, name: organizationId, primaryDomain })
    await call('POST', '/service-users', { id, organizationId, userName: id })
    if (secret) await call('POST', `/users/${id}/secret`, { overlapSeconds: 0 })
    return { organizationId, id }
  }

  afterEach(async () => {
    expect((await own('root')).status).toBe(200)
    for (const { user_id: id } of await owners()) if (id !== 'root') await call('DELETE', `/members/${id}`)
  })

  it.each([
    ['takes the role away', 'DELETE', '/members/{user}', undefined],
    ['replaces the role', 'PUT', '/members/{user}', { roles: ['IAM_OWNER_VIEWER'] }],
    ['deactivates the user', 'PATCH', '/users/{user}', { state: 'inactive' }],
    ['locks the user', 'PATCH', '/users/{user}', { state: 'locked' }],
    ['deletes the user', 'DELETE', '/users/{user}', undefined],
    ['deactivates the organization', 'PATCH', '/organizations/{organization}', { state: 'inactive' }],
    ['deletes the organization', 'DELETE', '/organizations/{organization}', undefined],
    ['takes the only credential away', 'DELETE', '/users/{user}/secret', undefined],
  ] as const)(
    'refuses an operation that %s, until there is another one',
    async (_, method, pattern, body) => {
      const { organizationId, id } = await hire()
      const path = pattern.replace('{user}', id).replace('{organization}', organizationId)
      await own(id)
      expect((await call('DELETE', '/members/root')).status).toBe(204)
      const answer = await call(method, path, body)
      expect(answer).toMatchObject(refused)
      expect(answer.body.message).toContain('give IAM_OWNER to another active user who can sign in first')
      expect(await owners()).toEqual([{ user_id: id }])
      expect((await call('GET', `/users/${id}`)).body.state).toBe('active')

      await own('root')
      expect((await call(method, path, body)).status).toBeLessThan(300)
    },
  )

  it.each([
    ['token', '/users/{user}/tokens', { id: 'c' }],
    ['key', '/users/{user}/keys', { algorithm: 'EdDSA', expiresAt: '9000-01-01T00:00:00Z' }],
  ])('keeps its only %s', async (_, pattern, body) => {
    const { id } = await hire({ secret: false })
    await own(id)
    const path = pattern.replace('{user}', id)
    const made = await call('POST', path, body)
    expect(made.status).toBe(201)
    const credential = `${path}/${made.body.id ?? made.body.keyId}`
    // The database goes by its own clock.
    await management.directory.rows(
      'UPDATE directory.personal_access_token SET expires_at = NULL WHERE user_id = $1',
      [id],
    )
    await call('DELETE', '/members/root')
    expect(await call('DELETE', credential)).toMatchObject(refused)
    expect((await call('POST', `/users/${id}/secret`, { overlapSeconds: 0 })).status).toBe(201)
    expect((await call('DELETE', credential)).status).toBe(204)
    // The new secret is there before the old one goes.
    expect((await call('POST', `/users/${id}/secret`, { overlapSeconds: 0 })).status).toBe(201)
  })

  it('is still the last beside owners without a valid credential', async () => {
    await own((await hire({ secret: false })).id)
    const { id } = await hire()
    await own(id)
    await management.directory.rows(
      "UPDATE directory.service_user_secret SET expires_at = now() - interval '1 second' WHERE user_id = $1",
      [id],
    )
    expect(await call('DELETE', '/members/root')).toMatchObject(refused)
  })

  it('is still the last beside owners who are inactive, locked or of an inactive organization', async () => {
    for (const state of ['inactive', 'locked']) {
      const { id } = await hire()
      await own(id)
      await call('PATCH', `/users/${id}`, { state })
    }
    const { id, organizationId } = await hire()
    await own(id)
    await call('PATCH', `/organizations/${organizationId}`, { state: 'inactive' })
    expect(await owners()).toHaveLength(4)
    expect(await call('DELETE', '/members/root')).toMatchObject(refused)
  })

  it('one of two concurrent removals is refused', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = [await hire(), await hire()]
      await own(one.id)
      await own(other.id)
      await call('DELETE', '/members/root')
      const answers = await Promise.all([
        call('DELETE', `/members/${one.id}`),
        call('PATCH', `/organizations/${other.organizationId}`, { state: 'inactive' }),
      ])
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(1)
      await own('root')
      await call('DELETE', `/members/${one.id}`)
      await call('DELETE', `/members/${other.id}`)
    }
  })

  it('is not replaced by an account whose deactivation is uncommitted', async () => {
    const { id } = await hire()
    const [superuser] = [management.directory.superuser()]
    const waiting = () =>
      superuser.query({
        name: '',
        text: "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      })
    let granting: Promise<unknown> | undefined
    await management.directory.owner.transaction(async (tx) => {
      const text = "UPDATE directory.account SET state = 'inactive' WHERE user_id = $1"
      await tx.query({ name: '', text, values: [id] })
      granting = own(id)
      await expect.poll(async () => (await waiting()).rowCount).toBe(1)
      expect(await call('DELETE', '/members/root')).toMatchObject(refused)
    })
    await granting
    expect(await call('DELETE', '/members/root')).toMatchObject(refused)
  })
})
