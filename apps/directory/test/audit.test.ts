import { rpcClient } from '@signet/grpc/client'
import { AccountService } from '@signet/grpc/gen/directory/v1/account_service_pb'
import { CredentialService } from '@signet/grpc/gen/directory/v1/credential_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import { decodeBase32 } from '@signet/tokens/identifiers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { auditTable } from '../src/audit/audit-table.ts'
import { defaultAuthenticator, totpCode } from '../src/credentials/totp.ts'
import { PASSWORD, sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { TIMEOUT } from './rpc-fixture.ts'

let management: ManagementFixture
const network = createInProcessNetwork({ onFailure: () => undefined })
const credentials = rpcClient(CredentialService, network.transport('login', 'directory'))
const accounts = rpcClient(AccountService, network.transport('login', 'directory'))

beforeAll(async () => {
  management = await managementFixture()
  await management.directory.apply(sampleDocument())
  network.serve('directory', management.service.rpc ?? [])
  management.bearers.set('owner', { userId: 'root', roles: ['IAM_OWNER'] })
  management.bearers.set('nobody', { userId: 'nobody', roles: [] })
})
afterAll(() => management?.stop())
beforeEach(async () => {
  management.tokenIsBack()
  management.directory.clock.advance(300_000)
  await management.directory.asAdministrator('DELETE FROM directory_audit.audit_event')
})

const auditRows = async () => (await management.directory.audited()).toReversed()
const only = async () => {
  const rows = await auditRows()
  expect(rows).toHaveLength(1)
  return rows[0]
}
const FROM = '203.0.113.9'
const signIn = (loginName: string, password: string, throttled = false) =>
  credentials.verifyPassword({ loginName, password, clientAddress: FROM, throttled }, TIMEOUT)
const codeNow = () => {
  const seed = decodeBase32('JBSWY3DPEHPK3PXP') ?? Buffer.alloc(0)
  return totpCode(defaultAuthenticator(seed), Math.floor(management.directory.clock.now().getTime() / 30_000))
}
const FORM = {
  userName: 'newcomer',
  email: 'n@mail.example',
  givenName: 'N',
  familyName: 'C',
  password: PASSWORD,
}

describe('sign-in [F-47]', () => {
  it('success', async () => {
    await signIn('alice', PASSWORD)
    expect(await only()).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: expect.any(Date),
      actorKind: 'human',
      actorId: 'alice',
      action: 'sign_in',
      targetKind: 'user',
      targetId: 'alice',
      organizationId: 'acme',
      clientAddress: FROM,
      result: 'success',
      details: { factor: 'password' },
    })
  })

  it.each([
    ['a wrong password', 'alice', 'Wrong-horse-1', false, 'alice', 'sign_in', 'password_wrong'],
    ['nobody', 'who-is-this', PASSWORD, false, undefined, 'sign_in', 'account_unknown'],
    ['a lockout', 'alice', PASSWORD, true, 'alice', 'sign_in.lockout', 'throttled'],
  ])('%s', async (_, loginName, password, throttled, target, action, reason) => {
    expect((await signIn(loginName, password, throttled)).account).toBeUndefined()
    expect(await only()).toMatchObject({
      actorKind: 'anonymous',
      actorId: undefined,
      action,
      targetId: target,
      clientAddress: FROM,
      result: 'refused',
      details: { factor: 'password', reason },
    })
  })

  it.each([
    ['right', PASSWORD, 'success', undefined],
    ['wrong', 'Wrong-horse-1', 'refused', 'password_wrong'],
  ])('records a %s password of a signed-in person as a confirmation', async (_, password, result, reason) => {
    const attempt = { loginName: 'alice', password, clientAddress: FROM, confirms: true }
    await credentials.verifyPassword(attempt, TIMEOUT)
    expect(await only()).toMatchObject({
      action: 'own_account.confirm',
      actorKind: 'human',
      actorId: 'alice',
      targetId: 'alice',
      result,
      details: { factor: 'password', ...(reason && { reason }) },
    })
  })

  it('the second factor: accepted, reused, wrong, throttled and of an unknown user', async () => {
    const code = codeNow()
    const tries = [
      { userId: 'alice', code },
      { userId: 'alice', code },
      { userId: 'alice', code: '000' },
      { userId: 'alice', code, throttled: true },
      { userId: 'who-is-this', code },
    ]
    for (const attempt of tries) await credentials.verifyTotp({ ...attempt, clientAddress: FROM }, TIMEOUT)
    const rows = await auditRows()
    const seen = rows.map(({ action, actorId, targetId, details }) => [
      action,
      actorId,
      targetId,
      details.reason,
    ])
    expect(seen.sort()).toEqual(
      [
        ['sign_in', 'alice', 'alice', undefined],
        ['sign_in', undefined, 'alice', 'totp_used'],
        ['sign_in', undefined, 'alice', 'totp_wrong'],
        ['sign_in.lockout', undefined, 'alice', 'throttled'],
        ['sign_in', undefined, undefined, 'totp_not_set'],
      ].sort(),
    )
  })
})

describe('self-service actions of users [F-47]', () => {
  it('registration, made and refused', async () => {
    const { outcome } = await accounts.register({ ...FORM, clientAddress: FROM }, TIMEOUT)
    const userId = outcome.case === 'account' ? outcome.value.userId : ''
    await accounts.register({ ...FORM, clientAddress: FROM }, TIMEOUT)
    const [refused, made] = (await auditRows()).toSorted(
      (a, b) => Number(b.actorId === undefined) - Number(a.actorId === undefined),
    )
    expect(made).toMatchObject({
      actorId: userId,
      action: 'registration',
      targetId: userId,
      organizationId: 'acme',
      clientAddress: FROM,
      result: 'success',
    })
    expect(refused).toMatchObject({
      actorKind: 'anonymous',
      action: 'registration',
      result: 'refused',
      details: { problems: ['user_name:taken'] },
    })
  })

  it('consent', async () => {
    await accounts.recordConsent(
      { userId: 'alice', clientId: 'web', scopes: ['openid', 'email'], clientAddress: FROM },
      TIMEOUT,
    )
    expect(await only()).toMatchObject({
      actorId: 'alice',
      action: 'consent',
      targetKind: 'client',
      targetId: 'web',
      organizationId: 'acme',
      clientAddress: FROM,
      details: { scopes: ['openid', 'email'] },
    })
  })
})

describe('every call of the management API [F-47]', () => {
  it.each([
    ['PATCH', '/users/alice', { state: 'active' }, 'user.update', 'alice', { state: 'active' }],
    ['POST', '/users/alice/password', { password: PASSWORD }, 'user.set_password', 'alice', {}],
    ['POST', '/users/alice/sign-out', undefined, 'user.sign_out', 'alice', {}],
    ['PATCH', '/applications/web', { state: 'active' }, 'application.update', 'web', { state: 'active' }],
    ['PATCH', '/organizations/acme', { state: 'active' }, 'organization.update', 'acme', { state: 'active' }],
  ])('%s %s, made and refused', async (method, path, body, action, target, details) => {
    await management.call(method, path, body)
    expect(await only()).toMatchObject({
      actorKind: 'service_user',
      actorId: 'root',
      action,
      targetKind: action.split('.')[0],
      targetId: target,
      organizationId: 'acme',
      clientAddress: '127.0.0.1',
      result: 'success',
      details: { request_id: expect.any(String), token_id: 'owner', ...details },
    })
    await management.directory.asAdministrator('DELETE FROM directory_audit.audit_event')
    expect((await management.call(method, path, body, 'nobody')).status).toBe(403)
    expect(await only()).toMatchObject({
      actorId: 'nobody',
      action,
      targetId: target,
      organizationId: undefined,
      clientAddress: '127.0.0.1',
      result: 'refused',
      details: { reason: 'role_missing' },
    })
  })

  it.each([
    [
      'PUT',
      '/v2/features/instance',
      { oidcTokenExchange: true },
      'features.set',
      { oidcTokenExchange: true },
    ],
    ['DELETE', '/v2/features/instance', undefined, 'features.reset', {}],
    ['GET', '/v2/features/instance', undefined, 'features.read', {}],
    [
      'PUT',
      '/v2/policies/security',
      { enableImpersonation: true },
      'security_policy.set',
      { enable_impersonation: true },
    ],
    ['GET', '/v2/settings/security', undefined, 'security_policy.read', {}],
  ])('%s %s, made and refused', async (method, path, body, action, details) => {
    expect((await management.call(method, path, body)).status).toBe(200)
    expect(await only()).toMatchObject({
      actorId: 'root',
      action,
      targetKind: 'instance',
      targetId: action.split('.')[0],
      organizationId: undefined,
      clientAddress: '127.0.0.1',
      result: 'success',
      details: { request_id: expect.any(String), token_id: 'owner', ...details },
    })
    await management.directory.asAdministrator('DELETE FROM directory_audit.audit_event')
    expect((await management.call(method, path, body, 'nobody')).status).toBe(403)
    expect(await only()).toMatchObject({ actorId: 'nobody', action, result: 'refused' })
  })

  it('deletions, and their repetition', async () => {
    await management.directory.rows(
      `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name)
       VALUES ('leaving', 'acme', 'human', 'leaving', 'leaving', 'Leaving')`,
    )
    await management.call('DELETE', '/users/leaving')
    await management.call('DELETE', '/users/leaving')
    const rows = await auditRows()
    expect(rows).toHaveLength(2)
    for (const row of rows) {
      expect(row).toMatchObject({
        action: 'user.delete',
        targetId: 'leaving',
        organizationId: 'acme',
        result: 'success',
      })
    }
  })

  it.each([
    ['PATCH', '/users/alice', { state: 'asleep' }, 'fields_invalid'],
    ['PATCH', '/users/nobody', { state: 'active' }, 'user_unknown'],
    ['POST', '/users/alice/password', { password: 'password' }, 'fields_invalid'],
    ['PUT', '/v2/features/instance', { loginDefaultOrg: true }, 'fields_invalid'],
    ['GET', '/v2/features/instance?inheritance=1', undefined, 'fields_invalid'],
  ])('%s %s %j is refused: %s', async (method, path, body, reason) => {
    await management.call(method, path, body)
    expect(await only()).toMatchObject({ result: 'refused', details: { reason } })
  })

  it('reports that a change is stored and which step failed after it', async () => {
    management.beforePublished(async () => Promise.reject(new Error('away')))
    expect((await management.call('PATCH', '/users/alice', { state: 'inactive' })).status).toBe(503)
    management.beforePublished(async () => undefined)
    await management.directory.rows("UPDATE directory.account SET state = 'active'")
    expect(await auditRows()).toMatchObject([
      { action: 'user.update', result: 'success' },
      { action: 'user.update', result: 'failed', details: { reason: 'endings_unpublished' } },
    ])
  })

  it('writes no row for an unauthenticated caller', async () => {
    expect((await management.call('PATCH', '/users/alice', { state: 'active' }, 'forged')).status).toBe(401)
    expect(await auditRows()).toEqual([])
  })
})

describe('a change and its row are one transaction: when the row cannot be written nothing changes', () => {
  const broken = async (work: () => Promise<unknown>) => {
    const { asAdministrator } = management.directory
    await asAdministrator(
      'ALTER TABLE directory_audit.audit_event ADD CONSTRAINT broken CHECK (false) NOT VALID',
    )
    try {
      return await work().catch((error: unknown) => error)
    } finally {
      await asAdministrator('ALTER TABLE directory_audit.audit_event DROP CONSTRAINT broken')
    }
  }
  /** Digests without the attempts of registrations, which are counted whether these succeed or not. */
  const state = () => management.directory.digests(['registration_attempt'])

  const CHANGED = [
    ...[
      'account',
      'account_password',
      'account_totp',
      'retired_epoch',
      'consent',
      'organization',
      'application',
    ],
    ...['feature', 'setting', 'instance_revision'],
  ]
  /** The row and something else were written by one transaction. */
  async function changedTogether(): Promise<boolean | undefined> {
    const written = CHANGED.map((table) => `SELECT xmin::text FROM directory.${table}`).join(' UNION ALL ')
    const [row] = await management.directory.rows<{ together: boolean }>(
      `SELECT bool_and(xmin::text IN (${written})) AS together FROM directory_audit.audit_event WHERE result = 'success'`,
    )
    return row?.together
  }

  it.each<[string, () => Promise<unknown>]>([
    ['a state', () => management.call('PATCH', '/users/alice', { state: 'locked' })],
    ['a deletion', () => management.call('DELETE', '/users/migrator-id')],
    ['a password', () => management.call('POST', '/users/alice/password', { password: 'Another-horse-7' })],
    ['a sign-out', () => management.call('POST', '/users/alice/sign-out')],
    ['an organization', () => management.call('PATCH', '/organizations/acme', { state: 'inactive' })],
    ['a feature', () => management.call('PUT', '/v2/features/instance', { oidcTokenExchange: true })],
    ['all features', () => management.call('DELETE', '/v2/features/instance')],
    ['the policy', () => management.call('PUT', '/v2/policies/security', { enableImpersonation: false })],
    ['an application', () => management.call('PATCH', '/applications/web', { state: 'inactive' })],
    [
      'a consent',
      () => accounts.recordConsent({ userId: 'alice', clientId: 'web', scopes: ['phone'] }, TIMEOUT),
    ],
    ['a registration', () => accounts.register({ ...FORM, userName: 'other' }, TIMEOUT)],
    ['a code', () => credentials.verifyTotp({ userId: 'alice', code: codeNow() }, TIMEOUT)],
    [
      'a bootstrap',
      () => {
        const document = sampleDocument()
        document.organizations.push({ id: 'late', name: 'Late', primaryDomain: 'late.localhost' })
        return management.directory.apply(document)
      },
    ],
  ])('%s', async (_, change) => {
    const before = await state()
    await broken(change)
    expect(await state()).toEqual(before)
    await change()
    expect(await state()).not.toEqual(before)
    expect(await changedTogether()).toBe(true)
    await management.directory.rows("UPDATE directory.organization SET state = 'active'")
    await management.directory.apply(sampleDocument())
    await management.directory.rows("UPDATE directory.account SET state = 'active'")
  })
})

it('records the bootstrap file as the actor of its changes, with the names of fields', async () => {
  const document = sampleDocument()
  document.organizations.push({
    id: 'fresh',
    name: 'Fresh',
    primaryDomain: 'fresh.localhost',
    users: [
      { id: 'fred', userName: 'fred', profile: { givenName: 'F', familyName: 'D' }, password: PASSWORD },
    ],
  })
  await management.directory.apply(document)
  const rows = await auditRows()
  expect(rows).toContainEqual(
    expect.objectContaining({
      actorKind: 'bootstrap',
      actorId: undefined,
      action: 'user.created',
      targetKind: 'user',
      targetId: 'fred',
      organizationId: 'fresh',
      details: { fields: expect.arrayContaining(['userName', 'password']) },
    }),
  )
  await management.directory.asAdministrator('DELETE FROM directory_audit.audit_event')
  await management.directory.apply(document)
  expect(await auditRows()).toEqual([])
  const [, fresh] = document.organizations.slice(-2)
  if (fresh) fresh.name = 'Fresher'
  await management.directory.apply(document)
  expect(await only()).toMatchObject({ action: 'organization.updated', details: { fields: ['name'] } })
})

it('stores no credentials and no typed text in the audit log [F-46]', async () => {
  const canary = (name: string) => `canary-${name}-7f3a`
  const bearer = canary('bearer')
  management.bearers.set(bearer, { userId: 'root', tokenId: 'pat-1', roles: ['IAM_OWNER'] })
  // People type passwords where their name belongs.
  await signIn(canary('login-name'), canary('password'))
  await signIn('alice', canary('password'))
  await credentials.verifyTotp({ userId: canary('unknown-user'), code: canary('code') }, TIMEOUT)
  await credentials.verifyTotp({ userId: 'alice', code: canary('code') }, TIMEOUT)
  await accounts.register({ ...FORM, userName: canary('name'), password: canary('password') }, TIMEOUT)
  await accounts.register({ ...FORM, userName: canary('na me'), password: canary('password') }, TIMEOUT)
  await management.call('POST', '/users/alice/password', { password: canary('password') }, bearer)
  await management.call('POST', '/users/alice/password', { password: 'short', [canary('member')]: 1 }, bearer)
  const document = sampleDocument()
  document.organizations.push({
    id: 'canaries',
    name: 'Canaries',
    primaryDomain: 'canaries.localhost',
    users: [
      {
        id: 'c1',
        userName: 'c1',
        profile: { givenName: 'C', familyName: '1' },
        password: canary('file-password'),
        totpSecret: 'CANARYCANARYCANA',
      },
    ],
    serviceUsers: [
      {
        id: 'c2',
        userName: 'c2',
        clientSecret: canary('client-secret'),
        personalAccessTokens: [{ id: 't', token: canary('token').padEnd(40, 'x') }],
      },
    ],
  })
  await management.directory.apply(document)
  const dump = JSON.stringify(await auditRows())
  expect((await auditRows()).length).toBeGreaterThan(10)
  expect(dump).toContain('pat-1')
  expect(dump).not.toMatch(/canary-|CANARYCANARY|\$argon2/i)
})

describe('partitions', () => {
  const names = async () =>
    (
      await management.directory.rows<{ name: string }>(
        `SELECT c.relname::text AS name FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
          WHERE inhparent = 'directory_audit.audit_event'::regclass ORDER BY 1`,
      )
    ).map(({ name }) => name.replace('audit_event_', ''))
  const settle = (moment: string) => auditTable.settlePartitions(management.directory.owner, new Date(moment))

  it('are made two months ahead, by any number of replicas at once', async () => {
    await Promise.all(Array.from({ length: 4 }, () => settle('2041-11-30T23:59:59Z')))
    expect(await names()).toEqual(expect.arrayContaining(['2041_11', '2041_12', '2042_01']))
  })

  it('of this month and the next are made for a start, and no other', async () => {
    await auditTable.createPartitions(management.directory.owner, new Date('2044-12-15T00:00:00Z'))
    expect((await names()).filter((name) => name >= '2044')).toEqual(['2044_12', '2045_01'])
  })

  it('are made although another replica takes more than the two seconds that dropping may', async () => {
    const atIt = Promise.withResolvers<void>()
    const slow = management.directory.owner.transaction(async (tx) => {
      const key = `hashtextextended('partitions of directory_audit.audit_event', 0)`
      await tx.query({ name: '', text: `SELECT pg_advisory_xact_lock(${key})` })
      atIt.resolve()
      await tx.query({ name: '', text: 'SELECT pg_sleep(2.2)' })
    })
    await atIt.promise
    await expect(Promise.all([settle('2045-11-15T00:00:00Z'), slow])).resolves.toHaveLength(2)
  })

  it('take an event of the last and of the first moment of a month, in UTC', async () => {
    await settle('2041-11-15T00:00:00Z')
    for (const at of ['2041-11-30T23:59:59.999999Z', '2041-12-01T00:00:00Z']) {
      await management.directory.asAdministrator(
        "INSERT INTO directory_audit.audit_event (at, actor_kind, action, result) VALUES ($1, 'anonymous', 'test', 'success')",
        [at],
      )
    }
    const rows = await management.directory.rows<{ month: string }>(
      "SELECT tableoid::regclass::text AS month FROM directory_audit.audit_event WHERE action = 'test' ORDER BY at",
    )
    expect(rows.map(({ month }) => month)).toEqual([
      'directory_audit.audit_event_2041_11',
      'directory_audit.audit_event_2041_12',
    ])
  })

  // A partition that ended 400 days and a moment ago, and the one after it.
  const old = async () => {
    await management.directory.asAdministrator('DELETE FROM directory_audit.unsealed')
    await settle('2021-11-15T00:00:00Z')
    return names()
  }

  it('are dropped when their last event is 400 days old by the clock of the service, and not before', async () => {
    await old()
    // The last event of November is before 2021-12-01, and 400 days after that is 2023-01-05.
    await settle('2023-01-04T23:59:59Z')
    expect(await names()).toContain('2021_11')
    await settle('2023-01-05T00:00:00Z')
    const left = await names()
    expect(left).not.toContain('2021_11')
    expect(left).toContain('2021_12')
  })

  it('are not dropped by a clock that is a year ahead', async () => {
    const month = new Date().toISOString().slice(0, 7).replace('-', '_')
    await settle(new Date(Date.now() + 800 * 86_400_000).toISOString())
    expect(await names()).toContain(month)
  })

  it('are not dropped while a row of them is not sealed', async () => {
    await old()
    await management.directory.asAdministrator(
      "INSERT INTO directory_audit.audit_event (at, actor_kind, action, result) VALUES ('2021-11-20', 'anonymous', 'test', 'success')",
    )
    await settle(new Date().toISOString())
    expect(await names()).toContain('2021_11')
    await management.directory.asAdministrator('SELECT directory_audit.seal(1000)')
    await settle(new Date().toISOString())
    expect(await names()).not.toContain('2021_11')
  })

  it('that a transaction reads stay for the next round, and no event waits for it', async () => {
    await old()
    const reader = management.directory.superuser()
    await reader.transaction(async (tx) => {
      await tx.query({ name: '', text: 'SELECT FROM directory_audit.audit_event_2021_12' })
      await settle(new Date().toISOString())
      await auditTable.record(management.directory.owner, {
        actor: { kind: 'anonymous' },
        action: 'test',
        result: 'success',
      })
    })
    expect(await names()).toContain('2021_12')
    await settle(new Date().toISOString())
    expect(await names()).not.toContain('2021_12')
  })
})
