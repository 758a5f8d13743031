import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PASSWORD, sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  const document = sampleDocument()
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

const USERS_OF_ACME = {
  may: ['IAM_OWNER', 'ORG_OWNER acme', 'ORG_USER_MANAGER acme'],
  needs: ['IAM_OWNER', 'ORG_OWNER', 'ORG_USER_MANAGER'],
}
const OWNERS_OF_INSTANCE = { may: ['IAM_OWNER'], needs: ['IAM_OWNER'] }
const VIEWERS_OF_INSTANCE = {
  may: ['IAM_OWNER', 'IAM_OWNER_VIEWER'],
  needs: ['IAM_OWNER', 'IAM_OWNER_VIEWER'],
}
const ROUTES = [
  { call: ['PATCH', '/users/carol', { state: 'active' }], ...USERS_OF_ACME },
  { call: ['POST', '/users/carol/password', { password: PASSWORD }], ...USERS_OF_ACME },
  { call: ['POST', '/users/carol/sign-out', undefined], ...USERS_OF_ACME },
  { call: ['DELETE', '/users/carol', undefined], ...USERS_OF_ACME },
  {
    call: ['PATCH', '/applications/web', { state: 'active' }],
    may: ['IAM_OWNER', 'ORG_OWNER acme', 'PROJECT_OWNER portal'],
    needs: ['IAM_OWNER', 'ORG_OWNER', 'PROJECT_OWNER'],
  },
  {
    call: ['PATCH', '/organizations/acme', { state: 'active' }],
    may: ['IAM_OWNER', 'ORG_OWNER acme'],
    needs: ['IAM_OWNER', 'ORG_OWNER'],
  },
  { call: ['GET', '/v2/features/instance', undefined], ...VIEWERS_OF_INSTANCE },
  { call: ['PUT', '/v2/features/instance', {}], ...OWNERS_OF_INSTANCE },
  { call: ['DELETE', '/v2/features/instance', undefined], ...OWNERS_OF_INSTANCE },
  { call: ['GET', '/v2/settings/security', undefined], ...VIEWERS_OF_INSTANCE },
  { call: ['PUT', '/v2/policies/security', {}], ...OWNERS_OF_INSTANCE },
] as const

describe.each(ROUTES)('identity.md, roles: $call.0 $call.1', ({ call: [method, path, body], may, needs }) => {
  it.each(ROLES)('%s', async (role) => {
    management.bearers.set('caller', { roles: [role] })
    const answer = await management.call(method, path, body, 'caller')
    if (may.some((sufficient) => sufficient === role)) {
      expect(answer.status).toBeLessThan(300)
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

describe('nobody takes the place of an account with more rights by giving it a password', () => {
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
    const answer = await management.call(
      'POST',
      `/users/${userId}/password`,
      { password: PASSWORD },
      'caller',
    )
    expect(answer.status).toBe(allowed ? 204 : 403)
  })
})
