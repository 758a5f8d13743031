import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acme, sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  const document = sampleDocument()
  const organization = acme(document)
  organization.users?.push({
    id: 'erin',
    userName: 'erin',
    profile: { givenName: 'Erin', familyName: 'Example' },
  })
  organization.projects?.push({
    id: 'shop',
    name: 'Shop',
    roles: ['buyer', 'seller', 'auditor'].map((key) => ({ key, displayName: key })),
    applications: [
      {
        id: 'shopweb',
        clientId: 'shopweb',
        name: 'Shop',
        type: 'native',
        authMethod: 'none',
        redirectUris: ['http://127.0.0.1/callback'],
      },
    ],
  })
  document.organizations.push({
    id: 'partner',
    name: 'Partner',
    primaryDomain: 'partner.localhost',
    users: [{ id: 'paul', userName: 'paul', profile: { givenName: 'Paul', familyName: 'Partner' } }],
    projects: [{ id: 'foreign', name: 'Foreign', roles: [{ key: 'guest', displayName: 'Guest' }] }],
  })
  await management.directory.apply(document)
  management.bearers.set('owner', { roles: ['ORG_OWNER acme'] })
  management.bearers.set('iam', { roles: ['IAM_OWNER'] })
  management.bearers.set('viewer', { roles: ['PROJECT_OWNER_VIEWER shop'] })
})
afterAll(() => management?.stop())

const change = (verb: 'add' | 'remove', userId: string, ...roles: string[]) =>
  management.call('POST', `/projects/shop/user-grants/${verb}`, { userId, roles })

describe('roles by their names', () => {
  it('adds to the roles of a user and makes the grant when there is none', async () => {
    const first = await change('add', 'erin', 'buyer')
    expect([first.status, first.body.roles]).toEqual([200, ['buyer']])
    const second = await change('add', 'erin', 'seller', 'buyer')
    expect(second.body).toEqual({ ...first.body, roles: ['buyer', 'seller'] })
  })

  it('keeps every role of changes that run at once', async () => {
    const answers = await Promise.all(
      ['buyer', 'seller', 'auditor'].map((role) => change('add', 'alice', role)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const { body } = await management.call('GET', '/projects/shop/user-grants?userId=alice')
    expect(body.items).toMatchObject([{ roles: ['auditor', 'buyer', 'seller'] }])
  })

  it('takes roles and deletes the grant with the last one', async () => {
    expect((await change('remove', 'erin', 'seller')).body).toMatchObject({ roles: ['buyer'] })
    expect(await change('remove', 'erin', 'seller')).toMatchObject({
      status: 404,
      body: { message: 'the user has buyer in the project, and not seller' },
    })
    const { body } = await change('remove', 'erin', 'buyer')
    expect(body).toEqual({ projectId: 'shop', userId: 'erin', roles: [] })
    expect((await management.call('GET', '/projects/shop/user-grants?userId=erin')).body.items).toEqual([])
    expect(await change('remove', 'erin', 'buyer')).toMatchObject({
      status: 404,
      body: { message: 'the user has no role in the project, and not buyer' },
    })
  })

  it('refuses what the creation of a grant refuses', async () => {
    expect((await change('add', 'erin', 'nothing')).status).toBe(400)
    expect((await change('add', 'paul', 'buyer')).status).toBe(403)
    await change('add', 'erin', 'buyer')
    expect((await change('add', 'erin', 'nothing')).status).toBe(400)
  })
})

describe('the roles of a user', () => {
  it('are listed with the place that each comes from, those of administrators first', async () => {
    await management.call('PUT', '/organizations/acme/members/erin', { roles: ['ORG_USER_MANAGER'] }, 'iam')
    await management.call(
      'PUT',
      '/organizations/partner/members/erin',
      { roles: ['ORG_OWNER_VIEWER'] },
      'iam',
    )
    const read = async (bearer: string) =>
      (await management.call('GET', '/users/erin/roles', undefined, bearer)).body.items
    const inShop = {
      source: 'user_grant',
      roles: ['buyer'],
      organizationName: expect.stringMatching(/acme/i),
      projectId: 'shop',
      projectName: 'Shop',
      userGrantId: expect.any(String),
    }
    const inAcme = {
      source: 'organization_member',
      roles: ['ORG_USER_MANAGER'],
      pendingRoles: [],
      organizationId: 'acme',
    }
    const inPartner = {
      source: 'organization_member',
      pendingRoles: ['ORG_OWNER_VIEWER'],
      organizationName: 'Partner',
    }
    expect(await read('owner')).toMatchObject([inAcme, inShop])
    expect(await read('iam')).toMatchObject([inAcme, inPartner, inShop])
    const first = await management.call('GET', '/users/erin/roles?limit=1')
    const rest = await management.call('GET', `/users/erin/roles?cursor=${first.body.nextCursor}`)
    expect(rest.body.items).toMatchObject([inShop])
  })
})

describe('the access to an application', () => {
  it('names the people with a role and says whom the project admits', async () => {
    const grant = { userId: 'paul', roles: ['auditor'] }
    expect((await management.call('POST', '/projects/shop/user-grants/add', grant, 'iam')).status).toBe(200)
    const read = async (bearer = 'owner') =>
      (await management.call('GET', '/applications/shopweb/access', undefined, bearer)).body
    const { items, admits } = await read()
    expect(admits).toBe('everyone')
    expect(items).toMatchObject([
      { userId: 'alice', userName: 'alice', roles: ['auditor', 'buyer', 'seller'] },
      { userId: 'erin', userName: 'erin', displayName: 'Erin Example', state: 'active', roles: ['buyer'] },
      { userId: 'paul', organizationId: 'partner', roles: ['auditor'] },
    ])
    expect(items[2]).not.toHaveProperty('userName')
    expect((await read('iam')).items[2]).toMatchObject({ userName: 'paul' })
    expect((await read('viewer')).items[0]).not.toHaveProperty('userName')
    await management.call('PATCH', '/projects/shop', { hasProjectCheck: true })
    expect((await read()).admits).toBe('people_of_granted_organizations')
    await management.call('PATCH', '/projects/shop', { projectRoleCheck: true })
    expect((await read()).admits).toBe('people_with_a_role')
  })
})

it('lists the people without a second factor by name', async () => {
  const names = async (value: string) =>
    (await management.call('GET', `/users?organizationId=acme&hasSecondFactor=${value}`)).body.items.map(
      ({ userName }: { userName: string }) => userName,
    )
  const without = await names('false')
  expect(without).toContain('erin')
  await management.directory.rows(
    "INSERT INTO directory.account_totp (user_id, sealed_seed) VALUES ('erin', '\\x01')",
  )
  expect(await names('true')).toContain('erin')
  expect(await names('false')).toEqual(without.filter((name: string) => name !== 'erin'))
})
