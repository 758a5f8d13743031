import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AccountStore } from '../src/accounts/account.repository.ts'
import type { SeenObjects } from '../src/permissions/seen-objects.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

const organization = (id: string, more: object = {}) => ({
  id,
  name: id.toUpperCase(),
  primaryDomain: `${id}.localhost`,
  users: [
    {
      id: `dora-of-${id}`,
      userName: 'dora',
      profile: { givenName: 'Dora', familyName: id },
      email: { address: `dora@mail.${id}.example`, verified: false },
    },
  ],
  projects: ['portal', 'shop'].map((name) => ({
    id: `${name}-of-${id}`,
    name: name === 'shop' ? 'Shop' : `Portal of ${id}`,
    applications: [
      {
        id: `app-of-${name}-of-${id}`,
        name: `App ${name}`,
        clientId: `client-of-${name}-of-${id}`,
        type: 'web' as const,
        redirectUris: ['https://app.example/callback'],
      },
    ],
  })),
  ...more,
})

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  await management.directory.apply({
    organizations: [
      organization('acme', { domains: ['shop.acme.example'] }),
      organization('globex', {
        users: [
          { id: 'dora', userName: 'hank', profile: { givenName: 'H', familyName: 'S' } },
          { id: 'dora-of-globex', userName: 'dora', profile: { givenName: 'D', familyName: 'G' } },
          {
            id: 'mail-of-globex',
            userName: 'm',
            profile: { givenName: 'M', familyName: 'G' },
            email: { address: 'dora@acme.localhost', verified: true },
          },
        ],
      }),
      organization('third'),
    ],
  })
  for (const id of ['acme', 'globex'])
    await call('IAM_OWNER', `/organizations/${id}`, 'PATCH', { name: id.toUpperCase() })
})
afterAll(() => management?.stop())

async function call(roles: string, path: string, method = 'GET', body?: object) {
  management.bearers.set('caller', {
    userId: 'dora-of-acme',
    organizationId: 'acme',
    roles: roles.split(', '),
  })
  return management.call(method, path, body, 'caller')
}

async function idsOf(roles: string, path: string): Promise<readonly string[] | number> {
  const { status, body } = await call(roles, path)
  return status === 200 ? body.items.map(({ id }: { id: string }) => id) : status
}

const ALL_APPLICATIONS = ['acme', 'globex', 'third'].flatMap((id) => [
  `app-of-portal-of-${id}`,
  `app-of-shop-of-${id}`,
])
const of = (ids: readonly string[], organizationId: string) => ids.filter((id) => id.endsWith(organizationId))

describe('a list that names no organization and no project', () => {
  it.each([
    ['IAM_OWNER_VIEWER', ['acme', 'globex', 'third']],
    ['ORG_OWNER acme', ['acme']],
    ['ORG_OWNER acme, ORG_OWNER_VIEWER globex', ['acme', 'globex']],
    ['ORG_USER_MANAGER acme', 403],
    ['PROJECT_OWNER portal-of-acme', 403],
  ])('of organizations has those that the caller may see: %s', async (roles, expected) => {
    expect(await idsOf(roles, '/organizations')).toEqual(expected)
  })

  it.each([
    ['ORG_OWNER acme', ['dora-of-acme']],
    ['ORG_OWNER_VIEWER acme', ['dora-of-acme']],
    ['ORG_USER_MANAGER acme', ['dora-of-acme']],
    ['ORG_OWNER acme, ORG_USER_MANAGER third', ['dora-of-acme', 'dora-of-third']],
    ['PROJECT_OWNER portal-of-acme', 403],
    ['ORG_OWNER nowhere', []],
  ])('of users has those that the caller may see: %s', async (roles, expected) => {
    expect(await idsOf(roles, '/users')).toEqual(expected)
    // A filter takes away, and never adds.
    expect(await idsOf(roles, '/users?userName=hank')).toEqual(expected === 403 ? 403 : [])
    expect(await idsOf(roles, '/users?organizationId=globex')).toBe(403)
  })

  it.each([
    ['ORG_OWNER acme', ['portal-of-acme', 'shop-of-acme']],
    ['PROJECT_OWNER shop-of-globex', ['shop-of-globex']],
    [
      'ORG_OWNER_VIEWER acme, PROJECT_OWNER_VIEWER shop-of-globex',
      ['portal-of-acme', 'shop-of-acme', 'shop-of-globex'],
    ],
    // The id of an organization is not that of a project, and the other way around.
    ['PROJECT_OWNER acme', []],
    ['ORG_OWNER shop-of-globex', []],
    ['ORG_USER_MANAGER acme', 403],
  ])('of projects and applications has those that the caller may see: %s', async (roles, expected) => {
    expect(await idsOf(roles, '/projects')).toEqual(expected)
    const applications =
      expected === 403
        ? 403
        : ALL_APPLICATIONS.filter((id) =>
            (expected as string[]).some((project) => id === `app-of-${project}`),
          )
    expect(await idsOf(roles, '/applications')).toEqual(applications)
  })

  it('is whole over pages', async () => {
    const pages: string[] = []
    let cursor = ''
    do {
      const { body } = await call('ORG_OWNER acme, ORG_OWNER globex', `/applications?limit=1${cursor}`)
      pages.push(...body.items.map(({ id }: { id: string }) => id))
      cursor = body.nextCursor === undefined ? '' : `&cursor=${encodeURIComponent(body.nextCursor)}`
    } while (cursor !== '')
    const expected = [...of(ALL_APPLICATIONS, 'acme'), ...of(ALL_APPLICATIONS, 'globex')]
    expect(pages).toEqual(expected.sort())
  })

  it('of audit events has those of the organizations that the caller may see', async () => {
    const organizationsOf = async (roles: string) => {
      const { body } = await call(roles, '/audit?limit=500')
      return new Set(body.items.map(({ organizationId }: { organizationId?: string }) => organizationId))
    }
    expect(await organizationsOf('ORG_OWNER globex')).toEqual(new Set(['globex']))
    expect(await organizationsOf('ORG_OWNER_VIEWER acme, ORG_OWNER globex')).toEqual(
      new Set(['acme', 'globex']),
    )
    expect((await organizationsOf('IAM_OWNER_VIEWER')).size).toBeGreaterThan(2)
  })

  it('of one organization is an event of this organization in the audit log', async () => {
    await call('ORG_OWNER third', '/users')
    const { body } = await call('ORG_OWNER third', '/audit?action=user.list')
    expect(body.items).toEqual([expect.objectContaining({ result: 'success', organizationId: 'third' })])
  })

  it('of what the doctor found has the checks of one organization, in those of the caller', async () => {
    const { body } = await call('ORG_OWNER acme', '/doctor')
    const found = body.checks.flatMap(({ findings }: { findings: { organizationId: string }[] }) => findings)
    expect(new Set(found.map(({ organizationId }: { organizationId: string }) => organizationId))).toEqual(
      new Set(['acme']),
    )
    expect(body.checks.map(({ id }: { id: string }) => id)).toContain('no_credentials')
    const { body: all } = await call('IAM_OWNER_VIEWER', '/doctor')
    expect(JSON.stringify(all)).toContain('globex')
  })
})

describe('a name', () => {
  const found = async (roles: string, kind: string, name: string) =>
    idsOf(roles, `/references?kind=${kind}&name=${encodeURIComponent(name)}`)

  it.each([
    ['organization', 'acme', ['acme']],
    ['organization', 'ACME.localhost', ['acme']],
    ['organization', 'shop.acme.example', ['acme']],
    ['organization', 'Globex', ['globex']],
    ['user', 'hank', ['dora']],
    ['user', 'HANK@globex.localhost', ['dora']],
    ['user', 'dora', ['dora']],
    ['user', 'dora@third.localhost', ['dora-of-third']],
    ['user', 'Dora@mail.third.example', ['dora-of-third']],
    // A login name and the verified address of another user.
    ['user', 'dora@acme.localhost', ['dora-of-acme', 'mail-of-globex']],
    ['project', 'portal of ACME', ['portal-of-acme']],
    ['project', 'Shop', ['shop-of-acme', 'shop-of-globex', 'shop-of-third']],
    ['application', 'client-of-shop-of-acme', ['app-of-shop-of-acme']],
    ['application', 'app shop', ['app-of-shop-of-acme', 'app-of-shop-of-globex', 'app-of-shop-of-third']],
    ['application', 'nothing', []],
    ['organization', 'a%', []],
  ])('of the kind %s is found in the instance: %s', async (kind, name, expected) => {
    expect(await found('IAM_OWNER_VIEWER', kind, name)).toEqual(expected)
  })

  it.each([
    ['ORG_OWNER acme', 'user', 'dora', ['dora-of-acme']],
    ['ORG_OWNER acme', 'user', 'dora-of-globex', []],
    ['ORG_OWNER acme', 'user', 'hank@globex.localhost', []],
    ['ORG_OWNER acme', 'user', 'dora@acme.localhost', ['dora-of-acme']],
    ['ORG_OWNER acme', 'user', 'dora@mail.third.example', []],
    ['ORG_OWNER_VIEWER acme', 'project', 'Shop', ['shop-of-acme']],
    ['PROJECT_OWNER shop-of-globex', 'project', 'Shop', ['shop-of-globex']],
    ['PROJECT_OWNER shop-of-globex', 'application', 'App shop', ['app-of-shop-of-globex']],
    ['PROJECT_OWNER shop-of-globex', 'user', 'dora', []],
    ['ORG_OWNER acme', 'organization', 'globex.localhost', []],
    ['ORG_USER_MANAGER acme', 'organization', 'acme', []],
    ['ORG_SETTINGS_MANAGER acme', 'user', 'dora', []],
  ])('is found among what the caller may see: %s, %s %s', async (roles, kind, name, expected) => {
    expect(await found(roles, kind, name)).toEqual(expected)
  })

  it('that is looked up leaves no refusal in the audit log', async () => {
    await found('ORG_OWNER acme', 'user', 'unknown')
    const { body } = await call('IAM_OWNER_VIEWER', '/audit?result=refused&action=reference.find')
    expect(body.items).toEqual([])
  })

  it('comes with the names of organization and project', async () => {
    const { body } = await call('IAM_OWNER', '/references?kind=application&name=client-of-shop-of-acme')
    expect(body.items).toEqual([
      {
        id: 'app-of-shop-of-acme',
        name: 'App shop',
        organizationId: 'acme',
        organizationName: 'ACME',
        projectId: 'shop-of-acme',
        projectName: 'Shop',
      },
    ])
  })
})

describe('the names beside ids in a list', () => {
  beforeAll(async () => {
    for (const [path, body] of [
      ['/projects/shop-of-acme/roles', { key: 'buyer' }],
      ['/projects/shop-of-acme/user-grants', { userId: 'dora-of-acme', roles: ['buyer'] }],
      ['/projects/shop-of-acme/user-grants', { userId: 'dora-of-globex', roles: ['buyer'] }],
      ['/projects/shop-of-acme/project-grants', { organizationId: 'globex' }],
    ] as const)
      expect((await call('IAM_OWNER', path, 'POST', body)).status).toBe(201)
    for (const userId of ['dora-of-acme', 'dora-of-globex'])
      await call('IAM_OWNER', `/organizations/acme/members/${userId}`, 'PUT', { roles: ['ORG_OWNER'] })
  })
  const items = async (roles: string, path: string) => (await call(roles, path)).body.items

  it('of grants and members are those that the caller may read', async () => {
    const grants = '/projects/shop-of-acme/user-grants'
    expect((await items('IAM_OWNER_VIEWER', grants)).map(named).sort()).toEqual(['dora Shop', 'dora Shop'])
    expect((await items('ORG_OWNER acme', grants)).map(named).sort()).toEqual(['dora Shop', 'undefined Shop'])
    expect((await items('PROJECT_OWNER shop-of-acme', grants)).map(named)).toEqual(
      Array(2).fill('undefined Shop'),
    )
    const members = '/organizations/acme/members'
    expect((await items('ORG_OWNER acme', members)).map(named)).toEqual([
      'dora undefined',
      'undefined undefined',
    ])
    expect(await items('ORG_OWNER acme, ORG_OWNER globex', '/projects/shop-of-acme/project-grants')).toEqual([
      { organizationId: 'globex', organizationName: 'GLOBEX', accepted: true },
    ])
    expect(await items('ORG_OWNER acme', '/projects/shop-of-acme/project-grants')).toEqual([
      { organizationId: 'globex', accepted: true },
    ])
  })
  const named = ({ userName, projectName }: Record<string, string>) => `${userName} ${projectName}`

  it('of audit events are those of actor, target and organization', async () => {
    const [event] = await items('ORG_OWNER acme', '/audit?action=user_grant.create&limit=1')
    expect(event).toMatchObject({ organizationName: 'ACME', actor: { id: 'dora-of-acme', name: 'dora' } })
    const [created] = await items('IAM_OWNER', '/audit?action=organization.update&targetId=globex')
    expect(created).toMatchObject({ target: { kind: 'organization', id: 'globex', name: 'GLOBEX' } })
    const [own] = await items('ORG_OWNER acme', '/audit?action=organization.update')
    expect(own).toMatchObject({ target: { id: 'acme', name: 'ACME' } })
    const [foreign] = await items('ORG_OWNER globex', '/audit?action=organization.update')
    expect(foreign.actor).toEqual({ kind: 'service_user', id: 'dora-of-acme' })
  })
})

describe('a search for a part of a name', () => {
  const found = (roles: string, text: string, more = '') =>
    idsOf(roles, `/users?search=${encodeURIComponent(text)}${more}`)

  it.each([
    ['ORA', ['dora-of-acme', 'dora-of-globex', 'dora-of-third', 'mail-of-globex']],
    ['dora ac', ['dora-of-acme']],
    ['@MAIL.third', ['dora-of-third']],
    ['h s', ['dora']],
    ['%', []],
    ['o_a', []],
  ])('finds user names, display names and addresses in any case: %s', async (text, expected) => {
    expect(await found('IAM_OWNER_VIEWER', text)).toEqual(expected)
  })

  it('finds what the caller may see, with the other filters', async () => {
    expect(await found('ORG_OWNER acme', 'dora')).toEqual(['dora-of-acme'])
    expect(await found('ORG_USER_MANAGER acme, ORG_OWNER third', 'dora')).toEqual([
      'dora-of-acme',
      'dora-of-third',
    ])
    expect(await found('IAM_OWNER', 'ora', '&organizationId=globex&userName=m')).toEqual(['mail-of-globex'])
    expect(await found('IAM_OWNER', 'dora', '&state=locked')).toEqual([])
    expect(await found('ORG_OWNER acme', 'dora', '&organizationId=globex')).toBe(403)
  })

  it('finds a person whose texts are as long as they may be, and unlike each other', async () => {
    const long = (from: number, length: number) =>
      Array.from({ length }, (_, at) => String.fromCodePoint(from + ((at * 7_919) % 20_000))).join('')
    const id = randomBytes(100).toString('hex')
    const label = () => randomBytes(31).toString('hex')
    const address = `${randomBytes(32).toString('hex')}@${label()}.${label()}.${label()}.example`
    const made = await call('IAM_OWNER', '/users', 'POST', {
      ...{ id, organizationId: 'acme', userName: long(0x20000, 200) },
      profile: { givenName: 'Long', familyName: 'Texts', displayName: long(0x4e00, 200) },
      email: { address },
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect(await found('IAM_OWNER', address.slice(10, 40))).toEqual([id])
    expect((await call('IAM_OWNER', `/users/${id}`, 'DELETE')).status).toBe(204)
  })

  it.each(
    [1, 2, 3, 4, 5, 100].flatMap((lookedAt) =>
      [0, 1, 3, 100].map((candidates) => ({ lookedAtFirst: Math.ceil(lookedAt / 2), candidates, lookedAt })),
    ),
  )('finds everything, $lookedAt users looked at in one call, $candidates candidates', async (bounds) => {
    const store = new AccountStore(management.directory.owner, bounds)
    const search = async (organizationId: string | undefined, seen?: SeenObjects, text = 'dora') => {
      const ids: string[] = []
      let cursor: string | undefined
      do {
        const page = await store.list({ search: text, organizationId }, { limit: 2, cursor }, seen)
        ids.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor
      } while (cursor !== undefined)
      return ids
    }
    expect(await search(undefined)).toEqual([
      'dora-of-acme',
      'dora-of-globex',
      'dora-of-third',
      'mail-of-globex',
    ])
    expect(await search('globex')).toEqual(['dora-of-globex', 'mail-of-globex'])
    expect(await search('globex', undefined, 'nobody at all')).toEqual([])
    expect(await search('globex', undefined, '@a')).toEqual(['mail-of-globex'])
    const seen = { organizationIds: ['third', 'acme'], projectIds: [] }
    expect(await search(undefined, seen)).toEqual(['dora-of-acme', 'dora-of-third'])
  })
})

it('says to every caller who it is, with the names of what it administers', async () => {
  const roles = 'ORG_OWNER acme, ORG_USER_MANAGER acme, ORG_OWNER_VIEWER globex, PROJECT_OWNER shop-of-third'
  expect((await call(roles, '/me')).body).toEqual({
    issuer: management.directory.config.issuer,
    userId: 'dora-of-acme',
    kind: 'service_user',
    userName: 'dora',
    displayName: 'Dora acme',
    organizationId: 'acme',
    organizationName: 'ACME',
    roles: [],
    organizations: [
      { id: 'acme', name: 'ACME', roles: ['ORG_OWNER', 'ORG_USER_MANAGER'] },
      { id: 'globex', name: 'GLOBEX', roles: ['ORG_OWNER_VIEWER'] },
    ],
    projects: [{ id: 'shop-of-third', name: 'Shop', roles: ['PROJECT_OWNER'] }],
  })
  expect((await call('IAM_OWNER', '/me')).body).toMatchObject({ roles: ['IAM_OWNER'], organizations: [] })
})
