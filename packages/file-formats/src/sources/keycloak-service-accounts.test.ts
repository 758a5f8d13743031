import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { convertAll, documentOf, problemsOf, sourceFile } from './conversion-fixture.ts'
import { convertKeycloak } from './keycloak.ts'

const SECRET = 'n3Y9sVJ1cS0n3Y9sVJ1cS0n3Y9sVJ1cS'
const ACCOUNT_ID = '36c1c5c7-4ca5-4e0e-9d40-1c9e1a8b3f10'

/** Converts a realm with the client `nightly`, whose account has the given roles. */
async function convertService(client: object, account: object | undefined) {
  const realm = {
    id: 'p',
    realm: 'p',
    groups: [{ name: 'machines', realmRoles: ['reader'] }],
    roles: {
      realm: [
        { name: 'auditor', composite: true, composites: { realm: ['reader'] } },
        { name: 'reader' },
        { name: 'default-roles-p', description: '$\x7brole_default-roles}' },
      ],
      client: {
        orders: [{ name: 'uma_protection' }],
        'realm-management': [
          { name: 'view-users', composites: { client: { 'realm-management': ['query-users'] } } },
          { name: 'query-users', description: '$\x7brole_query-users}' },
        ],
      },
    },
    clients: [
      {
        clientId: 'nightly',
        standardFlowEnabled: false,
        serviceAccountsEnabled: true,
        secret: SECRET,
        ...client,
      },
    ],
    users: account && [
      {
        id: ACCOUNT_ID,
        username: 'service-account-nightly',
        serviceAccountClientId: 'nightly',
        enabled: true,
        ...account,
      },
    ],
  }
  const converted = await convertAll(convertKeycloak, [sourceFile(realm)], {})
  expect(problemsOf(documentOf(converted.parts))).toEqual([])
  const told = converted.tasks.flatMap(({ application, tasks }) =>
    tasks.map((task) => `${application}: ${task}`),
  )
  return { ...converted, told }
}

describe('a client that acts for no person, and whose account has roles', () => {
  it('becomes a service user with its client id, secret, roles and the sub of its tokens', async () => {
    const { records, told } = await convertService({ name: 'Nightly job' }, { realmRoles: ['auditor'] })
    expect(records('machineUsers')).toEqual([
      {
        userId: ACCOUNT_ID,
        user: {
          userName: 'service-account-nightly',
          name: 'Nightly job',
          accessTokenType: 'ACCESS_TOKEN_TYPE_JWT',
        },
        clientId: 'nightly',
        clientSecretHash: `sha256$${createHash('sha256').update(SECRET).digest('base64url')}`,
        state: 'USER_STATE_ACTIVE',
      },
    ])
    expect(records('userGrants')).toEqual([
      { userId: ACCOUNT_ID, projectId: 'p', roleKeys: ['auditor', 'reader'] },
    ])
    expect([records('apiApps'), records('oidcApps'), records('humanUsers')]).toEqual([[], [], []])
    expect(told).toEqual([
      'nightly: ask for the scopes urn:service:iam:org:project:id:p:aud and urn:service:iam:org:projects:roles',
    ])
  })

  it('is inactive where the client was disabled, and named where its secret is too short', async () => {
    const { records, values } = await convertService(
      { enabled: false, secret: 'short' },
      { realmRoles: ['reader'] },
    )
    const [user] = records('machineUsers') as readonly object[]
    expect(user).toMatchObject({ state: 'USER_STATE_INACTIVE' })
    expect(user).not.toHaveProperty('clientSecretHash')
    expect(values).toContainEqual(expect.objectContaining({ effect: 'sign-in', record: 'nightly' }))
  })
})

describe('a client with a service account', () => {
  it.each([
    ['no role', {}, {}],
    ['no account in the files', {}, undefined],
    ['a role and the authorization code flow', { standardFlowEnabled: true }, { realmRoles: ['reader'] }],
    ['a role and keys of its own', { clientAuthenticatorType: 'client-jwt' }, { realmRoles: ['reader'] }],
  ])('stays an application with %s', async (_, client, account) => {
    const { records, told } = await convertService(client, account)
    expect(records('machineUsers')).toEqual([])
    expect([...records('apiApps'), ...records('oidcApps')]).toHaveLength(1)
    const roles = account === undefined || Object.keys(account).length === 0 ? [] : ['reader']
    expect(told.filter((task) => task.includes('service-user create'))).toEqual(
      roles.map(
        (role) =>
          `nightly: make a service user for what it does without a person, and give it the role ${role}: signet service-user create, signet user-grant create`,
      ),
    )
  })

  it('loses a right in Keycloak by its name, without the rights in it', async () => {
    const { told, records } = await convertService(
      {},
      {
        realmRoles: ['default-roles-p'],
        clientRoles: { 'realm-management': ['view-users'], orders: ['uma_protection'] },
      },
    )
    expect(told).toEqual([
      'nightly: let an administrator decide what it may do in place of realm-management:view-users: signet organization-member set',
    ])
    expect(records('userGrants')).toEqual([])
  })
})

it('takes the texts of roles that Keycloak makes itself for no placeholder of a deployment', async () => {
  const { kinds } = await convertService({}, {})
  expect(Object.keys(kinds).filter((kind) => kind.includes('placeholder'))).toEqual([])
})

it('gives a service user the roles of the groups of its account, and lists the other members of the account', async () => {
  const account = { groups: ['/machines'], attributes: { plan: ['gold'] }, requiredActions: ['TERMS'] }
  const { records, kinds } = await convertService({}, account)
  expect(records('userGrants')).toMatchObject([{ userId: ACCOUNT_ID, roleKeys: ['reader'] }])
  expect(kinds).toMatchObject({
    'users[].attributes': 1,
    'users[].requiredActions': 1,
    'clients[].groups of its service account': 1,
  })
})
