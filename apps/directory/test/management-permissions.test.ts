import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { OPERATIONS } from '../src/http/operations/all-operations.ts'
import { PASSWORD } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { exampleCall, exampleDirectory } from './operation-call.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  const document = exampleDirectory()
  const plain = { profile: { givenName: 'A', familyName: 'B' } }
  document.organizations[0]?.users?.push({ id: 'carol', userName: 'carol', ...plain })
  document.organizations.push({ id: 'other', name: 'Other', primaryDomain: 'other.localhost' })
  await management.directory.apply(document)
  await management.directory.rows(
    `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name)
     SELECT id, 'acme', 'human', id, id, id FROM unnest(ARRAY['org-admin', 'elsewhere-admin', 'project-admin']) AS id`,
  )
  await management.directory.rows(
    `INSERT INTO directory.member (user_id, level, organization_id, project_id, role)
     VALUES ('org-admin', 'organization', 'acme', NULL, 'ORG_OWNER'),
            ('elsewhere-admin', 'organization', 'other', NULL, 'ORG_OWNER'),
            ('project-admin', 'project', NULL, 'portal', 'PROJECT_OWNER')`,
  )
})
afterAll(() => management?.stop())
beforeEach(() => void management.published.splice(0))

/** Somebody without rights of their own. */
const EXAMPLES = { userId: 'carol', organizationId: 'acme' }

/** Every role that exists, in its own organization or project and in another one. */
const ROLES = [
  'IAM_OWNER',
  'IAM_OWNER_VIEWER',
  'IAM_ADMIN_IMPERSONATOR',
  'ORG_OWNER acme',
  'ORG_OWNER other',
  'ORG_OWNER_VIEWER acme',
  'ORG_USER_MANAGER acme',
  'ORG_USER_MANAGER other',
  'ORG_ADMIN_IMPERSONATOR acme',
  'ORG_SETTINGS_MANAGER acme',
  'PROJECT_OWNER portal',
  'PROJECT_OWNER elsewhere',
  'PROJECT_OWNER_VIEWER portal',
  // Held where they do not hold: no organization's role counts for the instance, and the other way around.
  'ORG_OWNER',
  'IAM_OWNER acme',
]

interface Allowed {
  readonly may: readonly string[]
  /** What a refusal names. */
  readonly needs: readonly string[]
}
const OWNERS_OF_INSTANCE: Allowed = { may: ['IAM_OWNER'], needs: ['IAM_OWNER'] }
const VIEWERS_OF_INSTANCE: Allowed = {
  may: ['IAM_OWNER', 'IAM_OWNER_VIEWER'],
  needs: ['IAM_OWNER', 'IAM_OWNER_VIEWER'],
}
const OWNERS_OF_ACME: Allowed = { may: ['IAM_OWNER', 'ORG_OWNER acme'], needs: ['IAM_OWNER', 'ORG_OWNER'] }
const VIEWERS_OF_ACME: Allowed = {
  may: [...VIEWERS_OF_INSTANCE.may, 'ORG_OWNER acme', 'ORG_OWNER_VIEWER acme'],
  needs: [...VIEWERS_OF_INSTANCE.needs, 'ORG_OWNER', 'ORG_OWNER_VIEWER'],
}
const MANAGERS_OF_USERS: Allowed = {
  may: [...OWNERS_OF_ACME.may, 'ORG_USER_MANAGER acme'],
  needs: [...OWNERS_OF_ACME.needs, 'ORG_USER_MANAGER'],
}
const VIEWERS_OF_USERS: Allowed = {
  may: [...VIEWERS_OF_ACME.may, 'ORG_USER_MANAGER acme'],
  needs: [...VIEWERS_OF_ACME.needs, 'ORG_USER_MANAGER'],
}
const OWNERS_OF_PORTAL: Allowed = {
  may: [...OWNERS_OF_ACME.may, 'PROJECT_OWNER portal'],
  needs: [...OWNERS_OF_ACME.needs, 'PROJECT_OWNER'],
}

const VIEWERS_OF_PORTAL: Allowed = {
  may: [...VIEWERS_OF_ACME.may, 'PROJECT_OWNER portal', 'PROJECT_OWNER_VIEWER portal'],
  needs: [...VIEWERS_OF_ACME.needs, 'PROJECT_OWNER', 'PROJECT_OWNER_VIEWER'],
}

/** Who may call each operation about something in the organization acme. */
const ALLOWED: Readonly<Record<string, Allowed>> = {
  'organization.list': VIEWERS_OF_INSTANCE,
  'organization.create': OWNERS_OF_INSTANCE,
  'organization.read': VIEWERS_OF_ACME,
  'organization.update': OWNERS_OF_ACME,
  'organization.delete': OWNERS_OF_ACME,
  'domain.list': VIEWERS_OF_ACME,
  'domain.add': OWNERS_OF_ACME,
  'domain.read': VIEWERS_OF_ACME,
  'domain.update': OWNERS_OF_INSTANCE,
  'domain.delete': OWNERS_OF_ACME,
  ...Object.fromEntries(
    ['login', 'lockout', 'password_complexity', 'privacy', 'label', 'domain'].flatMap((kind) => {
      const changing = kind === 'domain' ? OWNERS_OF_INSTANCE : OWNERS_OF_ACME
      return [
        [`${kind}_policy.read`, VIEWERS_OF_ACME],
        [`${kind}_policy.set`, changing],
        [`${kind}_policy.reset`, changing],
      ]
    }),
  ),
  'user.list': VIEWERS_OF_USERS,
  'user.create': MANAGERS_OF_USERS,
  'service_user.create': MANAGERS_OF_USERS,
  'user.read': VIEWERS_OF_USERS,
  'user.update': MANAGERS_OF_USERS,
  'user.delete': MANAGERS_OF_USERS,
  'user.set_password': MANAGERS_OF_USERS,
  'user.sign_out': MANAGERS_OF_USERS,
  'user.unlock': MANAGERS_OF_USERS,
  'token.list': VIEWERS_OF_USERS,
  'token.create': MANAGERS_OF_USERS,
  'token.delete': MANAGERS_OF_USERS,
  'key.list': VIEWERS_OF_USERS,
  'key.create': MANAGERS_OF_USERS,
  'key.delete': MANAGERS_OF_USERS,
  'service_user.rotate_secret': MANAGERS_OF_USERS,
  'service_user.delete_secret': MANAGERS_OF_USERS,
  'totp.read': VIEWERS_OF_USERS,
  'totp.create': MANAGERS_OF_USERS,
  'totp.delete': MANAGERS_OF_USERS,
  'user_metadata.list': VIEWERS_OF_USERS,
  'user_metadata.read': VIEWERS_OF_USERS,
  'user_metadata.set': MANAGERS_OF_USERS,
  'user_metadata.delete': MANAGERS_OF_USERS,
  'project.list': VIEWERS_OF_ACME,
  'project.create': OWNERS_OF_ACME,
  'project.read': VIEWERS_OF_PORTAL,
  'project.update': OWNERS_OF_PORTAL,
  'project.delete': OWNERS_OF_PORTAL,
  'project_role.list': VIEWERS_OF_PORTAL,
  'project_role.add': OWNERS_OF_PORTAL,
  'project_role.read': VIEWERS_OF_PORTAL,
  'project_role.update': OWNERS_OF_PORTAL,
  'project_role.delete': OWNERS_OF_PORTAL,
  'session.list': VIEWERS_OF_USERS,
  'session.end': MANAGERS_OF_USERS,
  'user.list_grants': VIEWERS_OF_USERS,
  'user_grant.list': VIEWERS_OF_PORTAL,
  'user_grant.create': OWNERS_OF_PORTAL,
  'user_grant.read': VIEWERS_OF_PORTAL,
  'user_grant.update': OWNERS_OF_PORTAL,
  'user_grant.delete': OWNERS_OF_PORTAL,
  'project_grant.list': VIEWERS_OF_PORTAL,
  'project_grant.add': OWNERS_OF_PORTAL,
  'project_grant.delete': OWNERS_OF_PORTAL,
  'instance_member.list': VIEWERS_OF_INSTANCE,
  'instance_member.read': VIEWERS_OF_INSTANCE,
  'instance_member.set': OWNERS_OF_INSTANCE,
  'instance_member.delete': OWNERS_OF_INSTANCE,
  'organization_member.list': VIEWERS_OF_ACME,
  'organization_member.read': VIEWERS_OF_ACME,
  'organization_member.set': OWNERS_OF_ACME,
  'organization_member.delete': OWNERS_OF_ACME,
  'project_member.list': VIEWERS_OF_PORTAL,
  'project_member.read': VIEWERS_OF_PORTAL,
  'project_member.set': OWNERS_OF_PORTAL,
  'project_member.delete': OWNERS_OF_PORTAL,
  'application.list': VIEWERS_OF_PORTAL,
  'application.create': OWNERS_OF_PORTAL,
  'application.read': VIEWERS_OF_PORTAL,
  'organization_metadata.list': VIEWERS_OF_ACME,
  'organization_metadata.read': VIEWERS_OF_ACME,
  'organization_metadata.set': OWNERS_OF_ACME,
  'organization_metadata.delete': OWNERS_OF_ACME,
  'application.update': OWNERS_OF_PORTAL,
  'application.delete': OWNERS_OF_PORTAL,
  'application.rotate_secret': OWNERS_OF_PORTAL,
  'application.delete_secret': OWNERS_OF_PORTAL,
  'application_key.list': VIEWERS_OF_PORTAL,
  'application_key.create': OWNERS_OF_PORTAL,
  'application_key.delete': OWNERS_OF_PORTAL,
  'audit.list': VIEWERS_OF_ACME,
  'features.read': VIEWERS_OF_INSTANCE,
  'features.set': OWNERS_OF_INSTANCE,
  'features.reset': OWNERS_OF_INSTANCE,
  'security_policy.set': OWNERS_OF_INSTANCE,
  'security_policy.read': VIEWERS_OF_INSTANCE,
  'instance.apply': OWNERS_OF_INSTANCE,
}

it('every operation is in the table, and no other', () => {
  expect(OPERATIONS.map(({ id }) => id).sort()).toEqual(Object.keys(ALLOWED).sort())
})

/** Refused behind the permission check, where there is something to compare: nothing is deleted or renamed here. */
const OUTDATED = { 'if-match': '"outdated"' }

describe.each(OPERATIONS)('identity.md, roles: $id', (operation) => {
  const { may, needs } = ALLOWED[operation.id] ?? { may: [], needs: [] }
  const ofServiceUsers = /^(token|key|service_user)\./.test(operation.id)
  const { method, path, body } = exampleCall(operation, ofServiceUsers ? {} : EXAMPLES)

  it.each(ROLES)('%s', async (role) => {
    management.bearers.set('caller', { roles: [role] })
    const answer = await management.call(method, path, body, 'caller', OUTDATED)
    if (may.includes(role)) {
      expect([200, 201, 204, 404, 409, 412]).toContain(answer.status)
    } else {
      expect(answer).toMatchObject({
        status: 403,
        body: { code: 7, details: [{ id: 'role_missing', roles: needs }] },
      })
      for (const named of needs) expect(answer.body.message).toContain(named)
      expect(management.published).toEqual([])
    }
  })
})

it('a list over all organizations is for those who see the whole instance', async () => {
  for (const operation of OPERATIONS.filter(({ id }) =>
    ['user.list', 'project.list', 'application.list'].includes(id),
  )) {
    for (const [role, status] of [
      ['IAM_OWNER_VIEWER', 200],
      ['ORG_OWNER acme', 403],
    ] as const) {
      management.bearers.set('caller', { roles: [role] })
      expect((await management.call('GET', operation.path, undefined, 'caller')).status).toBe(status)
    }
  }
})

describe('an object that does not exist', () => {
  it.each([
    ['PATCH', '/users/nobody', { state: 'inactive' }],
    ['DELETE', '/users/nobody', undefined],
    ['POST', '/users/nobody/sign-out', undefined],
    ['PATCH', '/applications/nothing', { state: 'inactive' }],
  ])('%s %s looks like one elsewhere to all but IAM_OWNER', async (method, path, body) => {
    management.bearers.set('caller', { roles: ['ORG_OWNER acme', 'ORG_USER_MANAGER acme'] })
    expect((await management.call(method, path, body, 'caller')).status).toBe(403)
    management.bearers.set('caller', { roles: ['IAM_OWNER'] })
    expect((await management.call(method, path, body, 'caller')).status).toBe(404)
  })
})

const TAKING_OVER = [
  ['POST', '/users/{userId}/password', { password: PASSWORD }],
  ['POST', '/users/{userId}/totp', undefined],
  ['DELETE', '/users/{userId}/totp', undefined],
  ['POST', '/users/{userId}/tokens', {}],
  ['POST', '/users/{userId}/keys', { algorithm: 'EdDSA' }],
  ['POST', '/users/{userId}/secret', { overlapSeconds: 60 }],
] as const

describe.each(TAKING_OVER)(
  'nobody takes the place of an account with more rights: %s %s',
  (method, path, body) => {
    it.each([
      ['alice', 'IAM_OWNER', true],
      ['alice', 'ORG_OWNER acme', false],
      ['alice', 'ORG_USER_MANAGER acme', false],
      ['org-admin', 'ORG_OWNER acme', true],
      ['org-admin', 'ORG_USER_MANAGER acme', false],
      ['project-admin', 'ORG_OWNER acme', true],
      ['project-admin', 'ORG_USER_MANAGER acme', false],
      ['elsewhere-admin', 'ORG_OWNER acme', false],
      ['elsewhere-admin', 'IAM_OWNER', true],
    ])('%s by %s: %s', async (userId, role, allowed) => {
      management.bearers.set('caller', { roles: [role] })
      const answer = await management.call(method, path.replace('{userId}', userId), body, 'caller')
      // What only service users have is refused behind the permission check.
      expect(answer.status === 403).toBe(!allowed)
    })
  },
)
