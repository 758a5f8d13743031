import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { OPERATIONS } from '../src/operations.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import {
  CLOSED_SMTP,
  EXAMPLE_PEOPLE,
  EXAMPLE_SAML_PROVIDER,
  exampleCall,
  exampleDirectory,
} from './operation-call.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture({ smtp: CLOSED_SMTP })
  const document = exampleDirectory()
  const plain = { profile: { givenName: 'A', familyName: 'B' } }
  document.organizations[0]?.users?.push({ id: 'carol', userName: 'carol', ...plain })
  document.organizations.push({ id: 'other', name: 'Other', primaryDomain: 'other.localhost' })
  await management.directory.apply(document)
  await management.directory.rows(
    `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name)
     SELECT id, 'acme', 'human', id, id, id
       FROM unnest(ARRAY['org-admin', 'elsewhere-admin', 'project-admin', 'instance-admin', 'user-manager',
                         'asked-elsewhere']) AS id`,
  )
  await management.directory.rows(
    `INSERT INTO directory.member (user_id, level, organization_id, project_id, role, accepted)
     VALUES ('org-admin', 'organization', 'acme', NULL, 'ORG_OWNER', true),
            ('elsewhere-admin', 'organization', 'other', NULL, 'ORG_OWNER', true),
            ('project-admin', 'project', NULL, 'portal', 'PROJECT_OWNER', true),
            ('instance-admin', 'instance', NULL, NULL, 'IAM_OWNER', true),
            ('user-manager', 'organization', 'acme', NULL, 'ORG_USER_MANAGER', true),
            ('asked-elsewhere', 'organization', 'other', NULL, 'ORG_OWNER', false)`,
  )
  await management.directory.rows(
    `INSERT INTO directory.identity_provider (provider_id, organization_id, name, issuer, client_id, client_authentication, scopes)
     VALUES ('corporate', 'acme', 'Corporate', 'https://corporate.example', 'signet', 'none', '{openid}')`,
  )
  await management.directory.rows(EXAMPLE_SAML_PROVIDER)
})
afterAll(() => management?.stop())
beforeEach(() => void management.published.splice(0))

/** A user without roles. */
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
  /** The roles that a refusal names. */
  readonly needs: readonly string[]
}
const EVERY_CALLER: Allowed = { may: ROLES, needs: [] }
const OWNERS_OF_INSTANCE: Allowed = { may: ['IAM_OWNER'], needs: ['IAM_OWNER'] }
const VIEWERS_OF_INSTANCE: Allowed = {
  may: ['IAM_OWNER', 'IAM_OWNER_VIEWER'],
  needs: ['IAM_OWNER', 'IAM_OWNER_VIEWER'],
}
const OWNERS_OF_ACME: Allowed = { may: ['IAM_OWNER', 'ORG_OWNER acme'], needs: ['IAM_OWNER', 'ORG_OWNER'] }
const IMPERSONATORS_OF_ACME: Allowed = {
  may: ['IAM_ADMIN_IMPERSONATOR', 'ORG_ADMIN_IMPERSONATOR acme'],
  needs: [
    ...['IAM_ADMIN_IMPERSONATOR', 'IAM_END_USER_IMPERSONATOR'],
    ...['ORG_ADMIN_IMPERSONATOR', 'ORG_END_USER_IMPERSONATOR'],
  ],
}
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

/** Each caller who reads something somewhere: the response has no more than that. */
const READERS_ANYWHERE: Allowed = {
  may: [
    ...VIEWERS_OF_USERS.may,
    ...['ORG_OWNER other', 'ORG_USER_MANAGER other'],
    ...['PROJECT_OWNER portal', 'PROJECT_OWNER elsewhere', 'PROJECT_OWNER_VIEWER portal'],
  ],
  needs: [...VIEWERS_OF_USERS.needs, 'PROJECT_OWNER', 'PROJECT_OWNER_VIEWER'],
}

/** Callers that are allowed to call each operation about an object in the organization acme. */
const ALLOWED: Readonly<Record<string, Allowed>> = {
  'me.read': EVERY_CALLER,
  'reference.find': EVERY_CALLER,
  // Each sees the own one.
  'organization.list': { ...VIEWERS_OF_ACME, may: [...VIEWERS_OF_ACME.may, 'ORG_OWNER other'] },
  'organization.create': OWNERS_OF_INSTANCE,
  'organization.read': VIEWERS_OF_ACME,
  'organization.update': OWNERS_OF_ACME,
  // Of one in which no account with roles of the instance lives.
  'organization.delete': { may: ['IAM_OWNER', 'ORG_OWNER other'], needs: ['IAM_OWNER', 'ORG_OWNER'] },
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
        [`${kind}_policy.update`, changing],
        [`${kind}_policy.reset`, changing],
      ]
    }),
  ),
  'label_policy.preview': OWNERS_OF_ACME,
  'label_policy_file.list': VIEWERS_OF_ACME,
  'label_policy_file.set': OWNERS_OF_ACME,
  'label_policy_file.delete': OWNERS_OF_ACME,
  'user.list': VIEWERS_OF_USERS,
  'user.create': MANAGERS_OF_USERS,
  'service_user.create': MANAGERS_OF_USERS,
  'user.read': VIEWERS_OF_USERS,
  'user.update': MANAGERS_OF_USERS,
  'user.delete': MANAGERS_OF_USERS,
  'user.set_password': MANAGERS_OF_USERS,
  'user.sign_out': MANAGERS_OF_USERS,
  'user.unlock': MANAGERS_OF_USERS,
  'user.reset_factors': MANAGERS_OF_USERS,
  'token.preview': VIEWERS_OF_ACME,
  'token.list': VIEWERS_OF_USERS,
  'token.create': MANAGERS_OF_USERS,
  'token.delete': MANAGERS_OF_USERS,
  'key.list': VIEWERS_OF_USERS,
  'key.create': MANAGERS_OF_USERS,
  'key.delete': MANAGERS_OF_USERS,
  'trusted_issuer.list': VIEWERS_OF_USERS,
  'trusted_issuer.create': MANAGERS_OF_USERS,
  'trusted_issuer.update': MANAGERS_OF_USERS,
  'trusted_issuer.delete': MANAGERS_OF_USERS,
  'service_user.rotate_secret': MANAGERS_OF_USERS,
  'service_user.delete_secret': MANAGERS_OF_USERS,
  'passkey.list': VIEWERS_OF_USERS,
  'passkey.delete': MANAGERS_OF_USERS,
  'recovery_codes.read': VIEWERS_OF_USERS,
  'recovery_codes.delete': MANAGERS_OF_USERS,
  'totp.read': VIEWERS_OF_USERS,
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
  'user.roles': VIEWERS_OF_USERS,
  'application.access': VIEWERS_OF_PORTAL,
  'user_grant.add': OWNERS_OF_PORTAL,
  'user_grant.remove': OWNERS_OF_PORTAL,
  'user_grant.list': VIEWERS_OF_PORTAL,
  'user_grant.create': OWNERS_OF_PORTAL,
  'user_grant.read': VIEWERS_OF_PORTAL,
  'user_grant.update': OWNERS_OF_PORTAL,
  'user_grant.delete': OWNERS_OF_PORTAL,
  'registration_token.list': VIEWERS_OF_PORTAL,
  'registration_token.create': OWNERS_OF_PORTAL,
  'registration_token.delete': OWNERS_OF_PORTAL,
  'project_grant.list': VIEWERS_OF_PORTAL,
  'project_grant.add': OWNERS_OF_PORTAL,
  'project_grant.delete': OWNERS_OF_PORTAL,
  'smtp.read': VIEWERS_OF_ACME,
  'smtp.set': OWNERS_OF_ACME,
  'smtp.update': OWNERS_OF_ACME,
  'smtp.delete': OWNERS_OF_ACME,
  'smtp.test': OWNERS_OF_ACME,
  'mail.test': OWNERS_OF_INSTANCE,
  'login_text.read': VIEWERS_OF_ACME,
  'login_text.set': OWNERS_OF_ACME,
  'login_text.update': OWNERS_OF_ACME,
  'login_text.reset': OWNERS_OF_ACME,
  'message_text.read': VIEWERS_OF_ACME,
  'message_text.set': OWNERS_OF_ACME,
  'message_text.update': OWNERS_OF_ACME,
  'message_text.reset': OWNERS_OF_ACME,
  'message_text.preview': VIEWERS_OF_ACME,
  'invitation.create': MANAGERS_OF_USERS,
  'user.invite': MANAGERS_OF_USERS,
  'user.send_password_reset': MANAGERS_OF_USERS,
  'user.send_email_verification': MANAGERS_OF_USERS,
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
  'granted_project.list': VIEWERS_OF_ACME,
  'granted_project.accept': OWNERS_OF_ACME,
  'granted_project.delete': OWNERS_OF_ACME,
  'offered_role.list': VIEWERS_OF_USERS,
  'offered_role.accept': OWNERS_OF_ACME,
  'offered_role.refuse': OWNERS_OF_ACME,
  'application.list': VIEWERS_OF_PORTAL,
  'client_document.list': VIEWERS_OF_PORTAL,
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
  'identity_provider.list': VIEWERS_OF_ACME,
  'identity_provider.create': OWNERS_OF_ACME,
  'identity_provider.read': VIEWERS_OF_ACME,
  'identity_provider.update': OWNERS_OF_ACME,
  'identity_provider.import_metadata': OWNERS_OF_ACME,
  'identity_provider.add_key': OWNERS_OF_ACME,
  'identity_provider.retire_key': OWNERS_OF_ACME,
  'identity_provider.set_logo': OWNERS_OF_ACME,
  'identity_provider.delete_logo': OWNERS_OF_ACME,
  'identity_provider.activate': OWNERS_OF_ACME,
  'identity_provider.deactivate': OWNERS_OF_ACME,
  'identity_provider.delete': OWNERS_OF_ACME,
  'identity_provider.test': OWNERS_OF_ACME,
  'identity_provider.take_test': OWNERS_OF_ACME,
  'impersonation.create': IMPERSONATORS_OF_ACME,
  'identity_link.list': VIEWERS_OF_USERS,
  'identity_link.create': MANAGERS_OF_USERS,
  'identity_link.delete': MANAGERS_OF_USERS,
  'application_trusted_issuer.list': VIEWERS_OF_PORTAL,
  'application_trusted_issuer.create': OWNERS_OF_PORTAL,
  'application_trusted_issuer.update': OWNERS_OF_PORTAL,
  'application_trusted_issuer.delete': OWNERS_OF_PORTAL,
  'audit.chain': VIEWERS_OF_INSTANCE,
  'audit.export': VIEWERS_OF_INSTANCE,
  'audit.list': VIEWERS_OF_ACME,
  'audit.activity': VIEWERS_OF_ACME,
  'user.usage': VIEWERS_OF_USERS,
  'application.usage': VIEWERS_OF_PORTAL,
  'application.review': VIEWERS_OF_PORTAL,
  'project.usage': VIEWERS_OF_PORTAL,
  'organization.usage': VIEWERS_OF_ACME,
  'refusal.list': READERS_ANYWHERE,
  'access.check': VIEWERS_OF_ACME,
  'features.read': VIEWERS_OF_INSTANCE,
  'features.set': OWNERS_OF_INSTANCE,
  'features.reset': OWNERS_OF_INSTANCE,
  'security_policy.set': OWNERS_OF_INSTANCE,
  'security_policy.update': OWNERS_OF_INSTANCE,
  'security_policy.read': VIEWERS_OF_INSTANCE,
  'instance.apply': OWNERS_OF_INSTANCE,
  'instance.doctor': { ...VIEWERS_OF_ACME, may: [...VIEWERS_OF_ACME.may, 'ORG_OWNER other'] },
  'secrets.rewrap': OWNERS_OF_INSTANCE,
}

it('every operation is in the table, and no other', () => {
  expect(OPERATIONS.map(({ id }) => id).sort()).toEqual(Object.keys(ALLOWED).sort())
})

/** Refused behind the permission check, where there is something to compare: nothing is deleted or renamed here. */
const OUTDATED = { 'if-match': '"outdated"' }

describe.each(OPERATIONS)('roles: $id', (operation) => {
  const { may, needs } = ALLOWED[operation.id] ?? { may: [], needs: [] }
  const ofServiceUsers = /^(token|key|trusted_issuer|service_user|offered_role)\./.test(operation.id)
  const instead =
    operation.id === 'organization.delete'
      ? { organizationId: 'other' }
      : { ...EXAMPLES, ...EXAMPLE_PEOPLE[operation.id] }
  const { method, path, body: example } = exampleCall(operation, ofServiceUsers ? {} : instead)
  // Its example gives roles, which needs a right of its own: test/invitations.test.ts.
  const body = operation.id === 'invitation.create' ? { ...Object(example), grants: [] } : example

  it.each(ROLES)('%s', async (role) => {
    management.bearers.set('caller', { roles: [role] })
    const answer = await management.call(method, path, body, 'caller', OUTDATED)
    if (may.includes(role)) {
      // 400: the caller of this test is no person, who alone gets a link.
      const isForPeople = operation.id === 'impersonation.create'
      expect(isForPeople ? [400] : [200, 201, 204, 404, 409, 412]).toContain(answer.status)
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

it('a list that names no object is for callers who may see one', async () => {
  for (const operation of OPERATIONS.filter(({ id }) =>
    [
      'user.list',
      'project.list',
      'application.list',
      'client_document.list',
      'audit.list',
      'audit.activity',
    ].includes(id),
  )) {
    for (const [role, status] of [
      ['IAM_OWNER_VIEWER', 200],
      ['ORG_OWNER acme', 200],
      ['ORG_OWNER_VIEWER other', 200],
      ['ORG_SETTINGS_MANAGER acme', 403],
      ['ORG_OWNER', 403],
      ['IAM_OWNER acme', 403],
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

/**
 * Operations on an account that its organization may always do, also when the account has roles in other
 * organizations.
 */
const ENDING = [
  'user.delete',
  'user.sign_out',
  'user.unlock',
  'session.end',
  // Nothing is ended by these, but they are about other organizations alone.
  'offered_role.accept',
  'offered_role.refuse',
]
const ACTING = OPERATIONS.filter(({ method, path }) => method !== 'get' && path.includes('{userId}'))

it('finds the operations that act on an account', () => {
  const ids = ACTING.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining([...ENDING, 'user.update', 'totp.delete', 'token.delete']))
})

/** Whether a caller of the organization acme may change the account, and whether it may end its access. */
const REACHING = [
  ['instance-admin', 'IAM_OWNER', true, true],
  ['instance-admin', 'ORG_OWNER acme', false, false],
  ['instance-admin', 'ORG_USER_MANAGER acme', false, false],
  ['instance-admin', 'PROJECT_OWNER portal', false, false],
  ['alice', 'ORG_OWNER acme', false, false],
  ['org-admin', 'IAM_OWNER', true, true],
  ['org-admin', 'ORG_OWNER acme', true, true],
  ['org-admin', 'ORG_USER_MANAGER acme', false, false],
  ['org-admin', 'PROJECT_OWNER portal', false, false],
  ['project-admin', 'ORG_OWNER acme', true, true],
  ['project-admin', 'ORG_USER_MANAGER acme', false, false],
  ['user-manager', 'ORG_USER_MANAGER acme', true, true],
  ['elsewhere-admin', 'IAM_OWNER', true, true],
  ['elsewhere-admin', 'ORG_OWNER acme', false, true],
  ['elsewhere-admin', 'ORG_USER_MANAGER acme', false, true],
  // A role elsewhere that was not accepted does not count.
  ['asked-elsewhere', 'ORG_USER_MANAGER acme', true, true],
] as const

describe.each(ACTING)('refuses a caller whose roles reach less far: $id', (operation) => {
  it.each(REACHING)('lets change, and end, %s by %s: %s, %s', async (userId, role, mayChange, mayEnd) => {
    const isOfMembers = operation.id.includes('member.')
    if (operation.id.startsWith('instance_')) return
    const { method, path, body } = exampleCall(operation, { ...EXAMPLES, userId })
    management.bearers.set('caller', { roles: [role] })
    const given = operation.id === 'user.update' ? { userName: userId } : body
    const answer = await management.call(method, path, given, 'caller', OUTDATED)
    const permits = ALLOWED[operation.id]?.may.includes(role) === true
    // Who is a member here does not depend on what an account may do elsewhere.
    const reaches = isOfMembers || ENDING.includes(operation.id) ? mayEnd : mayChange
    expect([answer.status, answer.status === 403]).toEqual([expect.any(Number), !(permits && reaches)])
  })
})

it.each([
  [{ state: 'locked' }, 412],
  [{ state: 'active' }, 412],
  [{ state: 'locked', userName: 'new' }, 403],
  [{ email: { address: 'new@acme.example', verified: false } }, 403],
])(
  'lets the home organization change only the state of an account with roles elsewhere: %o',
  async (body, status) => {
    management.bearers.set('caller', { roles: ['ORG_OWNER acme'] })
    const answer = await management.call('PATCH', '/users/elsewhere-admin', body, 'caller', OUTDATED)
    expect(answer.status).toBe(status)
  },
)

describe('an organization that has an account with roles of the instance', () => {
  it.each([
    ['DELETE', undefined, true],
    ['PATCH', { state: 'inactive' }, true],
    ['PATCH', { name: 'ACME' }, false],
  ] as const)('%s %o', async (method, body, actsOnAccounts) => {
    for (const [role, status] of [
      ['IAM_OWNER', 412],
      ['ORG_OWNER acme', actsOnAccounts ? 403 : 412],
    ] as const) {
      management.bearers.set('caller', { roles: [role] })
      const answer = await management.call(method, '/organizations/acme', body, 'caller', OUTDATED)
      expect(answer.status).toBe(status)
    }
  })
})
