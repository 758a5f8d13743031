import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IdempotencyStore } from '../src/api/idempotency.repository.ts'
import { createDeleteOldResponses } from '../src/api/run-operation.ts'
import { forgetAppliedBatches } from '../src/transfer/applied-batches.repository.ts'
import { sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  await management.directory.apply(sampleDocument())
  management.bearers.set('owner', { userId: 'root', roles: ['IAM_OWNER'] })
  management.bearers.set('other', { userId: 'other', roles: ['IAM_OWNER'] })
})
afterAll(() => management?.stop())

const count = async (userName: string) =>
  (
    await management.directory.rows('SELECT FROM directory_read.account_claims_v1 WHERE user_name = $1', [
      userName,
    ])
  ).length
const newPerson = (userName: string) => ({
  organizationId: 'acme',
  userName,
  profile: { givenName: 'E', familyName: 'F' },
})
const create = (userName: string, key: string, bearer = 'owner') =>
  management.call('POST', '/users', newPerson(userName), bearer, { 'idempotency-key': key })

describe('Idempotency-Key', () => {
  it('a repeated creation makes one object and gets the first response', async () => {
    const first = await create('erin', 'k1')
    const second = await create('erin', 'k1')
    expect(first.status).toBe(201)
    expect([second.status, second.body]).toEqual([201, first.body])
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
    expect(await count('erin')).toBe(1)
  })

  it('of parallel calls under one key exactly one creates', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create('parallel', 'k2')))
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    expect(await count('parallel')).toBe(1)
  })

  it('another request under the same key is refused with 422', async () => {
    await create('frank', 'k3')
    expect(await create('grace', 'k3')).toMatchObject({
      status: 422,
      body: { code: 9, details: [{ id: 'idempotency_key_reused' }] },
    })
    expect(await count('grace')).toBe(0)
  })

  it('keys of another caller mean something else', async () => {
    expect((await create('henry', 'k4')).status).toBe(201)
    expect((await create('irene', 'k4', 'other')).status).toBe(201)
  })

  it('deletes the idempotency key of a failed call', async () => {
    await create('jack', 'k5')
    expect((await create('jack', 'k6')).status).toBe(409)
    expect((await create('jill', 'k6')).status).toBe(201)
  })

  it('stores responses encrypted', async () => {
    await create('karl-the-canary', 'k7')
    expect(await management.directory.placesOf('karl-the-canary')).toEqual([
      'directory.account: karl-the-canary',
    ])
  })

  it('must be printable', async () => {
    expect(await create('lara', 'k'.repeat(201))).toMatchObject({
      status: 400,
      body: { details: [{ field: 'Idempotency-Key' }] },
    })
  })
})

describe('If-Match', () => {
  const read = async () => (await management.call('GET', '/organizations/acme')).headers.get('etag') ?? ''
  const rename = (name: string, etag: string) =>
    management.call('PATCH', '/organizations/acme', { name }, 'owner', { 'if-match': etag })

  it('of concurrent edits one wins and the others get 412', async () => {
    const etag = await read()
    const names = Array.from({ length: 8 }, (_, at) => `ACME ${at}`)
    const answers = await Promise.all(names.map((name) => rename(name, etag)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 412)])
    const winner = answers.find(({ status }) => status === 200)
    expect(await read()).toBe(winner?.headers.get('etag'))
    expect(answers.find(({ status }) => status === 412)?.body).toMatchObject({
      code: 9,
      details: [{ id: 'etag_mismatch' }],
    })
  })

  it('RFC 9110 section 13.1.1: one of several, or any', async () => {
    expect((await rename('ACME', `"x", ${await read()}`)).status).toBe(200)
    expect((await rename('ACME', '*')).status).toBe(200)
    expect((await rename('ACME', '"x"')).status).toBe(412)
  })

  it('holds for deletions too', async () => {
    await create('leaver', 'k8')
    const { body } = await management.call('GET', '/users?userName=leaver')
    const id = body.items[0].id
    const headers = { 'if-match': '"old"' }
    expect((await management.call('DELETE', `/users/${id}`, undefined, 'owner', headers)).status).toBe(412)
    const etag = (await management.call('GET', `/users/${id}`)).headers.get('etag') ?? ''
    expect(
      (await management.call('DELETE', `/users/${id}`, undefined, 'owner', { 'if-match': etag })).status,
    ).toBe(204)
  })

  it('returns 404 for an unknown object', async () => {
    expect(
      (await management.call('PATCH', '/users/nobody', { state: 'active' }, 'owner', { 'if-match': '*' }))
        .status,
    ).toBe(404)
  })
})

describe('lists', () => {
  it('of users have those without a password or passkey apart, with all other filters too', async () => {
    const idsOf = async (query: string) => {
      const { status, body } = await management.call('GET', `/users?limit=100&${query}`)
      expect([status, body.items?.every(({ kind }: { kind: string }) => kind === 'human')]).toEqual([
        200,
        true,
      ])
      return body.items.map(({ id }: { id: string }) => id)
    }
    const people = await idsOf('kind=human')
    const [without, having] = [await idsOf('hasCredentials=false'), await idsOf('hasCredentials=true')]
    expect([...without, ...having].sort()).toEqual(people.sort())
    expect(await idsOf('hasCredentials=false&notInvitedSince=2020-01-01T00:00:00Z')).toEqual(without)
    const others = 'organizationId=acme&kind=human&state=active&userName=x&email=x@x.example'
    expect(await idsOf(`${others}&hasCredentials=false&notInvitedSince=2020-01-01T00:00:00Z`)).toEqual([])
    expect((await management.call('GET', '/users?hasCredentials=maybe')).status).toBe(400)
  })

  it('are read part by part, in the order of ids, each object once', async () => {
    const seen: string[] = []
    let cursor = ''
    do {
      const { status, body } = await management.call('GET', `/users?limit=2${cursor}`)
      expect(status).toBe(200)
      expect(body.items.length).toBeLessThanOrEqual(2)
      seen.push(...body.items.map(({ id }: { id: string }) => id))
      cursor = body.nextCursor === undefined ? '' : `&cursor=${body.nextCursor}`
    } while (cursor !== '')
    const rows = await management.directory.rows<{ id: string }>(
      'SELECT user_id AS id FROM directory_read.account_life_v1 ORDER BY user_id',
    )
    expect(rows.length).toBeGreaterThan(4)
    expect(seen).toEqual(rows.map(({ id }) => id))
  })

  it.each([
    ['limit=0', 'limit: must be 1 or more'],
    ['limit=501', 'limit: may be 500 at most'],
    ['limit=many', 'limit: must be a whole number'],
    ['cursor=%25', 'cursor: must be the nextCursor of the answer before'],
    ['colour=red', 'colour: unknown field'],
  ])('%s is refused', async (query, message) => {
    const answer = await management.call('GET', `/users?${query}`)
    expect(answer).toMatchObject({ status: 400, body: { code: 3 } })
    expect(answer.body.message).toContain(message)
  })
})

it('names are read in snake_case too, at every depth', async () => {
  const answer = await management.call('POST', '/users', {
    organization_id: 'acme',
    user_name: 'snake',
    profile: { given_name: 'S', family_name: 'K', preferred_language: 'de' },
  })
  expect(answer).toMatchObject({
    status: 201,
    body: { profile: { preferredLanguage: 'de', displayName: 'S K' } },
  })
})

it('every successful call has one row in the audit log, with its target', async () => {
  await management.directory.asAdministrator('DELETE FROM directory_audit.audit_event')
  const { body } = await management.call('POST', '/users', newPerson('audited'))
  await management.call('GET', `/users/${body.id}`)
  await management.call('GET', '/users')
  const events = await management.directory.audited()
  expect(events.toReversed()).toMatchObject([
    {
      action: 'user.create',
      targetKind: 'user',
      targetId: body.id,
      organizationId: 'acme',
      result: 'success',
    },
    {
      action: 'user.read',
      targetKind: 'user',
      targetId: body.id,
      organizationId: 'acme',
      result: 'success',
    },
    { action: 'user.list', targetKind: 'user', targetId: undefined, result: 'success' },
  ])
})

it('the document of the API needs no bearer', async () => {
  const answer = await management.call('GET', '/openapi.json', undefined, null)
  expect(answer).toMatchObject({ status: 200, body: { openapi: '3.1.1' } })
})

it('deletes stored responses after a day', async () => {
  const { clock, owner, placesOf } = management.directory
  const key = 'key-of-an-old-response'
  await create('mona', key)
  const forget = createDeleteOldResponses(new IdempotencyStore(owner), clock.now)
  const kept = () => placesOf(key)
  clock.advance(86_400_000)
  await forget()
  expect(await kept()).toEqual([`directory.idempotency_key: ${key}`])
  clock.advance(1)
  await forget()
  expect(await kept()).toEqual([])
})

it('deletes outcomes of batches when no job can ask for them again', async () => {
  const { owner } = management.directory
  const add = (days: number) =>
    owner.query({
      name: '',
      text: `INSERT INTO directory.applied_batch (job_id, batch, outcomes, applied_at) VALUES ('old', $1::int, 'c', now() - $1::int * interval '1 day')`,
      values: [days],
    })
  for (const days of [2, 6, 8]) await add(days)
  await forgetAppliedBatches(owner)
  const text = "SELECT batch::int AS batch FROM directory.applied_batch WHERE job_id = 'old' ORDER BY batch"
  const { rows } = await owner.query<{ batch: number }>({ name: '', text })
  expect(rows.map(({ batch }) => batch)).toEqual([2, 6])
})
