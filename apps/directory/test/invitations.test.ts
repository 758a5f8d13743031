import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { CLOSED_SMTP } from './operation-call.ts'
import { queuedMail } from './queued-mail.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture({ smtp: CLOSED_SMTP })
  const document = sampleDocument()
  document.organizations.push({
    id: 'other',
    name: 'Other',
    primaryDomain: 'other.localhost',
    projects: [{ id: 'foreign', name: 'Foreign', roles: [{ key: 'guest', displayName: 'Guest' }] }],
  })
  await management.directory.apply(document)
  management.bearers.set('owner', { roles: ['ORG_OWNER acme'] })
  management.bearers.set('manager', { roles: ['ORG_USER_MANAGER acme'] })
  management.bearers.set('both', { roles: ['ORG_USER_MANAGER acme', 'PROJECT_OWNER portal'] })
})
afterAll(() => management?.stop())

let number = 0
let person = { organizationId: '', userName: '', profile: {}, email: { address: '' } }
beforeEach(() => {
  number += 1
  person = {
    organizationId: 'acme',
    userName: `new-${number}`,
    profile: { givenName: 'Erin', familyName: 'Example' },
    email: { address: `new-${number}@acme.example` },
  }
})

const invite = (body: object, bearer = 'owner', headers: Readonly<Record<string, string>> = {}) =>
  management.call('POST', '/invitations', body, bearer, headers)

const stored = async (userName: string) => {
  const [row] = await management.directory.rows<{ readonly id: string }>(
    `SELECT a.user_id AS id, a.active,
            (SELECT array_agg(role_keys) FROM directory_read.user_grant_v1 g WHERE g.user_id = a.user_id) AS roles
       FROM directory_read.account_claims_v1 a WHERE a.user_name = '${userName}'`,
  )
  const mails = (await queuedMail(management.directory)).filter(({ userId }) => userId === row?.id)
  return row && { ...row, mails: mails.map(({ kind }) => kind) }
}

describe('an invitation', () => {
  it('creates the person, gives the roles and queues the message in one call', async () => {
    const { status, body } = await invite({ ...person, grants: [{ projectId: 'portal', roles: ['admin'] }] })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      user: { userName: person.userName, state: 'active', profile: { displayName: 'Erin Example' } },
      grants: [{ projectId: 'portal', roles: ['admin'] }],
    })
    expect(await stored(person.userName)).toEqual({
      id: body.user.id,
      active: true,
      roles: [['admin']],
      mails: ['invitation'],
    })
    const events = (await management.directory.audited())
      .filter(({ targetId, details }) => [targetId, details.user_id].includes(body.user.id))
      .map(({ action, targetKind, organizationId, details: { roles } }) => [
        ...[action, targetKind, organizationId, roles],
      ])
    expect(events.toSorted()).toEqual([
      ['invitation.create', 'user', 'acme', undefined],
      ['user_grant.create', 'user_grant', 'acme', ['admin']],
    ])
  })

  it('is one under an Idempotency-Key, also when both calls run at once', async () => {
    const body = { ...person, grants: [{ projectId: 'portal', roles: ['admin'] }] }
    const answers = await Promise.all(
      [1, 2, 3].map(() => invite(body, 'owner', { 'idempotency-key': `k-${number}` })),
    )
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(answers.map((answer) => answer.body.user.id)).size).toBe(1)
    expect(await stored(person.userName)).toMatchObject({ mails: ['invitation'] })
  })

  it.each([
    ['a role that the project does not have', [{ projectId: 'portal', roles: ['nothing'] }], 400],
    [
      'a project that is named twice',
      [
        { projectId: 'portal', roles: ['admin'] },
        { projectId: 'portal', roles: ['admin'] },
      ],
      400,
    ],
    ['a project of another organization', [{ projectId: 'foreign', roles: ['guest'] }], 403],
    ['a project that does not exist', [{ projectId: 'nothing', roles: ['guest'] }], 403],
  ])('leaves nothing when it is refused for %s', async (_reason, grants, status) => {
    expect((await invite({ ...person, grants })).status).toBe(status)
    expect(await stored(person.userName)).toBeUndefined()
  })

  it('leaves nothing where no message can be sent', async () => {
    const { email: _, ...withoutAddress } = person
    expect(await invite(withoutAddress)).toMatchObject({
      status: 400,
      body: { details: [{ id: 'mail_no_address' }] },
    })
    expect(await stored(person.userName)).toBeUndefined()
    await management.call('PATCH', '/organizations/acme/policies/login', { allowUsernamePassword: false })
    expect(await invite(person)).toMatchObject({
      status: 400,
      body: { details: [{ id: 'password_sign_in_not_allowed' }] },
    })
    expect(await stored(person.userName)).toBeUndefined()
    await management.call('DELETE', '/organizations/acme/policies/login')
  })

  it('needs the right to give the roles besides the right to create people', async () => {
    const grants = [{ projectId: 'portal', roles: ['admin'] }]
    expect(await invite({ ...person, grants }, 'manager')).toMatchObject({
      status: 403,
      body: { details: [{ id: 'role_missing', roles: ['IAM_OWNER', 'ORG_OWNER', 'PROJECT_OWNER'] }] },
    })
    expect(await stored(person.userName)).toBeUndefined()
    expect((await invite({ ...person, grants }, 'both')).status).toBe(201)
  })
})
