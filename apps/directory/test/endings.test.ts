import { RpcError } from '@signet/grpc/error'
import { createPasswordHasher } from '@signet/password-hash/password-hasher'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAttemptKeys } from '../src/credentials/attempt-keys.ts'
import { PASSWORD, sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  await management.directory.apply(sampleDocument())
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
})
afterAll(() => management?.stop())
beforeEach(async () => {
  management.tokenIsBack()
  management.published.splice(0)
  management.beforePublished(async () => undefined)
  await management.directory.rows("UPDATE directory.organization SET state = 'active'")
  await management.directory.rows("UPDATE directory.account SET state = 'active'")
  await management.directory.rows("UPDATE directory.application SET state = 'active'")
})

const epochOf: ManagementFixture['directory']['epochOf'] = (kind, id) =>
  management.directory.epochOf(kind, id)
const stateOf = async (userId: string) => (await management.call('GET', `/users/${userId}`)).body.state

const NEW_PASSWORD = 'Another-horse-7'

/** Each operation that ends something: the call, what it answers, and whose epochs it publishes. */
const ENDINGS = [
  {
    name: 'deactivating a user',
    call: ['PATCH', '/users/alice', { state: 'inactive' }],
    answer: { status: 200, body: { id: 'alice', state: 'inactive' } },
    of: ['account', 'alice'],
    publishes: (epoch: number) => [`USER alice ${epoch}`],
  },
  {
    name: 'locking a user',
    call: ['PATCH', '/users/alice', { state: 'locked' }],
    answer: { status: 200, body: { id: 'alice', state: 'locked' } },
    of: ['account', 'alice'],
    publishes: (epoch: number) => [`USER alice ${epoch}`],
  },
  {
    name: 'deactivating a service user',
    call: ['PATCH', '/users/migrator-id', { state: 'inactive' }],
    answer: { status: 200, body: { id: 'migrator-id', state: 'inactive' } },
    of: ['account', 'migrator-id'],
    publishes: (epoch: number) => [`CLIENT migrator ${epoch}`, `USER migrator-id ${epoch}`],
  },
  {
    name: 'signing a user out everywhere',
    call: ['POST', '/users/alice/sign-out', undefined],
    answer: { status: 204, body: undefined },
    of: ['account', 'alice'],
    publishes: (epoch: number) => [`USER alice ${epoch}`],
  },
  {
    name: 'setting a password',
    call: ['POST', '/users/alice/password', { password: NEW_PASSWORD }],
    answer: { status: 204, body: undefined },
    of: ['account', 'alice'],
    publishes: (epoch: number) => [`USER alice ${epoch}`],
  },
  {
    name: 'deactivating an application',
    call: ['PATCH', '/applications/web', { state: 'inactive' }],
    answer: { status: 200, body: { id: 'web', state: 'inactive' } },
    of: ['client', 'web'],
    publishes: (epoch: number) => [`CLIENT web ${epoch}`],
  },
  {
    name: 'deactivating an organization',
    call: ['PATCH', '/organizations/acme', { state: 'inactive' }],
    answer: { status: 200, body: { id: 'acme', state: 'inactive' } },
    of: ['organization', 'acme'],
    publishes: (epoch: number) => [`ORGANIZATION acme ${epoch}`],
  },
] as const

describe.each(ENDINGS)('$name', ({ call: [method, path, body], answer, of: [kind, id], publishes }) => {
  it('raises the epoch, publishes it after the commit and responds only then', async () => {
    const before = (await epochOf(kind, id)) ?? Number.NaN
    let committed: number | undefined
    let answered = false
    let answeredBefore: boolean | undefined
    management.beforePublished(async () => {
      // Another connection sees it, so it is committed.
      committed = await epochOf(kind, id)
      answeredBefore = answered
    })
    const response = await management.call(method, path, body)
    answered = true
    expect({ status: response.status, body: response.body }).toMatchObject(answer)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect([committed, answeredBefore]).toEqual([before + 1, false])
    expect(management.published).toEqual([publishes(before + 1)])
  })

  it('is committed and answered with 503 while token is away; repeating it publishes', async () => {
    const before = (await epochOf(kind, id)) ?? Number.NaN
    management.beforePublished(async () => {
      throw new RpcError('UNAVAILABLE', 'the log cannot be written')
    })
    const refused = await management.call(method, path, body)
    expect(refused).toMatchObject({
      status: 503,
      body: { code: 14, details: [{ id: 'endings_unpublished' }] },
    })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await epochOf(kind, id)).toBe(before + 1)
    expect(management.published).toEqual([])

    management.beforePublished(async () => undefined)
    expect((await management.call(method, path, body)).status).toBe(answer.status)
    // A state cannot end twice; another password or sign-out is another end.
    const after = before + (method === 'PATCH' ? 1 : 2)
    expect(await epochOf(kind, id)).toBe(after)
    expect(management.published).toEqual([publishes(after)])
  })
})

describe('activating', () => {
  it.each([
    ['/users/alice', 'account', 'alice', 'locked'],
    ['/users/alice', 'account', 'alice', 'inactive'],
    ['/applications/web', 'client', 'web', 'inactive'],
    ['/organizations/acme', 'organization', 'acme', 'inactive'],
  ] as const)('repeating %s raises no epoch and restores nothing', async (path, kind, id, from) => {
    await management.call('PATCH', path, { state: from })
    const ended = await epochOf(kind, id)
    management.published.splice(0)
    expect(await management.call('PATCH', path, { state: 'active' })).toMatchObject({
      status: 200,
      body: { id, state: 'active' },
    })
    expect((await management.call('GET', path)).body.state).toBe('active')
    expect(await epochOf(kind, id)).toBe(ended)
    // The repeated call publishes endings that the earlier one could not.
    expect(management.published).toEqual([[expect.stringMatching(` ${ended}$`)]])
  })
})

describe('deleting a user', () => {
  const hire = () =>
    management.directory.rows(`
      WITH account AS (
        INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name)
        VALUES ('temp-id', 'acme', 'service_user', 'temp', 'temp', 'Temp') RETURNING user_id)
      INSERT INTO directory.service_user (user_id, client_id) SELECT user_id, 'temp' FROM account`)

  it('publishes the end of both ids, and again when it is repeated, also by an administrator of its organization', async () => {
    management.bearers.set('acme-manager', { roles: ['ORG_USER_MANAGER acme'] })
    management.bearers.set('other-manager', { roles: ['ORG_USER_MANAGER other'] })
    await hire()
    expect((await management.call('DELETE', '/users/temp-id')).status).toBe(204)
    expect(await epochOf('account', 'temp-id')).toBeUndefined()
    const ended = ['CLIENT temp 1', 'USER temp-id 1']
    expect(management.published).toEqual([ended])
    const repeated = (bearer: string) => management.call('DELETE', '/users/temp-id', undefined, bearer)
    expect((await repeated('acme-manager')).status).toBe(204)
    expect(management.published).toEqual([ended, ended])
    expect((await repeated('other-manager')).status).toBe(403)
    expect(management.published).toEqual([ended, ended])
  })

  it('is committed and answered with 503 while token is away, and published when repeated', async () => {
    await hire()
    const before = (await epochOf('account', 'temp-id')) ?? Number.NaN
    management.beforePublished(async () => {
      throw new RpcError('DEADLINE_EXCEEDED', 'too slow')
    })
    expect((await management.call('DELETE', '/users/temp-id')).status).toBe(503)
    expect(await epochOf('account', 'temp-id')).toBeUndefined()
    management.beforePublished(async () => undefined)
    expect((await management.call('DELETE', '/users/temp-id')).status).toBe(204)
    expect(management.published).toEqual([[`CLIENT temp ${before + 1}`, `USER temp-id ${before + 1}`]])
  })

  it('returns 404 for an unknown user', async () => {
    expect(await management.call('DELETE', '/users/nobody')).toMatchObject({ status: 404, body: { code: 5 } })
    expect(management.published).toEqual([])
  })
})

describe('D: the sessions of a person', () => {
  const auditRows = () => management.directory.audited({ action: 'session.end' })

  it('are listed in parts', async () => {
    management.sessions.set('alice', ['a', 'b', 'c'])
    const first = await management.call('GET', '/users/alice/sessions?limit=2')
    expect(first.body.items.map(({ id }: { id: string }) => id)).toEqual(['a', 'b'])
    const { body } = await management.call(
      'GET',
      `/users/alice/sessions?limit=2&cursor=${first.body.nextCursor}`,
    )
    expect(body.items).toEqual([
      {
        id: 'c',
        authenticatedAt: expect.any(String),
        lastUsedAt: expect.any(String),
        expiresAt: expect.any(String),
        amr: ['pwd'],
        browser: 'Firefox',
        system: 'Linux',
        clientAddress: '192.0.2.9',
        applications: [{ clientId: 'web', id: 'web', name: 'Web' }, { clientId: 'deleted' }],
      },
    ])
    expect(body.nextCursor).toBeUndefined()
    expect((await management.call('GET', '/users/nobody/sessions')).status).toBe(404)
    // The session in which an administrator acts as the person names both, where the caller may read them.
    management.sessions.set('alice', ['impersonated'])
    const acted = await management.call('GET', '/users/alice/sessions')
    const impersonatedBy = { administratorId: 'alice', userName: 'alice', displayName: expect.any(String) }
    expect(acted.body.items).toMatchObject([{ impersonatedBy: { ...impersonatedBy, reason: 'Ticket 4711' } }])
    management.sessions.set('alice', ['a', 'b', 'c'])
    // The reader of people sees no names of applications.
    const manager = { userId: 'alice', organizationId: 'acme', roles: ['ORG_USER_MANAGER acme'] }
    management.bearers.set('manager', manager)
    const seen = await management.call('GET', '/users/alice/sessions?limit=1', undefined, 'manager')
    expect(seen.body.items[0].applications).toEqual([{ clientId: 'web' }, { clientId: 'deleted' }])
  })

  it('are ended before the response, with the actor in the audit log; 503 without a row when login is away', async () => {
    management.loginIsAway()
    expect(await management.call('DELETE', '/users/alice/sessions/b')).toMatchObject({
      status: 503,
      body: { details: [{ id: 'login_unavailable' }] },
    })
    management.loginIsBack()
    expect((await management.call('DELETE', '/users/alice/sessions/b')).status).toBe(204)
    expect(management.endedSessions).toEqual(['alice b by administrator from 127.0.0.1'])
    expect(await management.call('DELETE', '/users/alice/sessions/z')).toMatchObject({
      status: 404,
      body: { details: [{ id: 'session_unknown' }] },
    })
    const ended = { actorId: 'administrator', targetKind: 'session', details: { user_id: 'alice' } }
    expect((await auditRows()).filter(({ result }) => result === 'success')).toMatchObject([
      { ...ended, targetId: 'b' },
    ])
  })
})

describe('D: unlocking a person', () => {
  const unlock = () => management.call('POST', '/users/alice/unlock')
  beforeEach(() => void management.forgotten.splice(0))

  it('lifts the delay of the account under all its names, and of no other account with the same name', async () => {
    await management.call('PATCH', '/users/alice', { state: 'locked' })
    expect(await unlock()).toMatchObject({ status: 200, body: { id: 'alice', state: 'active' } })
    await management.call('POST', '/organizations', {
      id: 'rival',
      name: 'Rival',
      primaryDomain: 'rival.localhost',
    })
    await management.call('POST', '/users', {
      id: 'rival-alice',
      organizationId: 'rival',
      userName: 'alice',
      profile: { givenName: 'A', familyName: 'R' },
    })
    await management.call('POST', '/users/rival-alice/unlock')
    const keys = createAttemptKeys(management.directory.masterKeys)
    expect(management.forgotten).toEqual(
      ['alice', 'rival-alice'].map((userId) => [userId, keys.ofAccount(userId)]),
    )
  })

  it('is 503 while login is away, and complete when it is repeated', async () => {
    await management.call('PATCH', '/users/alice', { state: 'locked' })
    management.loginIsAway()
    expect(await unlock()).toMatchObject({ status: 503, body: { details: [{ id: 'login_unavailable' }] } })
    expect(await stateOf('alice')).toBe('active')
    management.loginIsBack()
    expect((await unlock()).status).toBe(200)
    expect(management.forgotten).toHaveLength(1)
  })
})

describe('setting a password', () => {
  const hashOf = async (userId: string) =>
    (
      await management.directory.rows<{ hash: string; changed_at: Date }>(
        'SELECT hash, changed_at FROM directory.account_password WHERE user_id = $1',
        [userId],
      )
    )[0]

  it('stores argon2id and when it changed', async () => {
    management.directory.clock.advance(60_000)
    await management.call('POST', '/users/alice/password', { password: PASSWORD })
    const row = await hashOf('alice')
    const hasher = createPasswordHasher({ concurrency: 1, queueLimit: 1 })
    expect(row?.hash).toMatch(/^\$argon2id\$/)
    expect((await hasher.verifyPassword(row?.hash ?? '', PASSWORD)).matches).toBe(true)
    expect(row?.changed_at).toEqual(management.directory.clock.now())
  })

  it('raises the epoch also for the first password, and for one in the same instant', async () => {
    await management.directory.rows("DELETE FROM directory.account_password WHERE user_id = 'alice'")
    const before = (await epochOf('account', 'alice')) ?? Number.NaN
    for (const raised of [1, 2]) {
      await management.call('POST', '/users/alice/password', { password: PASSWORD })
      expect(await epochOf('account', 'alice')).toBe(before + raised)
    }
  })

  it("applies the organization's policy and names every rule", async () => {
    await management.directory.rows(
      `INSERT INTO directory.organization_policy VALUES ('acme', 'password_complexity', '{"minLength": 12, "hasNumber": true}')`,
    )
    const before = await management.directory.digests()
    expect(await management.call('POST', '/users/alice/password', { password: 'too-short' })).toMatchObject({
      status: 400,
      body: {
        code: 3,
        message: 'password: needs at least 12 characters; password: needs a digit',
        details: [{ field: 'password' }, { field: 'password' }],
      },
    })
    expect(await management.directory.digests()).toEqual(before)
    expect(management.published).toEqual([])
    await management.directory.rows('DELETE FROM directory.organization_policy')
  })

  it('is for people only', async () => {
    expect(
      await management.call('POST', '/users/migrator-id/password', { password: PASSWORD }),
    ).toMatchObject({ status: 400, body: { code: 9, message: 'a service user has no password' } })
  })
})

describe('a request that says it wrong', () => {
  it.each([
    ['PATCH', '/users/alice', { state: 'gone' }, 'state: '],
    ['PATCH', '/users/alice', {}, 'the body must name a field to change'],
    ['PATCH', '/users/alice', { state: 'inactive', reason: 'x' }, 'reason: unknown field'],
    ['PATCH', '/applications/web', { state: 'locked' }, 'state: '],
    ['PATCH', '/organizations/acme', { state: 'locked' }, 'state: '],
    ['POST', '/users/alice/password', { password: 1 }, 'password: Invalid input: expected string'],
    ['POST', '/users/alice/password', {}, 'password: is required'],
    ['PATCH', '/users/a%00b', { state: 'active' }, 'userId: must be 1 to 200'],
  ])('%s %s %o returns the field and the rule', async (method, path, body, message) => {
    const answer = await management.call(method, path, body)
    expect(answer).toMatchObject({ status: 400, body: { code: 3 } })
    expect(answer.body.message).toContain(message)
    expect(management.published).toEqual([])
  })

  it('returns 404 for an unknown object', async () => {
    for (const collection of ['users', 'applications', 'organizations']) {
      expect(await management.call('PATCH', `/${collection}/nobody`, { state: 'active' })).toMatchObject({
        status: 404,
        body: { code: 5 },
      })
    }
  })
})

describe('the caller', () => {
  it('RFC 6750 section 3: 401 with a challenge without a bearer or with a bad one', async () => {
    const without = await management.call('PATCH', '/users/alice', { state: 'inactive' }, null)
    expect(without).toMatchObject({ status: 401, body: { code: 16 } })
    expect(without.headers.get('www-authenticate')).toBe('Bearer realm="signet"')
    const bad = await management.call('PATCH', '/users/alice', { state: 'inactive' }, 'made-up')
    expect(bad).toMatchObject({ status: 401, body: { code: 16 } })
    expect(bad.headers.get('www-authenticate')).toBe('Bearer realm="signet", error="invalid_token"')
    expect(await stateOf('alice')).toBe('active')
  })

  it('authenticates each request at token and caches nothing', async () => {
    management.bearers.set('short-lived', { roles: ['IAM_OWNER'] })
    management.asked.splice(0)
    await management.call('PATCH', '/users/alice', { state: 'active' }, 'short-lived')
    management.bearers.set('short-lived', { roles: [] })
    expect((await management.call('PATCH', '/users/alice', { state: 'active' }, 'short-lived')).status).toBe(
      403,
    )
    management.bearers.delete('short-lived')
    expect((await management.call('PATCH', '/users/alice', { state: 'active' }, 'short-lived')).status).toBe(
      401,
    )
    expect(management.asked).toEqual(['short-lived', 'short-lived', 'short-lived'])
  })

  it('returns 503 while token is away, and changes nothing', async () => {
    management.tokenIsAway()
    const answer = await management.call('PATCH', '/users/alice', { state: 'inactive' })
    expect(answer).toMatchObject({ status: 503, body: { code: 14, details: [{ id: 'bearer_unchecked' }] } })
    expect(answer.headers.get('retry-after')).toBe('1')
    management.tokenIsBack()
    expect(await stateOf('alice')).toBe('active')
    // Readiness never waits for a callee.
    expect(await management.service.notReady()).toEqual([])
  })
})
