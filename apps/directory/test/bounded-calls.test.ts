import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OPERATIONS } from '../src/operations.ts'
import { sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { exampleCall } from './operation-call.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture({ callsPerSecond: 50 })
  await management.directory.apply(sampleDocument())
  management.bearers.set('owner', { userId: 'root', roles: ['IAM_OWNER'] })
  management.bearers.set('nobody', { userId: 'nobody', roles: [] })
  management.bearers.set('acme', { userId: 'of-acme', roles: ['ORG_OWNER acme'] })
  management.bearers.set('other', { userId: 'of-other', roles: ['ORG_OWNER other'] })
})
afterAll(() => management?.stop())

const unknownMembers = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 1]))

/** The clock of a test stands still; this one goes on, so that each test begins with the calls of a whole second. */
const nextSecond = () => management.directory.clock.advance(1_000)

describe('roles come before the request', () => {
  it.each(OPERATIONS.filter(({ request }) => request !== undefined))(
    '$id: a caller without a role gets 403 for any body',
    async (operation) => {
      nextSecond()
      const { method, path } = exampleCall(operation)
      const answer = await management.call(method, path, unknownMembers(1_000), 'nobody')
      expect(answer).toMatchObject({ status: 403, body: { details: [{ id: 'role_missing' }] } })
    },
  )

  it('a caller with a role elsewhere gets 403 for a body that names another organization', async () => {
    nextSecond()
    const body = { organizationId: 'acme', ...unknownMembers(1_000) }
    expect((await management.call('POST', '/users', body, 'other')).status).toBe(403)
    expect((await management.call('POST', '/projects', body, 'other')).status).toBe(403)
  })

  it('an owner of an organization who leaves it out hears what is missing', async () => {
    nextSecond()
    const answer = await management.call('POST', '/projects', { name: 'P2' }, 'acme')
    expect(answer).toMatchObject({ status: 400, body: { message: 'organizationId: is required' } })
  })

  it('the body of a caller without a valid bearer is not looked at', async () => {
    nextSecond()
    expect((await management.call('POST', '/users', unknownMembers(9_000), 'no token')).status).toBe(401)
  })
})

describe('bodies are bounded', () => {
  it('names the first 20 problems and counts the others', async () => {
    nextSecond()
    const body = { organizationId: 'acme', userName: 'x', profile: { givenName: 'A', familyName: 'B' } }
    const answer = await management.call('POST', '/users', { ...body, ...unknownMembers(1_000) })
    expect(answer.status).toBe(400)
    expect(answer.body.details).toHaveLength(21)
    expect(answer.body.details.at(-1)).toEqual({ id: 'more_fields_invalid', count: 980 })
    expect(answer.body.message).toMatch(/; and 980 more$/)
    expect(JSON.stringify(answer.body).length).toBeLessThan(5_000)
  })

  it('refuses 90,000 members without a look at each', async () => {
    nextSecond()
    const answer = await management.call('POST', '/users', unknownMembers(90_000))
    expect(answer).toMatchObject({ status: 400, body: { details: [{ id: 'json_too_many_values' }] } })
  })

  it('refuses a bootstrap file of more than 50,000 members and elements', async () => {
    nextSecond()
    const organizations = Array.from({ length: 50_000 }, () => 1)
    const answer = await management.call('POST', '/apply', { organizations })
    expect(answer).toMatchObject({ status: 400, body: { details: [{ id: 'json_too_many_values' }] } })
  })
})

describe('calls of one caller are limited', () => {
  it('the 51st call within a second gets 429, the next ones by and by, and other callers are not delayed', async () => {
    nextSecond()
    nextSecond()
    const read = async (bearer: string) => management.call('GET', '/organizations/acme', undefined, bearer)
    const statuses: number[] = []
    for (let call = 0; call < 55; call += 1) statuses.push((await read('acme')).status)
    expect(statuses).toEqual([
      ...Array.from({ length: 50 }, () => 200),
      ...Array.from({ length: 5 }, () => 429),
    ])
    const limited = await read('acme')
    expect(limited.body).toMatchObject({ code: 8, details: [{ id: 'rate_limited' }] })
    expect(limited.headers.get('retry-after')).toBe('1')
    expect((await read('owner')).status).toBe(200)
    management.directory.clock.advance(20)
    expect([(await read('acme')).status, (await read('acme')).status]).toEqual([200, 429])
    management.directory.clock.advance(1_000)
    for (let call = 0; call < 50; call += 1) expect((await read('acme')).status).toBe(200)
    expect((await read('acme')).status).toBe(429)
  })
})

describe('the audit log', () => {
  const refusals = async () =>
    (await management.directory.audited({ result: 'refused', actorId: 'root' })).filter(({ action }) =>
      action.endsWith('.read'),
    )

  it('a look-up of what does not exist is no refusal', async () => {
    nextSecond()
    const paths = [
      '/organizations/nothing',
      '/users/nobody-known',
      '/projects/nothing',
      '/applications/nothing',
    ]
    for (const path of paths) expect((await management.call('GET', path)).status).toBe(404)
    expect(await refusals()).toEqual([])
  })

  it('a look-up without a role is one, of what exists and of what does not', async () => {
    nextSecond()
    for (const path of ['/users/alice', '/users/nobody-known'])
      expect((await management.call('GET', path, undefined, 'other')).status).toBe(403)
    const filter = { result: 'refused', actorId: 'of-other', action: 'user.read' } as const
    const targets = (await management.directory.audited(filter)).map(({ targetId }) => targetId)
    expect(targets.toSorted()).toEqual(['alice', 'nobody-known'])
  })
})

describe('damaged cursors', () => {
  it.each(OPERATIONS.filter(({ query }) => 'cursor' in query.shape))(
    '$id: refuses one',
    async (operation) => {
      nextSecond()
      const { path } = exampleCall(operation, { cursor: 'xx' })
      for (const cursor of ['xx', 'YWxpY2U', 'directory', '%25']) {
        const at = `${path.split('?')[0]}?cursor=${cursor}${operation.id === 'audit.chain' ? '&log=directory' : ''}`
        const answer = await management.call('GET', at)
        expect(answer.status, cursor).toBe(400)
        expect(answer.body.message).toMatch(/^cursor: /)
      }
    },
  )
})
