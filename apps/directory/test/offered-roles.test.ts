import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { PASSWORD, pick, sampleDocument } from './directory-fixture.ts'
import { type RpcFixture, rpcFixture, TIMEOUT } from './rpc-fixture.ts'

let fixture: RpcFixture
beforeAll(async () => {
  fixture = await rpcFixture()
  const document = sampleDocument()
  document.organizations.push({ id: 'partner', name: 'Partner', primaryDomain: 'partner.localhost' })
  await fixture.directory.apply(document)
  await fixture.directory.rows(
    "INSERT INTO directory.project (project_id, organization_id, name) VALUES ('depot', 'partner', 'Depot')",
  )
})
beforeEach(async () => {
  await fixture.directory.asAdministrator('DELETE FROM directory_audit.audit_event')
  await fixture.directory.rows("DELETE FROM directory.member WHERE level <> 'instance'")
  await fixture.directory.rows(
    `INSERT INTO directory.member (user_id, level, organization_id, project_id, role, accepted)
     VALUES ('alice', 'organization', 'acme', NULL, 'ORG_OWNER', true),
            ('alice', 'organization', 'partner', NULL, 'ORG_OWNER_VIEWER', false),
            ('alice', 'organization', 'partner', NULL, 'ORG_USER_MANAGER', false),
            ('alice', 'project', NULL, 'depot', 'PROJECT_OWNER', false)`,
  )
})
afterAll(() => fixture?.stop())

const offers = async (userId = 'alice') =>
  (await fixture.accounts.listOfferedRoles({ userId }, TIMEOUT)).offers.map(
    ({ organizationName, projectName, roles }) => [organizationName, projectName, roles],
  )
const counting = async () =>
  (
    await fixture.directory.rows<{ role: string }>(
      "SELECT role FROM directory_read.member_v1 WHERE user_id = 'alice' AND role NOT LIKE 'IAM%' ORDER BY role",
    )
  ).map(({ role }) => role)
const answer = (objectId: string, roles: string[], accepted: boolean) =>
  fixture.accounts.answerOfferedRoles(
    { userId: 'alice', objectId, roles, accepted, clientAddress: '192.0.2.7' },
    TIMEOUT,
  )

it('lists the roles in other organizations that a person has not answered', async () => {
  expect(await offers()).toEqual([
    ['Partner', '', ['ORG_OWNER_VIEWER', 'ORG_USER_MANAGER']],
    ['Partner', 'Depot', ['PROJECT_OWNER']],
  ])
  expect(await offers('nobody')).toEqual([])
  expect(await counting()).toEqual(['ORG_OWNER'])
})

it('says with a right password that no roles are offered, once all are answered', async () => {
  const attempt = { loginName: 'alice', organizationId: 'acme', password: PASSWORD }
  const none = async () => (await fixture.credentials.verifyPassword(attempt, TIMEOUT)).noRolesOffered
  expect(await none()).toBe(false)
  await answer('depot', ['PROJECT_OWNER'], false)
  await answer('partner', ['ORG_OWNER_VIEWER', 'ORG_USER_MANAGER'], true)
  expect(await none()).toBe(true)
})

it('accepts the roles that were shown, and no others', async () => {
  await answer('partner', ['ORG_OWNER_VIEWER', 'ORG_OWNER'], true)
  expect(await counting()).toEqual(['ORG_OWNER', 'ORG_OWNER_VIEWER'])
  expect(await offers()).toEqual([
    ['Partner', '', ['ORG_USER_MANAGER']],
    ['Partner', 'Depot', ['PROJECT_OWNER']],
  ])
})

it('takes refused roles away, and none that count', async () => {
  await answer('depot', ['PROJECT_OWNER'], false)
  await answer('acme', ['ORG_OWNER'], false)
  expect(await offers()).toEqual([['Partner', '', ['ORG_OWNER_VIEWER', 'ORG_USER_MANAGER']]])
  expect(await counting()).toEqual(['ORG_OWNER'])
})

it('records the decision for the organization that gives the roles, and nothing without one', async () => {
  await answer('depot', ['PROJECT_OWNER'], true)
  await answer('depot', ['PROJECT_OWNER'], true)
  const events = await fixture.directory.audited()
  expect(pick(events, 'action', 'actorId', 'targetId', 'organizationId', 'details')).toEqual([
    {
      action: 'offered_role.accept',
      actorId: 'alice',
      targetId: 'alice',
      organizationId: 'partner',
      details: { roles: ['PROJECT_OWNER'], project_id: 'depot' },
    },
  ])
})
