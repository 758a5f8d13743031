import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { postgresAppliedBatches } from '../src/transfer/applied-batches.repository.ts'
import { createApplyBatches } from '../src/transfer/apply-batch.ts'
import { readAuthorityFacts } from '../src/transfer/authority-facts.repository.ts'
import { transferWriters } from '../src/transfer-services.ts'
import { createChangeRecorder } from '../src/undo/change-recorder.ts'
import { createOpener, objectRows } from '../src/undo/object-rows.repository.ts'
import { createUndoBatchRepository } from '../src/undo/undo-batch.repository.ts'
import { PASSWORD } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

const RULE = 'no IAM_OWNER who can sign in would be left'
const REFUSED = { status: 400, body: { code: 9, details: [{ id: 'last_iam_owner' }] } }
const OFF = { allowUsernamePassword: false }
const POLICY = '/organizations/owners/policies/login'

let fixture: ManagementFixture
let batch = 0
beforeAll(async () => {
  fixture = await managementFixture()
  // The callers of these tests have no account.
  fixture.bearers.set('owner', { roles: ['IAM_OWNER'] })
  const profile = { givenName: 'R', familyName: 'T' }
  const organization = (id: string, more: object = {}) => ({
    id,
    name: id,
    primaryDomain: `${id}.localhost`,
    ...more,
  })
  await fixture.directory.apply({
    organizations: [
      organization('owners', {
        users: [{ id: 'root', userName: 'root', profile, password: PASSWORD, roles: ['IAM_OWNER'] }],
        serviceUsers: [{ id: 'near', userName: 'near', clientSecret: 'a-secret-of-near-1' }],
      }),
      organization('others', {
        serviceUsers: [{ id: 'far', userName: 'far', clientSecret: 'a-secret-of-far-01' }],
      }),
    ],
  })
})
afterAll(() => fixture?.stop())
beforeEach(async () => {
  await fixture.directory.rows('DELETE FROM directory.organization_policy')
  await own('root')
  for (const id of ['near', 'far']) await call('DELETE', `/members/${id}`)
})

const call = (...args: Parameters<ManagementFixture['call']>) => fixture.call(...args)
const own = (id: string) => call('PUT', `/members/${id}`, { roles: ['IAM_OWNER'] })
/** The policies of the organization that are not the default. */
const stored = async () => {
  const kinds = ['login', 'lockout', 'password-complexity', 'privacy', 'domain']
  const policies = await Promise.all(
    kinds.map((kind) => call('GET', `/organizations/owners/policies/${kind}`)),
  )
  return kinds.filter((_, at) => policies[at]?.body.isDefault !== true)
}
const document = (loginPolicy: object) => ({
  organizations: [{ id: 'owners', name: 'owners', primaryDomain: 'owners.localhost', loginPolicy }],
})

/** Imports an organization that is there already. */
async function importHeader(more: object, dryRun: boolean) {
  const { masterKeys, owner, clock } = fixture.directory
  const apply = createApplyBatches({
    hashPasswords: () => Promise.reject(new Error('there are no users')),
    database: owner,
    batches: postgresAppliedBatches,
    changes: createChangeRecorder({
      rows: objectRows,
      undoBatches: createUndoBatchRepository({ masterKeys, random: randomBytes }),
      openerOf: createOpener,
      masterKeys,
      random: randomBytes,
    }),
    readAuthorityFacts,
    writers: transferWriters({ masterKeys, random: randomBytes, rpId: undefined }),
  })
  batch += 1
  const [outcome] = await apply([
    {
      jobId: 'job',
      batch,
      list: 'organization',
      organizationId: 'owners',
      records: [
        {
          orgId: 'owners',
          org: { name: `renamed-${batch}` },
          domains: [{ domainName: 'owners.localhost' }],
          ...more,
        },
      ],
      onConflict: 'update',
      dryRun,
      planned: [],
      namedOrganizations: ['owners'],
      plan: undefined,
      undoDays: 30,
      actor: { kind: 'service_user', id: 'migrator' },
      acceptedAt: clock.now(),
      domainSuffix: 'localhost',
    },
  ])
  if (outcome === undefined) throw new Error('the batch has no outcome')
  return outcome
}

describe('turning sign-in with a password off where the last IAM_OWNER has no other credential', () => {
  it('is refused by the management API', async () => {
    const answer = await call('PUT', POLICY, OFF)
    expect(answer).toMatchObject(REFUSED)
    expect(answer.body.message).toContain(RULE)
    expect(await stored()).toEqual([])
    expect((await call('PUT', POLICY, { allowUsernamePassword: true })).status).toBe(200)
    expect(await call('PUT', POLICY, OFF)).toMatchObject(REFUSED)
    expect((await call('PUT', '/organizations/others/policies/login', OFF)).status).toBe(200)
  })

  it('is refused of a bootstrap file, at the start and through the API', async () => {
    await expect(fixture.directory.apply(document(OFF))).rejects.toThrow(RULE)
    expect(await call('POST', '/apply', document(OFF))).toMatchObject(REFUSED)
    expect(await stored()).toEqual([])
  })

  it.each([true, false])('is left out by an import, which names the rule (dry run: %s)', async (dryRun) => {
    // A policy without members changes nothing.
    expect(await importHeader({ loginPolicy: {} }, true)).toMatchObject({ outcomes: 'u', failures: [] })
    const header = { loginPolicy: OFF, lockoutPolicy: { maxPasswordAttempts: 3 } }
    expect(await importHeader(header, dryRun)).toMatchObject({
      outcomes: 'u',
      failures: [
        {
          index: 0,
          type: 'login_policy',
          id: 'owners',
          message: expect.stringMatching(new RegExp(`^loginPolicy is left out: .*${RULE}`)),
        },
      ],
    })
    expect(await stored()).toEqual(dryRun ? [] : ['lockout'])
  })

  it.each(['near', 'far'])('is possible beside an owner with a secret: %s', async (id) => {
    await own(id)
    const outcome = await importHeader({ loginPolicy: OFF }, true)
    expect(outcome.failures).toEqual([])
    expect(await stored()).toEqual([])
    expect((await call('PUT', POLICY, OFF)).status).toBe(200)
    // The password of the other owner does not count any more.
    expect(await call('DELETE', `/members/${id}`)).toMatchObject(REFUSED)
    expect(await call('DELETE', `/users/${id}/secret`)).toMatchObject(REFUSED)
    expect((await call('DELETE', POLICY)).status).toBe(204)
    expect((await call('DELETE', `/members/${id}`)).status).toBe(204)
  })

  it('is refused, or the end of the other owner, when both happen at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      await own('far')
      const answers = await Promise.all([call('PUT', POLICY, OFF), call('DELETE', '/members/far')])
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(1)
      await call('DELETE', POLICY)
    }
  })
})
