import { rpcClient } from '@signet/grpc/client'
import { ImpersonationService } from '@signet/grpc/gen/directory/v1/impersonation_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ImpersonationStore } from '../src/impersonations/impersonation.repository.ts'
import { sampleDocument } from './directory-fixture.ts'
import { type Bearer, type ManagementFixture, managementFixture } from './management-fixture.ts'

let management: ManagementFixture
let login: ReturnType<typeof createLoginClient>
const createLoginClient = ({ service }: ManagementFixture) => {
  const network = createInProcessNetwork({ onFailure: () => undefined })
  network.serve('directory', service.rpc ?? [])
  return rpcClient(ImpersonationService, network.transport('login', 'directory'))
}

const CALL = { timeoutMs: 10_000 }
const REASON = 'Ticket 4711: the report stays empty'
const plain = { profile: { givenName: 'A', familyName: 'B' } }
/** The administrators, each of whom holds one role. */
const ADMINISTRATORS = {
  'all-people': ['IAM_ADMIN_IMPERSONATOR'],
  'all-end-users': ['IAM_END_USER_IMPERSONATOR'],
  'acme-people': ['ORG_ADMIN_IMPERSONATOR acme'],
  'acme-end-users': ['ORG_END_USER_IMPERSONATOR acme'],
  'other-people': ['ORG_ADMIN_IMPERSONATOR other'],
  'instance-owner': ['IAM_OWNER'],
  'acme-owner': ['ORG_OWNER acme'],
  'acme-manager': ['ORG_USER_MANAGER acme'],
  nobody: [],
} as const
type Administrator = keyof typeof ADMINISTRATORS

beforeAll(async () => {
  management = await managementFixture()
  login = createLoginClient(management)
  const document = sampleDocument()
  document.security = { enableImpersonation: true }
  const [acme] = document.organizations
  if (acme === undefined) throw new Error('no organization')
  acme.loginPolicy = { allowImpersonation: true }
  const users = ['bob', 'locked', 'inactive', 'owner', 'project-owner', 'top', ...Object.keys(ADMINISTRATORS)]
  acme.users?.push(...users.map((id) => ({ id, userName: id, ...plain })))
  for (const [id, primaryDomain, policies] of [
    ['other', 'other.localhost', { loginPolicy: { allowImpersonation: true } }],
    ['forbids', 'forbids.localhost', { loginPolicy: { allowImpersonation: false } }],
    ['silent', 'silent.localhost', {}],
  ] as const) {
    const user = { id: `of-${id}`, userName: 'person', ...plain }
    document.organizations.push({ id, name: id, primaryDomain, ...policies, users: [user] })
  }
  await management.directory.apply(document)
  await management.directory.rows(
    `UPDATE directory.account SET state = user_id WHERE user_id IN ('locked', 'inactive')`,
  )
  await member('owner', 'ORG_OWNER', 'acme')
  await member('project-owner', 'PROJECT_OWNER', undefined, 'portal')
  await member('top', 'IAM_OWNER')
  for (const administrator of Object.keys(ADMINISTRATORS)) await giveRoles(administrator as Administrator)
})
afterAll(() => management?.stop())
beforeEach(async () => {
  management.published.splice(0)
  await management.directory.rows('DELETE FROM directory.impersonation')
})

const LEVELS = { IAM: 'instance', ORG: 'organization', PROJECT: 'project' } as const

async function member(userId: string, role: string, organizationId?: string, projectId?: string) {
  const level = LEVELS[role.split('_')[0] as keyof typeof LEVELS]
  await management.directory.rows(
    `INSERT INTO directory.member (user_id, level, organization_id, project_id, role) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING`,
    [userId, level, organizationId ?? null, projectId ?? null, role],
  )
}

async function giveRoles(administrator: Administrator) {
  const roles: readonly string[] = ADMINISTRATORS[administrator]
  for (const held of roles) await member(administrator, ...(held.split(' ') as [string]))
  management.bearers.set(administrator, bearerOf(administrator, roles))
}

const seconds = () => Math.floor(management.directory.clock.now().getTime() / 1000)

const bearerOf = (userId: string, roles: readonly string[], more: Partial<Bearer> = {}): Bearer => ({
  ...{ userId, organizationId: 'acme', roles, isPerson: true, authTime: seconds() },
  ...more,
})

const ask = (userId: string, bearer: string, body: object = { reason: REASON }) =>
  management.call('POST', `/users/${userId}/impersonations`, body, bearer)

async function link(userId = 'bob', administrator: Administrator = 'all-people'): Promise<string> {
  management.bearers.set(administrator, bearerOf(administrator, ADMINISTRATORS[administrator]))
  const { status, body } = await ask(userId, administrator)
  expect(status).toBe(200)
  return new URL(body.url).searchParams.get('token') ?? ''
}

const begin = (token: string, administratorId: string = 'all-people') =>
  login.beginImpersonation({ token, administratorId, clientAddress: '192.0.2.7' }, CALL)

const PEOPLE = [
  'bob',
  'owner',
  'project-owner',
  'top',
  'of-other',
  'of-forbids',
  'of-silent',
  'migrator-id',
] as const
/** The people as whom each administrator signs in. Every other cell is refused, and so is the administrator's own account. */
const MAY: { readonly [A in Administrator]?: readonly string[] } = {
  'all-people': ['bob', 'owner', 'project-owner', 'top', 'of-other'],
  'all-end-users': ['bob', 'of-other'],
  'acme-people': ['bob', 'owner', 'project-owner'],
  'acme-end-users': ['bob'],
  'other-people': ['of-other'],
}

describe('a table of who may sign in as whom', () => {
  const cells = Object.keys(ADMINISTRATORS).flatMap((administrator) =>
    [...PEOPLE, 'locked', 'inactive', 'unknown', administrator].map(
      (person) => [administrator as Administrator, person] as const,
    ),
  )

  it.each(cells)('%s as %s', async (administrator, person) => {
    management.bearers.set(administrator, bearerOf(administrator, ADMINISTRATORS[administrator]))
    const { status } = await ask(person, administrator)
    expect(status === 200).toBe(MAY[administrator]?.includes(person) === true)
  })
})

it('lets a person be impersonated where instance, organization and role allow it alone', async () => {
  const reasons: (string | undefined)[] = []
  for (const enabled of [true, false]) {
    await management.directory.rows(`UPDATE directory.setting SET enable_impersonation = ${enabled}`)
    for (const [person, administrator] of [
      ['bob', 'all-people'],
      ['of-silent', 'all-people'],
      ['of-forbids', 'all-people'],
      ['bob', 'instance-owner'],
    ] as const) {
      management.bearers.set(administrator, bearerOf(administrator, ADMINISTRATORS[administrator]))
      reasons.push((await ask(person, administrator)).body.details?.[0]?.id)
    }
  }
  await management.directory.rows('UPDATE directory.setting SET enable_impersonation = true')
  expect(reasons).toEqual([
    ...[undefined, 'impersonation_not_allowed', 'impersonation_not_allowed', 'role_missing'],
    ...['impersonation_off', 'impersonation_off', 'impersonation_off', 'role_missing'],
  ])
})

it.each([
  [{}, 200],
  [{ isPerson: false }, 400],
  [{ act: ['other-people'] }, 400],
  [{ authTime: undefined }, 401],
  [{ authTime: -601 }, 401],
  [{ authTime: -599 }, 200],
] as const)(
  'is for a person who signed in a short time ago and acts for no one: %o',
  async (more, status) => {
    const authTime = 'authTime' in more ? more.authTime && seconds() + more.authTime : seconds()
    const bearer = { ...bearerOf('all-people', ADMINISTRATORS['all-people']), ...more }
    const { authTime: _, ...rest } = bearer
    management.bearers.set('odd', { ...rest, ...(authTime !== undefined && { authTime }) } as Bearer)
    expect((await ask('bob', 'odd')).status).toBe(status)
  },
)

it.each([
  ...['', 'too short', ' '.repeat(20), 'x'.repeat(501), '\u{1f600}'.repeat(9), '\u200b'.repeat(20)],
  ...['Ticket 4711\u202e: reversed', 'Ticket 4711\nSigned by the owner', 'Ticket 4711 \u001b[2J'],
])('needs a reason of 10 to 500 characters that are shown: %j', async (reason) => {
  management.bearers.set('all-people', bearerOf('all-people', ADMINISTRATORS['all-people']))
  expect((await ask('bob', 'all-people', { reason })).status).toBe(400)
})

describe('a link', () => {
  it('begins one session, for its administrator, within a minute', async () => {
    const token = await link()
    expect(await login.findImpersonation({ token }, CALL)).toMatchObject({
      ...{ administratorId: 'all-people', userId: 'bob', loginName: 'bob@acme.localhost', reason: REASON },
    })
    await expect(begin(token, 'acme-people')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const begun = await Promise.allSettled([begin(token), begin(token), begin(token)])
    expect(begun.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
    await expect(login.findImpersonation({ token }, CALL)).rejects.toMatchObject({ code: 'NOT_FOUND' })

    const late = await link()
    management.directory.clock.advance(60_000)
    await expect(begin(late)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('takes the place of the last one', async () => {
    const first = await link()
    await link('owner')
    await expect(begin(first)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it.each([
    [
      'impersonation_off',
      'UPDATE directory.setting SET enable_impersonation = false',
      'UPDATE directory.setting SET enable_impersonation = true',
    ],
    [
      'impersonation_of_inactive',
      `UPDATE directory.account SET state = 'inactive' WHERE user_id = 'bob'`,
      `UPDATE directory.account SET state = 'active' WHERE user_id = 'bob'`,
    ],
    [
      'impersonator_role_missing',
      `DELETE FROM directory.member WHERE user_id = 'all-people'`,
      `INSERT INTO directory.member (user_id, level, role) VALUES ('all-people', 'instance', 'IAM_ADMIN_IMPERSONATOR')`,
    ],
  ])('is no more than the rules when it is opened: %s', async (rule, ends, back) => {
    const token = await link()
    await management.directory.rows(ends)
    const outcome = await begin(token).then(
      ({ refusedRule }) => refusedRule,
      ({ code }) => code,
    )
    await management.directory.rows(back)
    // An act that ends impersonations deletes the link too.
    expect([rule, outcome]).toEqual([rule, 'NOT_FOUND'])
  })

  it('is recorded with its reason', async () => {
    await begin(await link())
    const events = await management.directory.audited({ targetId: 'bob', actorId: 'all-people' })
    const [begun] = events.filter(({ action }) => action === 'impersonation.begin')
    const [created] = events.filter(({ action }) => action === 'impersonation.create')
    expect([created, begun]).toMatchObject([
      { action: 'impersonation.create', actorId: 'all-people', details: { reason: REASON } },
      {
        action: 'impersonation.begin',
        actorId: 'all-people',
        result: 'success',
        details: { reason: REASON },
      },
    ])
  })
})

describe('a session ends before the answer of the call', () => {
  beforeEach(async () => {
    management.bearers.set('owner', { roles: ['IAM_OWNER'] })
  })

  it.each([
    ['DELETE', '/members/all-people', undefined],
    ['PUT', '/members/all-people', { roles: ['IAM_OWNER_VIEWER'] }],
    ['PUT', '/members/bob', { roles: ['IAM_OWNER_VIEWER'] }],
    ['PATCH', '/v2/policies/security', { enableImpersonation: false }],
    ['PUT', '/v2/policies/security', {}],
    ['PATCH', '/organizations/acme/policies/login', { allowImpersonation: false }],
    ['PUT', '/organizations/acme/policies/login', {}],
    ['DELETE', '/organizations/acme/policies/login', undefined],
  ])('%s %s %o', async (method, path, body) => {
    const { impersonationId } = await begin(await link())
    management.published.splice(0)
    const { status } = await management.call(method, path, body, 'owner')
    expect(status).toBeLessThan(300)
    expect(management.published.flat()).toContainEqual(expect.stringContaining(impersonationId))
    await restore()
  })

  it.each([
    ['the administrator', '/users/all-people/sign-out'],
    ['the person', '/users/bob/sign-out'],
  ])('and for its applications with a sign-out everywhere of %s', async (_, path) => {
    const { impersonationId } = await begin(await link())
    expect((await management.call('POST', path, {}, 'owner')).status).toBeLessThan(300)
    expect(await endedTokens()).toContain(`impersonation ${impersonationId}`)
  })

  it('and for its applications with the organization of the administrator', async () => {
    const { impersonationId } = await begin(await link('of-other'))
    expect(await endedTokens()).not.toContain(`impersonation ${impersonationId}`)
    await management.directory.rows(
      `UPDATE directory.organization SET token_epoch = token_epoch + 1 WHERE organization_id = 'acme'`,
    )
    expect(await endedTokens()).toContain(`impersonation ${impersonationId}`)
  })

  it('and one that has expired tells no application when its row is deleted', async () => {
    const { impersonationId } = await begin(await link())
    await management.directory.rows(
      `UPDATE directory.impersonation SET expires_at = now() - interval '1 second'`,
    )
    await new ImpersonationStore(management.directory.owner).deleteExpired(new Date())
    expect(await endedTokens()).not.toContain(`impersonation ${impersonationId}`)
  })

  /** The personal access tokens and impersonations that the feed of the directory has ended. */
  async function endedTokens() {
    const rows = await management.directory.rows(
      `SELECT id FROM directory_read.ending_change_v1 WHERE kind = 'p'`,
    )
    return rows.map(({ id }) => id)
  }

  async function restore() {
    await management.directory.rows('UPDATE directory.setting SET enable_impersonation = true')
    await management.directory.rows(
      `INSERT INTO directory.organization_policy VALUES ('acme', 'login', '{"allowImpersonation": true}')
           ON CONFLICT (organization_id, kind) DO UPDATE SET document = excluded.document`,
    )
    await management.directory.rows(`DELETE FROM directory.member WHERE user_id IN ('bob', 'all-people')`)
    await giveRoles('all-people')
  }

  it('and other changes of members and policies end none', async () => {
    const { impersonationId } = await begin(await link())
    await management.call('PUT', '/members/nobody', { roles: ['IAM_OWNER_VIEWER'] }, 'owner')
    await management.call('DELETE', '/members/nobody', undefined, 'owner')
    await management.call('PATCH', '/organizations/acme/policies/login', { forceMfa: true }, 'owner')
    await management.call('PATCH', '/organizations/acme/policies/login', { forceMfa: false }, 'owner')
    expect(management.published.flat()).not.toContainEqual(expect.stringContaining(impersonationId))
  })
})
