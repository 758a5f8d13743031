import { readFileSync } from 'node:fs'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createMigrationClient,
  type ExportedDocument,
  type MigrationClient,
  migrationSystem,
} from '../migration-client.ts'

let migration: MigrationClient
beforeAll(async () => {
  migration = createMigrationClient(await startSystem(migrationSystem()))
}, 60_000)
afterAll(() => migration?.system.stop())

const example = (): ExportedDocument =>
  JSON.parse(readFileSync(new URL('../documents/two-organizations.json', import.meta.url), 'utf8'))

describe('export and import', () => {
  it('export-format 1.7: the result names every object once, under the names of the format', async () => {
    const { status, body } = await migration.import(example())
    expect(status, JSON.stringify(body)).toBe(200)
    expect(Object.keys(body)).toEqual(['success'])
    expect(body.success.orgs).toEqual([
      {
        orgId: '280000000000000001',
        actionIds: ['280000000000000030'],
        apiAppIds: ['280000000000000013'],
        appKeys: ['280000000000000060'],
        domains: ['acme.example'],
        humanUserIds: ['280000000000000020'],
        machineKeys: ['280000000000000062'],
        machineUserIds: ['280000000000000021'],
        oidcAppIds: ['280000000000000011', '280000000000000012'],
        oidcIpds: ['280000000000000040'],
        orgMembers: ['280000000000000020'],
        projectGrantMembers: [
          { projectId: '280000000000000010', grantId: '280000000000000050', userId: '280000000000000020' },
        ],
        projectGrants: [
          { grantId: '280000000000000050', projectId: '280000000000000010', orgId: '280000000000000002' },
        ],
        projectIds: ['280000000000000010'],
        projectMembers: [{ projectId: '280000000000000010', userId: '280000000000000020' }],
        projectRoles: ['280000000000000010_admin'],
        triggerActions: [{ flowType: '1', triggerType: '1', actionIds: ['280000000000000030'] }],
        userGrants: [{ projectId: '280000000000000010', userId: '280000000000000020' }],
        userLinks: [
          {
            userId: '280000000000000020',
            externalUserId: '00u1',
            displayName: 'minnie',
            idpId: '280000000000000040',
          },
        ],
        userMetadata: [{ userId: '280000000000000020', key: 'customer' }],
      },
      { orgId: '280000000000000002' },
    ])
  })

  it("export-format 1.11: exports the uninterpreted parts of another product's document unchanged", async () => {
    const exported = await migration.export()
    const given = example()
    // Public keys that an import registered would let their holders in on the next instance.
    for (const organization of given.orgs) {
      delete organization.appKeys
      delete organization.machineKeys
    }
    expect(JSON.stringify(exported)).not.toMatch(/appKeys|machineKeys|publicKey/)
    for (const [index, organization] of given.orgs.entries()) {
      expect(exported.orgs[index]).toMatchObject(organization)
    }
    expect(exported.meta.counts).toMatchObject({ orgs: 2, humanUsers: 1, machineUsers: 1 })
  })

  it('a second import skips existing objects, updates them, or fails, by on_conflict', async () => {
    // The member is a string in ZITADEL's documents.
    const again = await migration.import(JSON.stringify(example()))
    expect(again).toEqual({ status: 200, body: { success: { orgs: expect.any(Array) } } })
    const failing = await migration.import(example(), { on_conflict: 'fail' })
    expect(failing.status).toBe(200)
    expect(failing.body.errors).toContainEqual({
      type: 'human_user',
      id: '280000000000000020',
      message: 'exists already',
    })
    const changed = JSON.parse(JSON.stringify(example()).replace('Minnie Mouse', 'Minerva Mouse'))
    await migration.import(changed, { on_conflict: 'skip' })
    expect(JSON.stringify(await migration.export())).not.toContain('Minerva Mouse')
    await migration.import(changed, { on_conflict: 'update' })
    expect(JSON.stringify(await migration.export())).toContain('Minerva Mouse')
  })

  it('with_passwords, with_otp and with_secrets: an export without them has no secret', async () => {
    const secrets = /hashedPassword|\$2a\$|otpCode|JBSWY3DPEHPK3PXP|clientSecretHash|[sS]ecret/
    const none = { withPasswords: false, withOtp: false, withSecrets: false, excludedOrgIds: ['home'] }
    expect(JSON.stringify(await migration.export())).toMatch(secrets)
    expect(JSON.stringify(await migration.export(none))).not.toMatch(secrets)
    const only = await migration.export({ ...none, with_secrets: true, withSecrets: undefined })
    expect(only.orgs[0]).toMatchObject({ oidcIdps: [{ idp: { clientSecret: expect.any(String) } }] })
    const started = await migration.call('POST', '/export', none, { Prefer: 'respond-async' })
    const { id } = (await started.json()) as { id: string }
    const job = async () => (await migration.call('GET', `/jobs/${id}`)).json()
    await expect.poll(job).toMatchObject({
      state: 'succeeded',
      notes: expect.arrayContaining([
        'not exported: 2 keys of service users and applications; register new ones on the target',
        'not exported: the secrets of 1 identity providers; with_secrets exports them',
      ]),
    })
  })

  it('an export counts what is in no document', async () => {
    const accept = (accepted: boolean) =>
      migration.system.database.query({
        name: '',
        text: 'UPDATE directory.project_grant SET accepted = $1',
        values: [accepted],
      })
    await accept(false)
    const started = await migration.call('POST', '/export', {}, { Prefer: 'respond-async' })
    const { id } = (await started.json()) as { id: string }
    const job = async () => (await migration.call('GET', `/jobs/${id}`)).json()
    await expect.poll(job).toMatchObject({
      state: 'succeeded',
      notes: expect.arrayContaining([
        'not exported: 2 personal access tokens',
        'not exported: 1 memberships and project grants that are not accepted yet',
        'not exported: the instance role of user migrator IAM_OWNER',
      ]),
    })
    await accept(true)
    await migration.export({ org_ids: ['280000000000000002'], excludedOrgIds: [] })
    const { jobs } = (await (await migration.call('GET', '/jobs')).json()) as { jobs: { notes?: string[] }[] }
    expect(jobs[0]?.notes ?? []).not.toContainEqual(expect.stringContaining('instance role'))
  })

  it('an export of organizations that do not exist is refused, and names them', async () => {
    const answer = await migration.call('POST', '/export', {
      org_ids: ['280000000000000002', 'typo', 'other'],
    })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({
      message: expect.stringContaining('there is no organization typo, other; nothing was exported'),
      details: [{ id: 'organization_unknown', field: 'org_ids', jobId: expect.any(String) }],
    })
  })

  it('an export reads as many ids as its description says', async () => {
    const named = Array.from({ length: 10_000 }, (_, at) => `unknown-${at}`)
    const answer = await migration.call('POST', '/export', {
      org_ids: named,
      excludedOrgIds: named.slice(1),
    })
    expect(await answer.json()).toMatchObject({ details: [{ id: 'organization_unknown' }] })
  })

  it('org_ids and excluded_org_ids choose organizations', async () => {
    const only = await migration.export({ org_ids: ['280000000000000002'], excludedOrgIds: [] })
    expect(only.orgs.map(({ orgId }) => orgId)).toEqual(['280000000000000002'])
    const without = await migration.export({ excludedOrgIds: ['280000000000000002', 'home'] })
    expect(without.orgs.map(({ orgId }) => orgId)).toEqual(['280000000000000001'])
  })
})
