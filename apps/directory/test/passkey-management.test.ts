import { rpcClient } from '@signet/grpc/client'
import { AccountService } from '@signet/grpc/gen/directory/v1/account_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { TIMEOUT } from './rpc-fixture.ts'

let management: ManagementFixture

beforeAll(async () => {
  management = await managementFixture()
  await management.directory.apply(sampleDocument())
  management.bearers.set('owner', { roles: ['ORG_OWNER acme'], organizationId: 'acme' })
  management.bearers.set('stranger', { roles: ['ORG_OWNER globex'], organizationId: 'globex' })
  management.bearers.set('iam', { roles: ['IAM_OWNER'] })
  await management.directory.rows(
    "INSERT INTO directory.passkey_user (user_id, handle) VALUES ('alice', decode(repeat('07', 32), 'hex'))",
  )
  await management.directory.rows(
    `INSERT INTO directory.passkey (passkey_id, user_id, rp_id, credential_id, public_key, counter, transports, aaguid,
       name, backup_eligible, backed_up, created_at, cloned_at)
     SELECT 'k' || n, 'alice', 'localhost', decode(repeat('0' || n, 32), 'hex'), '\\x01', 0, '{internal}',
       'bada5566-a7aa-401f-bd96-45619a55120d', '1Password', true, true, '2026-01-01T00:00:00Z',
       CASE n WHEN 2 THEN '2026-01-02T00:00:00Z'::timestamptz END
       FROM generate_series(1, 2) n`,
  )
})
afterAll(() => management?.stop())

const PASSKEYS = '/users/alice/passkeys'

it('lists the passkeys of a person in parts, without public keys', async () => {
  const { status, body } = await management.call('GET', `${PASSKEYS}?limit=1`, undefined, 'iam')
  expect(status).toBe(200)
  expect(body.items).toEqual([
    {
      id: 'k1',
      rpId: 'localhost',
      name: '1Password',
      aaguid: 'bada5566-a7aa-401f-bd96-45619a55120d',
      transports: ['internal'],
      backupEligible: true,
      backedUp: true,
      createdAt: '2026-01-01T00:00:00.000Z',
      lastUsedAt: null,
      clonedAt: null,
    },
  ])
  const next = await management.call('GET', `${PASSKEYS}?cursor=${body.nextCursor}`, undefined, 'iam')
  expect(next.body.items).toMatchObject([{ id: 'k2', clonedAt: '2026-01-02T00:00:00.000Z' }])
})

it('is refused to administrators of other organizations, and for service users', async () => {
  expect((await management.call('GET', PASSKEYS, undefined, 'stranger')).status).toBe(403)
  expect((await management.call('DELETE', `${PASSKEYS}/k1`, undefined, 'stranger')).status).toBe(403)
  const ofRobot = await management.call('GET', '/users/migrator-id/passkeys', undefined, 'iam')
  expect(ofRobot.body).toMatchObject({ message: 'a service user has no passkey' })
})

it('deletes a passkey once, with an audit event, and ends the sessions and tokens of the person', async () => {
  expect((await management.call('DELETE', `${PASSKEYS}/k1`, undefined, 'iam')).status).toBe(204)
  const again = await management.call('DELETE', `${PASSKEYS}/k1`, undefined, 'iam')
  expect(again).toMatchObject({ status: 404, body: { message: 'the user has no passkey with this id' } })
  const events = await management.directory.audited({ action: 'passkey.delete', result: 'success' })
  const target = { targetKind: 'passkey', targetId: 'k1', organizationId: 'acme' }
  expect(events).toMatchObject([{ actorId: 'administrator', ...target }])
  expect(management.published).toEqual([[expect.stringMatching(/^USER alice \d+$/)]])
})

it('shows how many recovery codes are left and deletes them, never a code', async () => {
  const CODES = '/users/alice/recovery-codes'
  await management.directory.rows(
    "INSERT INTO directory.recovery_code SELECT 'alice', sha256(n::text::bytea) FROM generate_series(1, 3) n",
  )
  const read = await management.call('GET', CODES, undefined, 'iam')
  expect([read.status, read.body]).toEqual([200, { left: 3 }])
  expect((await management.call('GET', CODES, undefined, 'stranger')).status).toBe(403)
  expect((await management.call('DELETE', CODES, undefined, 'stranger')).status).toBe(403)
  expect((await management.call('DELETE', CODES, undefined, 'iam')).status).toBe(204)
  const again = await management.call('DELETE', CODES, undefined, 'iam')
  expect(again).toMatchObject({ status: 404, body: { message: 'the user has no recovery codes' } })
  expect((await management.call('GET', CODES, undefined, 'iam')).body).toEqual({ left: 0 })
  const events = await management.directory.audited({ action: 'recovery_codes.delete', result: 'success' })
  expect(events).toMatchObject([{ actorId: 'administrator', targetId: 'alice' }])
})

describe('the reset of all second factors', () => {
  const RESET = '/users/alice/reset-factors'
  const NONE = { authenticators: 0, passkeys: 0, recoveryCodes: 0, trustedBrowsers: 0 }
  const left = async () => {
    const network = createInProcessNetwork({ onFailure: () => undefined })
    network.serve('directory', management.service.rpc ?? [])
    const accounts = rpcClient(AccountService, network.transport('login', 'directory'))
    const { totp, recoveryCodes } = await accounts.findSecondFactor({ userId: 'alice' }, TIMEOUT)
    const { passkeys } = await accounts.listPasskeys({ userId: 'alice' }, TIMEOUT)
    return { totp, recoveryCodes, passkeys: passkeys.length }
  }
  const browsers = async () => (await management.directory.digests())['directory.trusted_browser']
  const addFactors = () =>
    management.directory.rows(
      `WITH code AS (INSERT INTO directory.recovery_code SELECT 'alice', sha256('a'::bytea)),
            passkey AS (
         INSERT INTO directory.passkey (passkey_id, user_id, rp_id, credential_id, public_key, counter, transports, aaguid,
                                        name, backup_eligible, backed_up, created_at)
         SELECT 'r' || n, 'alice', 'localhost', decode(repeat('1' || n, 32), 'hex'), '\\x01', 0, '{}',
                '00000000-0000-0000-0000-000000000000', 'Passkey', false, false, now() FROM generate_series(1, 2) n)
       SELECT`,
    )
  const trustBrowser = () =>
    management.directory.rows(
      `WITH trust AS (INSERT INTO directory.browser_trust (user_id, secret) VALUES ('alice', decode(repeat('05', 32), 'hex'))
                        RETURNING user_id)
       INSERT INTO directory.trusted_browser (user_id, browser_id, agent, trusted_at, last_used_at)
       SELECT user_id, 'b1', 'Firefox', now(), now() FROM trust`,
    )

  it('deletes every kind, ends sessions and tokens, says how many there were, and leaves one audit event', async () => {
    await addFactors()
    const withoutBrowser = await browsers()
    await trustBrowser()
    expect(await left()).toEqual({ totp: true, recoveryCodes: 1, passkeys: 3 })
    expect(await browsers()).not.toBe(withoutBrowser)
    management.published.splice(0)
    const { status, body } = await management.call('POST', RESET, undefined, 'iam')
    expect([status, body]).toEqual([
      200,
      {
        authenticators: expect.any(Number),
        passkeys: expect.any(Number),
        recoveryCodes: 1,
        trustedBrowsers: 1,
      },
    ])
    expect(body.passkeys).toBeGreaterThanOrEqual(2)
    expect(await left()).toEqual({ totp: false, recoveryCodes: 0, passkeys: 0 })
    expect(await browsers()).toBe(withoutBrowser)
    expect(management.published).toEqual([[expect.stringMatching(/^USER alice \d+$/)]])
    const events = await management.directory.audited({ action: 'user.reset_factors', result: 'success' })
    expect(events).toMatchObject([
      {
        actorId: 'administrator',
        targetKind: 'user',
        targetId: 'alice',
        organizationId: 'acme',
        details: expect.objectContaining(body),
      },
    ])
  })

  it('can be repeated, which ends sessions and tokens again', async () => {
    management.published.splice(0)
    expect((await management.call('POST', RESET, undefined, 'iam')).body).toEqual(NONE)
    expect(management.published).toHaveLength(1)
  })

  it('deletes nothing when it fails', async () => {
    await addFactors()
    const before = await management.directory.digests()
    await management.directory.rows(
      `CREATE FUNCTION directory.test_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'test'; END $$`,
    )
    await management.directory.rows(
      'CREATE TRIGGER test_refuse BEFORE DELETE ON directory.passkey FOR EACH ROW EXECUTE FUNCTION directory.test_refuse()',
    )
    management.bearers.set('owner', { roles: ['IAM_OWNER'] })
    expect((await management.broken('POST', `/management/v1${RESET}`, undefined, {})).status).toBe(500)
    expect(await management.directory.digests()).toEqual(before)
    await management.directory.rows('DROP TRIGGER test_refuse ON directory.passkey')
    await management.directory.rows('DROP FUNCTION directory.test_refuse()')
  })

  it('is refused to administrators of other organizations, and for service users', async () => {
    expect((await management.call('POST', RESET, undefined, 'stranger')).status).toBe(403)
    const ofRobot = await management.call('POST', '/users/migrator-id/reset-factors', undefined, 'iam')
    expect(ofRobot.body).toMatchObject({ message: 'a service user has no second factor' })
  })
})
